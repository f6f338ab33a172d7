/** Compacting, clearing, forking, renaming, exporting and deleting a conversation, and reading a long one. */
import type { Locator, Page } from "playwright-core";
import { describe, expect, test } from "vitest";
import { shows } from "../../src/testing/shows.ts";
import { findAccessibilityViolations } from "../support/open-page.ts";
import { BOTH_SIZES, openTab, say, showHistory, showMessageButtons, writeTalk } from "../support/page-stage.ts";
import { scriptedReplies } from "../support/scripted-provider-reply.ts";
import { stagePage } from "../support/stage-page.ts";
import type { StartedChat } from "../support/start-chat.ts";

const { text } = scriptedReplies;
const stage = stagePage();

/** Writes a conversation that is long enough to compact. */
async function fill(chat: StartedChat): Promise<void> {
  await chat.server.ask("POST", "/api/sessions", { id: "talk", title: "A talk" });
  const messages = writeTalk(60, (number) => `Part ${number}: crate ${4_099 + number} stands in shed ${number % 7}.`);
  expect((await chat.server.ask("POST", "/api/sessions/talk/messages", { messages })).status).toBe(200);
}

/** Previews a compaction and returns the region with its changes. */
async function previewCompaction(page: Page): Promise<Locator> {
  await openTab(page, "Summaries");
  await page.getByLabel("What the summary should focus on").fill("every shed");
  await page.getByRole("button", { name: "Preview compaction" }).click();
  await page.getByText(/[\d,]+ → [\d,]+ tokens: \d+ messages summarized/).waitFor();
  return page.getByRole("region", { name: "Changes" });
}

describe.each(BOTH_SIZES)("a conversation on a %s", (size) => {
  test("shows the preview of a compaction, whose buttons stay visible", async () => {
    await using chat = await stage.serve();
    await fill(chat);
    await using opened = await stage.open(`${chat.server.url}/#/sessions/talk`, { size });
    const { page, problems } = opened;
    const change = await previewCompaction(page);
    await change.getByText(/− \d+ messages will be summarized/).click();
    await change.locator(".prompt-block", { hasText: "Part 1: crate 4100" }).waitFor();
    expect(await change.locator(".prompt-block", { hasText: "Part 60:" }).count()).toBe(0);
    // The buttons stay visible when a long difference is scrolled.
    for (const end of [".inspector-body > *", ".difference .prompt-block:last-child"]) {
      await page.locator(end).last().scrollIntoViewIfNeeded();
      for (const name of ["Apply", "Discard"]) {
        const box = await page.getByRole("button", { name }).boundingBox();
        const { height } = page.viewportSize() ?? { height: 0 };
        expect(box).not.toBeNull();
        expect((box?.y ?? height) + (box?.height ?? 0)).toBeLessThanOrEqual(height);
      }
    }
    expect(problems).toEqual([]);
  });

  test("can be forked at a message, renamed and deleted, and the deletion can be undone", async () => {
    await using chat = await stage.serve();
    await fill(chat);
    await using opened = await stage.open(`${chat.server.url}/#/sessions/talk`, { size });
    const { page, problems } = opened;
    const last = page.locator(".message", { hasText: "Part 58:" });
    await showMessageButtons(last, size);
    await last.getByRole("button", { name: "Fork" }).click();
    await expect.poll(() => page.url()).not.toMatch(/\/talk$/);
    await page.locator(".message", { hasText: "Part 58:" }).waitFor();
    expect(await page.locator(".message", { hasText: "Part 59:" }).count()).toBe(0);
    await page.getByRole("button", { name: "Conversation menu" }).click();
    await page.getByLabel("Title").fill("Another way");
    await page.getByRole("button", { name: "Rename" }).click();
    await expect.poll(() => page.locator("h1").textContent()).toBe("Another way");
    const listed = page.locator(".session-list a", { hasText: "Another way" });
    for (const isMeant of [false, true]) {
      await page.getByRole("button", { name: "Conversation menu" }).click();
      await page.getByRole("button", { name: "Delete" }).click();
      await expect.poll(() => listed.count()).toBe(0);
      if (isMeant) break;
      await page.getByRole("button", { name: "Undo" }).click();
      await showHistory(page, size);
      await listed.click();
      await page.locator(".message", { hasText: "Part 58:" }).waitFor();
    }
    // Leaving the page completes the deletion.
    await page.reload();
    const count = async () => (await chat.server.ask("GET", "/api/sessions")).body.sessions.length;
    await expect.poll(count).toBe(1);
    expect(problems).toEqual([]);
  });
});

