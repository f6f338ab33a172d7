/** Notices about compactions and a full context window, and when the composer is disabled. */
import type { Page } from "playwright-core";
import { describe, expect, test } from "vitest";
import { shows } from "../../src/testing/shows.ts";
import { SMALL_MODELS } from "../presets/play-preset.ts";
import { findAccessibilityViolations } from "../support/open-page.ts";
import { openTab, say, writeTalk } from "../support/page-stage.ts";
import { startScriptedProvider } from "../support/scripted-provider.ts";
import { scriptedReplies } from "../support/scripted-provider-reply.ts";
import { stagePage } from "../support/stage-page.ts";
import { ANOTHER_TOPIC, FILLER, SMALL_POLICY, startCompactingChat } from "../support/start-compacting.ts";

const { text, held, unauthorised } = scriptedReplies;
const stage = stagePage();
/** Thousands of messages, above the number of entries that a view is read with at once. */
const LONG_PARTS = 6;
const DONE = /^Old messages summarized: [\d,]+ → [\d,]+ tokens\.$/;

const noticeOf = (page: Page, words: string | RegExp) => page.locator(".notice", { hasText: words });

describe("a compaction", () => {
  test(
    shows(
      ["S3-72", "X-2"],
      "that is done shows the tokens, updates the fates of messages and adds a marker; one by another client adds only a marker",
    ),
    async () => {
      await using started = await startCompactingChat(stage, {
        summary: () => text("The ledger closes at night."),
      });
      const { page, chat, followed, problems } = started;
      await noticeOf(page, DONE).waitFor();
      await page.locator(".marker").waitFor();
      const first = page.locator('.message[data-seq="1"]');
      await expect.poll(() => first.getAttribute("data-fate")).toBe("summarised");
      await expect.poll(() => noticeOf(page, "Compacting").count()).toBe(0);
      await openTab(page, "What the model sees");
      await page.locator(".difference .block-added", { hasText: "The ledger closes at night." }).waitFor();
      await page.getByRole("button", { name: "Close", exact: true }).click();
      const readPhases = () =>
        followed.events.filter(({ name }) => name === "compaction").map(({ data }) => data.phase);
      await expect.poll(() => page.locator(".marker").count()).toBe(1);
      expect(readPhases()).toEqual([expect.not.stringMatching(/^manual$/)]);
      await page.getByRole("button", { name: "Dismiss" }).click();
      // Another client compacts the conversation manually, and gets the outcome itself.
      const messages = writeTalk(6, (number) => `Later ${number}: ${FILLER.repeat(5)}`).map((message, index) => ({
        ...message,
        id: `later${index}`,
      }));
      await chat.server.ask("POST", "/api/sessions/talk/messages", { messages });
      expect((await chat.server.ask("POST", "/api/sessions/talk/compactions", {})).body.type).toBe("compacted");
      await expect.poll(readPhases).toEqual([expect.anything(), "manual"]);
      await expect.poll(() => page.locator(".marker").count()).toBe(2);
      expect(await page.locator(".notice").count()).toBe(0);
      expect(problems).toEqual([]);
    },
  );

  test(
    shows("S3-71", "that runs is shown with the elapsed seconds, and disables the composer if the policy requires it"),
    async () => {
      const { promise: rest, resolve: goOn } = Promise.withResolvers<void>();
      const summary = () => held("The ledger closes at night.", rest);
      await using started = await startCompactingChat(stage, { summary });
      const { page, problems } = started;
      await noticeOf(page, /^Compacting… [1-9]\d* s/).waitFor();
      await page.locator(".blocked", { hasText: "You can write again when the compaction is done." }).waitFor();
      expect(await page.locator("#composer").isDisabled()).toBe(true);
      expect(await findAccessibilityViolations(page)).toEqual([]);
      goOn();
      await noticeOf(page, /[\d,]+ → [\d,]+ tokens\.$/).waitFor();
      await expect.poll(() => page.locator("#composer").isDisabled()).toBe(false);
      expect(problems).toEqual([]);
    },
  );

  test(shows("S3-73", "that fails leaves a notice with the next step, and enables the composer again"), async () => {
    await using started = await startCompactingChat(stage, { summary: unauthorised });
    const { page } = started;
    const failed = page.locator(".notice-failed", { hasText: "Compaction failed" });
    await failed.waitFor();
    expect(await failed.textContent()).toContain("Nothing was lost. The server tries again");
    expect(await page.locator("#composer").isDisabled()).toBe(false);
    await say(page, "Are you still there?");
    await page.locator(".message-user[data-seq]", { hasText: "still there" }).waitFor();
  });

  test(shows("S3-74", "that finds nothing to do leaves no notice"), async () => {
    const policy = { ...SMALL_POLICY, min_verbatim_exchanges: 50 };
    await using started = await startCompactingChat(stage, { policy, summary: () => text("Nothing.") });
    const { page, followed, problems } = started;
    const ended = () => followed.events.find(({ name }) => name === "compaction-end")?.data;
    await expect.poll(ended).toMatchObject({ outcome: "none" });
    expect(followed.events.some(({ name }) => name === "compaction-start")).toBe(true);
    await expect.poll(() => page.locator(".notice").count()).toBe(0);
    expect(await page.locator("#composer").isDisabled()).toBe(false);
    expect(problems).toEqual([]);
  });
});

