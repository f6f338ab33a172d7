/** The bundled sample, which is compacted more than once: its strip, panels and notices. */
import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { shows } from "../../src/testing/shows.ts";
import { findAccessibilityViolations } from "../support/open-page.ts";
import { BOTH_SIZES, type OpenOptions, openTab, showMessageButtons } from "../support/page-stage.ts";
import { stagePage } from "../support/stage-page.ts";
import type { StartedChat } from "../support/start-chat.ts";

const TURNS = 40;
const stage = stagePage();
let chat: StartedChat;
let id = "";

/** Plays the sample once; each test opens its own page. */
beforeAll(async () => {
  chat = await stage.serve();
  id = (await chat.server.ask("POST", "/api/sample", {})).body.session.id;
  for (let turn = 0; turn < TURNS; turn += 1) await chat.server.ask("POST", `/api/sessions/${id}/sample/next`, {});
});

afterAll(() => chat[Symbol.asyncDispose]());

async function openSample(options: OpenOptions) {
  const opened = await stage.open(`${chat.server.url}/#/sessions/${id}`, options);
  await opened.page.locator(".strip .sheet").first().waitFor();
  return opened;
}

test("a summary on the strip lifts on hover and opens on click", async () => {
  await using opened = await openSample({ size: "desktop" });
  const { page, problems } = opened;
  const sheet = await boxOf(page, ".strip .sheet:last-child .sheet-paper");
  const label = page.locator(".spot-label strong");
  const labels: (string | null)[] = [];
  for (let step = 0; step < 4; step += 1) {
    await page.mouse.move(sheet.x + 3 + step, sheet.y + 60);
    await page.locator(".strip .sheet:last-child.sheet-lifted").waitFor({ state: "attached" });
    await page.evaluate("Promise.allSettled(document.getAnimations().map(({ finished }) => finished))");
    labels.push(await label.textContent());
  }
  expect(labels[0]).toMatch(/^Summary \d/);
  expect(new Set(labels).size).toBe(1);
  await page.mouse.click(sheet.x + 7, sheet.y + 60);
  await page.locator(".summary-live details[open]").first().waitFor();
  expect(problems).toEqual([]);
});

describe("the strip", () => {
  test("shows the fates of messages as patterns and as a list, with summaries over their messages", async () => {
    await using opened = await openSample({});
    const { page, problems } = opened;
    const fates = await page
      .locator(".strip rect[data-fate]")
      .evaluateAll((bands) => [...new Set(bands.map((band) => band.getAttribute("data-fate")))]);
    expect(fates).toEqual(expect.arrayContaining(["summarised", "verbatim"]));
    const list = page.getByRole("list", { name: "Messages of the log, by state" });
    await expect.poll(() => list.getByRole("button").first().textContent()).toMatch(/^Summary \d of \d+ messages/);
    // By keyboard: to the list, down to the first run, and into it.
    await list.getByRole("button").first().focus();
    expect(await page.locator(".strip .sheet-lifted").count()).toBeGreaterThan(0);
    const run = list.getByRole("button", { name: /messages?, summarized/ }).first();
    while (!(await run.evaluate((button) => button.matches(":focus")))) await page.keyboard.press("ArrowDown");
    await page.locator(".spot-label", { hasText: "The model reads a summary instead" }).waitFor();
    await page.keyboard.press("Enter");
    const first = page.locator('.message[data-seq="1"]');
    await first.waitFor();
    await expect.poll(() => first.getAttribute("data-fate")).toBe("summarised");
    expect(await first.locator(".fate-name").textContent()).toBe("summarized");
    expect(await findAccessibilityViolations(page)).toEqual([]);
    expect(problems).toEqual([]);
  });

  test("zooms in and out", async () => {
    await using opened = await openSample({});
    const { page, problems } = opened;
    const range = page.locator(".strip-range");
    const closer = page.getByRole("button", { name: "Zoom in" });
    const further = page.getByRole("button", { name: "Zoom out" });
    expect(await range.textContent()).toBe("all");
    expect(await further.isDisabled()).toBe(true);
    const pressToTheEnd = async (button: typeof closer) => {
      while (await button.isEnabled()) {
        const before = await range.textContent();
        await button.click();
        await expect.poll(() => range.textContent()).not.toBe(before);
      }
    };
    await pressToTheEnd(closer);
    expect(await range.textContent()).toMatch(/^\d+–\d+$/);
    await pressToTheEnd(further);
    expect(await range.textContent()).toBe("all");
    await closer.click();
    await expect.poll(() => range.textContent()).toMatch(/^\d+–\d+$/);
    await page.getByRole("button", { name: "Show the whole log" }).click();
    await expect.poll(() => range.textContent()).toBe("all");
    await expect.poll(() => page.locator(".strip rect[data-fate=summarised]").count()).toBeGreaterThan(0);
    expect(problems).toEqual([]);
  });
});

