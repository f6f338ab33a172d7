/** A log of 3,000 messages, of which the page renders a part. */
import type { Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { writeLongSession } from "../support/long-session.ts";
import { findAccessibilityViolations } from "../support/open-page.ts";
import { stagePage } from "../support/stage-page.ts";
import type { StartedChat } from "../support/start-chat.ts";

const MESSAGES = 3_000;
const HERON = 137;
const MAX_SHOWN = 200;
const MAX_ELEMENTS = 8_000;
const stage = stagePage();
let chat: StartedChat;

beforeAll(async () => {
  chat = await stage.serve();
  await writeLongSession(chat.server, { id: "long", messages: MESSAGES, herons: [HERON] });
  expect((await chat.server.ask("POST", "/api/sessions/long/compactions", {})).body.type).toBe("compacted");
});

afterAll(() => chat[Symbol.asyncDispose]());

const sizeOf = async (page: Page) => ({
  messages: await page.locator(".message").count(),
  elements: await page.locator("*").count(),
});

async function expectBounded(page: Page): Promise<void> {
  const { messages, elements } = await sizeOf(page);
  expect(messages).toBeLessThanOrEqual(MAX_SHOWN);
  expect(elements).toBeLessThanOrEqual(MAX_ELEMENTS);
}

test("a long log is rendered in part while the user scrolls up", async () => {
  await using opened = await stage.open(`${chat.server.url}/#/sessions/long`);
  const { page, problems } = opened;
  await page.locator(".message", { hasText: `Line ${MESSAGES}:` }).waitFor();
  const conversation = page.locator(".conversation");
  const oldest = () =>
    page.locator(".message[data-seq]").evaluateAll((rows) => Number(rows[0]?.getAttribute("data-seq")));
  for (let wanted = MESSAGES - 100; wanted > MESSAGES - 500; wanted -= 100) {
    await expect
      .poll(async () => {
        await conversation.evaluate((frame) => frame.scrollBy(0, -1_500));
        return oldest();
      })
      .toBeLessThan(wanted);
    await expectBounded(page);
  }
  expect(await page.locator(".message", { hasText: `Line ${MESSAGES}:` }).count()).toBe(0);
  expect(problems).toEqual([]);
});

test("a click on the strip of a long log jumps to the messages at that place", async () => {
  await using opened = await stage.open(`${chat.server.url}/#/sessions/long`);
  const { page, problems } = opened;
  const strip = page.locator("svg.strip");
  await strip.locator("rect[data-fate=summarised]").first().waitFor({ state: "attached" });
  expect(await strip.locator("rect").count()).toBeLessThan(MESSAGES / 2);
  const { height = 0 } = (await strip.boundingBox()) ?? {};
  await strip.click({ position: { x: 10, y: 1 } });
  await page
    .locator(".message", { hasText: /Line [1-9]\d?:/ })
    .first()
    .waitFor();
  await expect.poll(() => page.locator('.message[data-seq="1"]').getAttribute("data-fate")).toBe("summarised");
  await expectBounded(page);
  await strip.click({ position: { x: 10, y: Math.floor(height / 2) } });
  await page
    .locator(".message", { hasText: /Line 1[3-7]\d\d:/ })
    .first()
    .waitFor();
  await expectBounded(page);
  expect(problems).toEqual([]);
});

test("a search in a long log jumps to a summarized message and focuses it", async () => {
  await using opened = await stage.open(`${chat.server.url}/#/sessions/long`);
  const { page, problems } = opened;
  await page.locator(".message", { hasText: `Line ${MESSAGES}:` }).waitFor();
  await page.getByRole("searchbox").fill("heron");
  const hit = page.locator(".session-list a", { hasText: "heron" });
  expect(await hit.locator("mark").textContent()).toBe("heron");
  await hit.click();
  const found = page.locator(".message", { hasText: "A heron sits on it." });
  await found.waitFor();
  await expect.poll(() => found.evaluate((row) => row.matches(":focus"))).toBe(true);
  await expect.poll(() => found.getAttribute("data-fate")).toBe("summarised");
  await expectBounded(page);
  expect(problems).toEqual([]);
});

test("the panels of a long log render a bounded number of elements", async () => {
  await using opened = await stage.open(`${chat.server.url}/#/sessions/long`);
  const { page, problems } = opened;
  await page.getByRole("button", { name: "Inspect" }).click();
  await page.locator(".prompt-block").first().waitFor();
  await expectBounded(page);
  await page.getByRole("tab", { name: "Summaries" }).click();
  const live = page.locator(".summary-live");
  await live.getByText("Source messages").click();
  await live
    .locator(".prompt-block", { hasText: /Line \d+:/ })
    .first()
    .waitFor();
  await expectBounded(page);
  expect(await findAccessibilityViolations(page)).toEqual([]);
  expect(problems).toEqual([]);
});

test("the strip shows the next prompt of a long log before its first compaction", async () => {
  await using small = await stage.serve({ engine: { windowTokens: 8_000, reserveTokens: 1_000 } });
  await writeLongSession(small.server, { id: "fresh", messages: 2_600 });
  await using opened = await stage.open(`${small.server.url}/#/sessions/fresh`);
  const { page, problems } = opened;
  const runs = page.getByRole("list", { name: "Messages of the log, by state" }).getByRole("listitem");
  await runs.filter({ hasText: /^2,\d+ messages, summarized/ }).waitFor({ state: "attached" });
  const shown = (await runs.first().textContent()) ?? "";
  await page.getByRole("button", { name: "Inspect" }).click();
  const summary = page.locator(".prompt-block", { hasText: "earlier messages" }).first();
  await summary.waitFor();
  const [, covered] = /Summary of the (\d+) earlier messages/.exec((await summary.textContent()) ?? "") ?? [];
  expect(shown.replace(",", "")).toContain(`${covered} messages, summarized`);
  expect(problems).toEqual([]);
});