test("the panel of summaries says that a model answered in prose, and lists the lines that code added separately", async () => {
  await using small = await startScriptedProvider(() => text("The ledger closes at night, and little else was said."));
  const engine = { windowTokens: 8_000, summarizer: SMALL_MODELS.openai(small.url) };
  await using chat = await stage.serve({ engine });
  await using opened = await stage.openTalk(chat);
  const { page, problems } = opened;
  const messages = writeTalk(60, (number) => `Clerk ${number} lives in house ${number * 7} by the harbor. ${FILLER}`);
  await chat.server.ask("POST", "/api/sessions/talk/messages", { messages });
  expect((await chat.server.ask("POST", "/api/sessions/talk/compactions", {})).body.type).toBe("compacted");
  await openTab(page, "Summaries");
  const card = page.locator(".summary-card").first();
  await card.getByText("The model answered in prose, so code made the lists.").waitFor();
  await card.getByText(/Code added \d+ lines that the text did not cover\./).waitFor();
  const added = card.getByRole("region", { name: "Lines added by code" });
  expect(await added.textContent()).toMatch(/lives in house \d+ by/);
  expect(await added.textContent()).not.toContain("little else was said");
  expect(problems).toEqual([]);
});

test("the first fold of a long session shows how much of it is folded", async () => {
  const engine = { budgetTokens: 4_000 };
  await using chat = await stage.serve({ engine });
  await using opened = await stage.openTalk(chat);
  const { page, problems } = opened;
  await page.locator(".empty").waitFor();
  // Another client appends more than the server reads at once.
  for (let part = 0; part < LONG_PARTS; part += 1) {
    const messages = writeTalk(1_000, (number) => `Crate ${part * 1_000 + number} was weighed.`);
    const withIds = messages.map((message, index) => ({ ...message, id: `m${part}-${index}` }));
    await chat.server.ask("POST", "/api/sessions/talk/messages", { messages: withIds });
  }
  await noticeOf(page, /^Summarizing earlier messages: \d+ % of [\d,]+ entries\./).waitFor();
  expect(problems).toEqual([]);
});

describe("the events of a compaction", () => {
  test(shows("C-27", "arrive during the turn that caused it, or after that turn"), async () => {
    const engine = { windowTokens: 2_000, reserveTokens: 400 };
    const script = [held("Still answering. ".repeat(20), new Promise(() => undefined)), text("Done.")];
    await using chat = await stage.serve({ engine, script });
    await chat.server.ask("POST", "/api/sessions", { id: "talk", title: "A talk" });
    const messages = writeTalk(30, (number) => `Part ${number}: ${FILLER.repeat(4)}`);
    await chat.server.ask("POST", "/api/sessions/talk/messages", { messages });
    await using opened = await stage.openTalk(chat);
    const { page } = opened;
    await page.locator(".message", { hasText: "Part 30:" }).waitFor();
    await say(page, "And then?");
    await noticeOf(page, DONE).waitFor();
    await page.locator(".message-assistant[aria-busy=true]").waitFor();
    await page.press("#composer", "Escape");
    const fate = () => page.locator(".message[data-seq]").first().getAttribute("data-fate");
    await expect.poll(fate).toBe("summarised");
    // The event can also arrive after the turn.
    const { promise: rest, resolve: goOn } = Promise.withResolvers<void>();
    await using after = await startCompactingChat(stage, { summary: () => held("Closed. ".repeat(4), rest) });
    await after.page.locator(".message-assistant[data-seq]").last().waitFor();
    await after.page.getByRole("button", { name: "Send" }).waitFor();
    expect(await noticeOf(after.page, DONE).count()).toBe(0);
    goOn();
    await noticeOf(after.page, DONE).waitFor();
  });
});