describe("a conversation", () => {
  test("can be compacted with a previewed and edited summary, which can be expanded and undone", async () => {
    await using chat = await stage.serve();
    await fill(chat);
    await using opened = await stage.open(`${chat.server.url}/#/sessions/talk`);
    const { page, problems } = opened;
    const change = await previewCompaction(page);
    await page.locator("#proposal").fill("The crates stand in their sheds.");
    expect(await findAccessibilityViolations(page)).toEqual([]);
    expect((await chat.server.ask("GET", "/api/sessions/talk/summaries")).body.summaries).toEqual([]);
    await page.getByRole("button", { name: "Apply" }).click();
    await page.locator(".summary-live", { hasText: "The crates stand in their sheds." }).waitFor();
    await page.getByText("Source messages").click();
    await page.locator(".prompt-block", { hasText: "Part 1: crate 4100" }).waitFor();
    const more = writeTalk(60, (number) => `Then ${number}: crate ${number} is gone.`);
    const messages = more.map((message, index) => ({ ...message, id: `more${index}` }));
    await chat.server.ask("POST", "/api/sessions/talk/messages", { messages });
    await page.getByRole("button", { name: "Preview compaction" }).click();
    await page.locator("#proposal").fill("The crates stand in their sheds.\nAll but one.");
    await expect.poll(() => change.locator(".line-added").allTextContents()).toEqual(["+will be added: All but one."]);
    expect(await change.locator(".line-removed").count()).toBe(0);
    await page.getByRole("button", { name: "Discard" }).click();
    await page.locator(".summary-live").getByRole("button", { name: "Undo" }).click();
    await expect.poll(() => page.locator(".strip .sheet").count()).toBe(0);
    expect(problems).toEqual([]);
  });

  test("can be compacted by a command with instructions, and restored by undo", async () => {
    await using chat = await stage.serve();
    await fill(chat);
    await using opened = await stage.open(`${chat.server.url}/#/sessions/talk`);
    const { page, problems } = opened;
    await page.locator(".message", { hasText: "Part 60:" }).waitFor();
    await say(page, "/compact keep every shed");
    await page.locator(".notice", { hasText: /^Compacted: [\d,]+ → [\d,]+ tokens\.$/ }).waitFor();
    await page.locator(".strip .sheet").first().waitFor();
    await page.locator(".marker").getByRole("button", { name: "Go to the messages" }).click();
    await expect.poll(() => page.locator('.message[data-seq="1"]').getAttribute("data-fate")).toBe("summarised");
    await say(page, "/resummarize name every crate");
    const live = async () => {
      const { summaries } = (await chat.server.ask("GET", "/api/sessions/talk/summaries")).body;
      return summaries.findIndex(({ isLive }: { readonly isLive: boolean }) => isLive);
    };
    await expect.poll(live).toBe(1);
    await page.locator(".notice", { hasText: /^Summary rewritten: [\d,]+ → [\d,]+ tokens\.$/ }).waitFor();
    await expect.poll(() => page.locator(".marker").count()).toBe(2);
    await openTab(page, "Summaries");
    for (const reason of [/\. Requested manually\. /, /\. Rewrite requested manually\. /]) {
      await page.getByText(reason).first().waitFor({ state: "attached" });
    }
    await say(page, "/undo");
    await expect.poll(live).toBe(0);
    await say(page, "/undo");
    await expect.poll(() => page.locator(".strip .sheet").count()).toBe(0);
    await say(page, "/pin");
    await expect.poll(() => page.locator('.message[data-seq="59"]').getAttribute("data-fate")).toBe("pinned");
    await say(page, "/clear");
    await page.locator(".marker", { hasText: "Context cleared" }).waitFor();
    expect(problems).toEqual([]);
  });

  test("can be exported to Markdown with every message", async () => {
    await using chat = await stage.serve();
    await fill(chat);
    await chat.server.ask("POST", "/api/sessions/talk/compactions", {});
    await using opened = await stage.open(`${chat.server.url}/#/sessions/talk`);
    const { page, problems } = opened;
    await page.getByRole("button", { name: "Conversation menu" }).click();
    const saved = page.waitForEvent("download");
    await page.getByRole("button", { name: "Export as Markdown" }).click();
    const download = await saved;
    expect(download.suggestedFilename()).toBe("A-talk.md");
    const chunks: Buffer[] = [];
    for await (const chunk of await download.createReadStream()) chunks.push(Buffer.from(chunk));
    const written = Buffer.concat(chunks).toString("utf8");
    expect(written).toMatch(/^# A talk\n\n## You, .*\n\nPart 1: crate 4100/);
    for (let number = 1; number <= 60; number += 1) expect(written).toContain(`Part ${number}: crate`);
    expect(written).toMatch(/\n> \d+ messages summarized:\n/);
    expect(problems).toEqual([]);
  });

  test(shows("S0-30", "can be cleared with the bin button of the composer, and restored by undo"), async () => {
    await using chat = await stage.serve({ script: [text("Noted."), text("Noted again.")] });
    await using opened = await stage.open(chat.server.url);
    const { page, problems } = opened;
    await page.click("text=Chat");
    await say(page, "Remember the heron.");
    await page.locator(".message-assistant[data-seq]", { hasText: "Noted." }).waitFor();
    await page.locator(".composer").getByRole("button", { name: "Clear context" }).click();
    const question = page.locator('.message[data-seq="1"]');
    await expect.poll(() => question.getAttribute("data-fate")).toBe("cleared");
    await page.locator(".marker", { hasText: "Context cleared" }).waitFor();
    await say(page, "What should you remember?");
    await page.locator(".message-assistant[data-seq]", { hasText: "Noted again." }).waitFor();
    expect(JSON.stringify(chat.provider.requests.at(-1)?.body)).not.toContain("heron");
    await page.locator(".composer").getByRole("button", { name: "Undo" }).click();
    await expect.poll(() => question.getAttribute("data-fate")).toBe("verbatim");
    expect(problems).toEqual([]);
  });
});

describe("an undone change", () => {
  test("is struck out in the conversation and named in a notice", async () => {
    await using chat = await stage.serve();
    await fill(chat);
    const { ask } = chat.server;
    const { previewId } = (await ask("POST", "/api/sessions/talk/previews", {})).body;
    const edited = await ask("PATCH", `/api/sessions/talk/previews/${previewId}`, {
      text: "Crates in sheds.",
    });
    expect(edited.status).toBe(200);
    await ask("POST", `/api/sessions/talk/previews/${edited.body.previewId}/apply`, {});
    await using opened = await stage.open(`${chat.server.url}/#/sessions/talk`);
    const { page, problems } = opened;
    const marker = (words: string | RegExp) => page.locator(".marker", { hasText: words });
    await marker("messages summarized").waitFor();
    await openTab(page, "Summaries");
    await page.getByText("edited by hand. Edits are not verified.").waitFor();
    await page.getByRole("button", { name: "Preview compaction" }).click();
    await page.getByText("Nothing to summarize before the newest messages.").waitFor();
    await say(page, "/clear");
    await marker("Context cleared").waitFor();
    expect(await page.locator(".marker s").count()).toBe(0);
    await say(page, "/undo");
    await page.locator(".notice", { hasText: "Clear undone." }).waitFor();
    expect(await page.locator(".notice").count()).toBe(1);
    await marker("Undone: Context cleared").locator("s").waitFor();
    expect(await page.locator(".marker s").count()).toBe(1);
    await page.locator(".summary-live", { hasText: "Crates in sheds." }).waitFor();
    expect(await page.locator(".summary-card", { hasText: "undone" }).count()).toBe(0);
    await say(page, "/undo");
    await page.locator(".notice", { hasText: "Summary undone." }).waitFor();
    await marker(/^Undone: \d+ messages summarized/)
      .locator("s")
      .waitFor();
    await page.locator(".summary-card", { hasText: "undone" }).waitFor();
    expect(await page.locator(".summary-live").count()).toBe(0);
    expect(await findAccessibilityViolations(page)).toEqual([]);
    expect(problems).toEqual([]);
  });
});

/** long-log.test.ts does the same on a desktop. */
describe("a long log on a phone", () => {
  const size = "phone";

  test("is loaded page by page, and the search jumps to a message", async () => {
    await using chat = await stage.serve();
    const { server } = chat;
    await server.ask("POST", "/api/sessions", { id: "long", title: "A long one" });
    const lines = writeTalk(1_500, (number) => `Line ${number}${number === 40 ? " with a heron in it" : ""}.`);
    for (let first = 0; first < lines.length; first += 500) {
      const messages = lines.slice(first, first + 500);
      expect((await server.ask("POST", "/api/sessions/long/messages", { messages })).status).toBe(200);
    }
    await using opened = await stage.open(`${server.url}/#/sessions/long`, { size });
    const { page, problems } = opened;
    const newest = page.locator(".message", { hasText: "Line 1500." });
    await newest.waitFor();
    const conversation = page.locator(".conversation");
    await expect
      .poll(async () => {
        await conversation.evaluate((frame) => frame.scrollBy(0, -4_000));
        return newest.count();
      })
      .toBe(0);
    expect(await page.locator(".message").count()).toBeLessThanOrEqual(200);
    await showHistory(page, size);
    await page.getByRole("searchbox").fill("heron");
    await page.locator(".session-list a", { hasText: "heron" }).click();
    const found = page.locator(".message", { hasText: "a heron in it" });
    await found.waitFor();
    await expect.poll(() => found.evaluate((row) => row.matches(":focus"))).toBe(true);
    expect(await page.locator(".message").count()).toBeLessThanOrEqual(200);
    expect(problems).toEqual([]);
  });
});