describe.each(BOTH_SIZES)("the strip on a %s", (size) => {
  test("fits into its column, and opens messages and summaries by touch or click", async () => {
    await using opened = await openSample({ size });
    const { page, problems } = opened;
    const frame = await boxOf(page, ".strip-pane");
    for (const drawn of [".strip rect[data-fate]", ".strip .sheets", ".strip-zoom"]) {
      const box = await boxOf(page, drawn);
      expect(box.x, drawn).toBeGreaterThanOrEqual(frame.x);
      expect(box.x + box.width, drawn).toBeLessThanOrEqual(frame.x + frame.width);
    }
    expect(frame.x + frame.width).toBeLessThanOrEqual(page.viewportSize()?.width ?? 0);
    const bands = await boxOf(page, ".strip rect[data-fate=verbatim]");
    const press = (x: number, y: number) => (size === "phone" ? page.touchscreen.tap(x, y) : page.mouse.click(x, y));
    await press(bands.x + 2, frame.y + 20);
    await page.locator('.message[data-seq="1"]').waitFor();
    const sheet = await boxOf(page, ".strip .sheet:last-child .sheet-paper");
    await press(sheet.x + sheet.width - 4, sheet.y + 60);
    await page.getByRole("tab", { name: "Summaries", selected: true }).waitFor();
    await page.locator(".summary-live").waitFor();
    expect(problems).toEqual([]);
  });
});

describe.each(BOTH_SIZES)("the sample on a %s", (size) => {
  test("shows its prompt, its summaries and its budget as text", async () => {
    await using opened = await openSample({ size });
    const { page, problems } = opened;
    // keyboard.test.ts checks these panels on a phone.
    const expectAccessible = async () =>
      expect(size === "phone" ? [] : await findAccessibilityViolations(page)).toEqual([]);
    const bar = page.getByRole("progressbar", { name: "Context window usage" });
    expect(await bar.getAttribute("aria-valuetext")).toMatch(/^[\d.]+K? of 5K tokens, \d+%/);
    expect(await page.locator(".budget-text").isVisible()).toBe(true);
    const marker = page.locator(".marker", { hasText: /messages summarized/ }).last();
    expect(await marker.textContent()).toMatch(
      /\d+ messages summarized: [\d,]+ → [\d,]+ tokens, by code, without a model/,
    );
    await page.getByRole("button", { name: "Inspect" }).click();
    const figures = page.locator(".panel-part", { hasText: "Tokens by part" });
    for (const part of ["Summary", "Conversation", "Reserve", "Free"]) {
      await figures.getByRole("row", { name: new RegExp(`^${part}`) }).waitFor();
    }
    await page.locator(".prompt-block", { hasText: "Summary of the" }).waitFor();
    await page.getByLabel("Format").selectOption("anthropic");
    await page.locator(".prompt-block", { hasText: "Summary of the" }).waitFor();
    await expectAccessible();
    await page.getByRole("tab", { name: "Summaries" }).click();
    await page.locator(".summary-live", { hasText: "in use" }).waitFor();
    expect(await page.locator(".summary-card").count()).toBeGreaterThan(1);
    const liveSummary = await page.locator(".summary-live").textContent();
    expect(liveSummary).toMatch(
      /at no cost\. (?:\d+% of the budget was used|Was \d+% over the budget)\. Verified: \d+% of \d+ claims correct/,
    );
    await expectAccessible();
    await page.getByRole("tab", { name: "Message" }).click();
    await page.getByLabel("Why doesn't the model know that?").fill("furnace hall");
    await page.locator(".why-not", { hasText: /The model reads (?:none|\d+) of these/ }).waitFor();
    await page.locator(".why-not li", { hasText: "summarized" }).first().waitFor();
    await expectAccessible();
    await page.keyboard.press("Escape");
    await expect.poll(() => page.locator(".inspector").count()).toBe(0);
    expect(problems).toEqual([]);
  });
});