describe("a turn that has ended", () => {
  test(shows("C-27", "is read from the log up to three times if the connection fails"), async () => {
    await using chat = await stage.serve({ script: [text("By the third quay."), text("Still there.")] });
    await using opened = await stage.openTalk(chat);
    const { page } = opened;
    await page.locator(".empty").waitFor();
    // The client retries a request itself; the page retries after that.
    const failing = { count: 0, isOn: true };
    await page.route("**/api/sessions/talk/entries*", (route) => {
      failing.count += 1;
      return failing.isOn ? route.abort() : route.continue();
    });
    await say(page, "Where is the crane?");
    const first = page.locator(".message-assistant", { hasText: "By the third quay." });
    await page.locator(".edge.failed").waitFor();
    failing.isOn = false;
    expect(await first.count()).toBe(1);
    await page.locator(".message-assistant[data-seq]", { hasText: "By the third quay." }).waitFor();
    expect(await first.count()).toBe(1);
    expect(await page.locator(".edge.failed").count()).toBe(0);
    // If the log cannot be read, the streamed answer stays on the page.
    failing.isOn = true;
    const tried = failing.count;
    await say(page, "And now?");
    const second = page.locator(".message-assistant", { hasText: "Still there." });
    await second.waitFor();
    await expect.poll(() => failing.count - tried).toBeGreaterThanOrEqual(9);
    expect(await second.count()).toBe(1);
    failing.isOn = false;
    await page.reload();
    await page.locator(".message-assistant[data-seq]", { hasText: "Still there." }).waitFor();
  });
});

describe("the composer", () => {
  test(
    shows("X-24", "is disabled while the context window is full, says why, and is enabled after a clear"),
    async () => {
      // The recall tool takes about 190 of the 230 tokens.
      await using chat = await stage.serve({ engine: { windowTokens: 430, reserveTokens: 200 } });
      await chat.server.ask("POST", "/api/sessions", { id: "talk" });
      const messages = writeTalk(4, () => FILLER.repeat(10));
      await chat.server.ask("POST", "/api/sessions/talk/messages", { messages });
      await using opened = await stage.openTalk(chat);
      const { page } = opened;
      await page.locator(".blocked", { hasText: /^The context window is full\. .*clear the context/ }).waitFor();
      expect(await page.locator("#composer").isDisabled()).toBe(true);
      const bar = page.getByRole("progressbar", { name: "Context window usage" });
      expect(await bar.getAttribute("aria-valuetext")).toBe("Full: the next prompt does not fit");
      expect(await findAccessibilityViolations(page)).toEqual([]);
      await page.locator(".composer").getByRole("button", { name: "Clear context" }).click();
      await expect.poll(() => page.locator("#composer").isDisabled()).toBe(false);
      expect(await page.locator(".blocked").count()).toBe(0);
    },
  );

  test(shows("X-24", "stays enabled during a compaction unless the policy disables it"), async () => {
    const policy = { ...SMALL_POLICY, blockInput: "full" };
    const { promise: rest, resolve: goOn } = Promise.withResolvers<void>();
    const summary = () => held("The ledger closes. ".repeat(3), rest);
    await using started = await startCompactingChat(stage, { policy, summary });
    const { page, problems } = started;
    await noticeOf(page, "Compacting…").waitFor();
    await page.locator("#composer").fill("I can write meanwhile.");
    expect(await page.locator(".blocked").count()).toBe(0);
    expect(await page.getByRole("button", { name: "Send" }).isEnabled()).toBe(true);
    expect(problems).toEqual([]);
    goOn();
  });

  test(shows("C-31", "shows a hint to clear the context when a long conversation changes its topic"), async () => {
    await using started = await startCompactingChat(stage, { ...ANOTHER_TOPIC });
    const { page, problems } = started;
    const hint = page.locator(".topic-hint", { hasText: "now it is about boats" });
    await hint.waitFor();
    expect(await findAccessibilityViolations(page)).toEqual([]);
    await hint.getByRole("button", { name: "Clear context" }).click();
    await page.locator(".marker", { hasText: "Context cleared" }).waitFor();
    expect(await hint.count()).toBe(0);
    expect(problems).toEqual([]);
  });

  test("dismisses the topic hint when the user sends another message", async () => {
    await using started = await startCompactingChat(stage, { ...ANOTHER_TOPIC });
    const { page, problems } = started;
    const hint = page.locator(".topic-hint", { hasText: "now it is about boats" });
    await hint.waitFor();
    await expect.poll(() => page.locator("#composer").isDisabled()).toBe(false);
    await page.locator(".message-assistant[data-seq]", { hasText: "Answer:" }).waitFor();
    await say(page, "And the boats?");
    await expect.poll(() => page.locator(".message-assistant[data-seq]", { hasText: "Answer:" }).count()).toBe(2);
    expect(await hint.count()).toBe(0);
    expect(problems).toEqual([]);
  });
});