describe("the sample", () => {
  test("has messages that can be explained, pinned and unpinned", async () => {
    await using own = await stage.serve();
    await using opened = await stage.open(own.server.url);
    const { page, problems } = opened;
    await page.click("text=Open the sample");
    await page.getByRole("heading", { name: "Play the sample" }).waitFor();
    await page.getByRole("button", { name: "Play one turn" }).click();
    const asked = page.locator('.message[data-seq="1"]');
    await showMessageButtons(asked);
    await asked.getByRole("button", { name: "Pin" }).click();
    await expect.poll(() => asked.getAttribute("data-fate")).toBe("pinned");
    await showMessageButtons(asked);
    await asked.getByRole("button", { name: "Explain" }).click();
    await page.locator(".explained", { hasText: "yes, word for word" }).waitFor();
    await page.getByRole("button", { name: "Close", exact: true }).click();
    await page.locator(".composer").getByRole("button", { name: "Undo" }).click();
    await expect.poll(() => asked.getAttribute("data-fate")).toBe("verbatim");
    expect(problems).toEqual([]);
  });
});

test(shows("S0-51", "an updated summary is shown in a notice that disappears"), async () => {
  await using own = await stage.serve();
  const { session } = (await own.server.ask("POST", "/api/sample", {})).body;
  const play = async () => (await own.server.ask("POST", `/api/sessions/${session.id}/sample/next`, {})).body;
  for (let isFolded = false; !isFolded; ) isFolded = (await play()).compactions > 0;
  await using opened = await stage.open(`${own.server.url}/#/sessions/${session.id}`, { hasOwnClock: true });
  const { page, problems } = opened;
  const renewed = page.locator(".notice", { hasText: /^Summary updated: [\d,]+ → [\d,]+ tokens\.$/ });
  for (let round = 0; round < 40 && (await renewed.count()) === 0; round += 1) {
    await page.getByRole("button", { name: "Play one turn" }).click();
    await page.locator(".sample-player button:not(:disabled)").first().waitFor();
  }
  await renewed.first().waitFor();
  await page.clock.fastForward(6_000);
  await expect.poll(() => page.locator(".notice").count()).toBe(0);
  expect(problems).toEqual([]);
});

test("the usage panel says that no model was used, and the message panel lists all eight fates", async () => {
  await using opened = await openSample({});
  const { page } = opened;
  await openTab(page, "Usage");
  await page.getByText("No model was used in this conversation: 40 answers and").waitFor();
  expect(await page.locator("#panel-usage table").count()).toBe(0);
  await page.getByRole("tab", { name: "Message" }).click();
  await page.getByText("Possible states of a message").waitFor();
  expect(await page.locator(".inspector .legend .swatch").count()).toBe(8);
});

async function boxOf(page: Page, selector: string) {
  const box = await page.locator(selector).first().boundingBox();
  if (box === null) throw new Error(`${selector} is not drawn.`);
  return box;
}
