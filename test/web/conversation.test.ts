/** What is done with a conversation as a whole: folded, started over, forked, renamed, deleted, and read from its end. */
import { describe, expect, test } from "vitest";
import { scriptedReplies } from "../../src/testing/scripted-provider-reply.ts";
import { shows } from "../../src/testing/shows.ts";
import { findBarriers } from "../support/open-page.ts";
import { BOTH_SIZES, openTab, reach, say, showHistory, writeTalk } from "../support/page-stage.ts";
import { stagePage } from "../support/stage-page.ts";
import type { StartedChat } from "../support/start-chat.ts";

const { text } = scriptedReplies;
const stage = stagePage();

/** Long enough to have something to fold. */
async function fill(chat: StartedChat): Promise<void> {
  await chat.server.ask("POST", "/api/sessions", { id: "talk", title: "A talk" });
  const messages = writeTalk(60, (number) => `Part ${number}: crate ${4_099 + number} stands in shed ${number % 7}.`);
  expect((await chat.server.ask("POST", "/api/sessions/talk/messages", { messages })).status).toBe(200);
}

describe.each(BOTH_SIZES)("a conversation on a %s", (size) => {
  test("is folded as it was previewed and edited, opened where it was folded, and unfolded again", async () => {
    await using chat = await stage.serve();
    await fill(chat);
    await using opened = await stage.open(`${chat.server.url}/#/sessions/talk`, { size });
    const { page, problems } = opened;
    await openTab(page, "Summaries");
    await page.getByLabel("What the summary should keep in mind").fill("every shed");
    await page.getByRole("button", { name: "Preview a compaction" }).click();
    await page.getByText(/[\d,]+ → [\d,]+ tokens: \d+ messages folded/).waitFor();
    const change = page.getByRole("region", { name: "What would change" });
    await change.getByText(/− \d+ messages would be folded/).click();
    await change.locator(".prompt-block", { hasText: "Part 1: crate 4100" }).waitFor();
    expect(await change.locator(".prompt-block", { hasText: "Part 60:" }).count()).toBe(0);
    // However long the difference is, what can be done with it is on the screen.
    for (const end of [".inspector-body > *", ".difference .prompt-block:last-child"]) {
      await page.locator(end).last().scrollIntoViewIfNeeded();
      for (const name of ["Apply", "Leave it"]) {
        const box = await page.getByRole("button", { name }).boundingBox();
        const { height } = page.viewportSize() ?? { height: 0 };
        expect(box).not.toBeNull();
        expect((box?.y ?? height) + (box?.height ?? 0)).toBeLessThanOrEqual(height);
      }
    }
    await page.locator("#proposal").fill("The crates stand in their sheds.");
    expect(await findBarriers(page)).toEqual([]);
    expect((await chat.server.ask("GET", "/api/sessions/talk/summaries")).body.summaries).toEqual([]);
    await page.getByRole("button", { name: "Apply" }).click();
    await page.locator(".summary-live", { hasText: "The crates stand in their sheds." }).waitFor();
    await page.getByText("What it was made from").click();
    await page.locator(".prompt-block", { hasText: "Part 1: crate 4100" }).waitFor();
    const more = writeTalk(60, (number) => `Then ${number}: crate ${number} is gone.`);
    const messages = more.map((message, index) => ({ ...message, id: `more${index}` }));
    await chat.server.ask("POST", "/api/sessions/talk/messages", { messages });
    await page.getByRole("button", { name: "Preview a compaction" }).click();
    await page.locator("#proposal").fill("The crates stand in their sheds.\nAll but one.");
    await expect.poll(() => change.locator(".line-came").allTextContents()).toEqual(["+would come: All but one."]);
    expect(await change.locator(".line-went").count()).toBe(0);
    await page.getByRole("button", { name: "Leave it" }).click();
    await page.locator(".summary-live").getByRole("button", { name: "Undo" }).click();
    await expect.poll(() => page.locator(".strip .sheet").count()).toBe(0);
    expect(problems).toEqual([]);
  });

  test("is folded by a command, with the words for it, and unfolded by another", async () => {
    await using chat = await stage.serve();
    await fill(chat);
    await using opened = await stage.open(`${chat.server.url}/#/sessions/talk`, { size });
    const { page, problems } = opened;
    await page.locator(".message", { hasText: "Part 60:" }).waitFor();
    await say(page, "/compact keep every shed");
    await page.locator(".notice", { hasText: /^Folded: [\d,]+ → [\d,]+ tokens\.$/ }).waitFor();
    await page.locator(".strip .sheet").first().waitFor();
    await page.locator(".marker").getByRole("button", { name: "Go to what it covers" }).click();
    await expect.poll(() => page.locator('.message[data-seq="1"]').getAttribute("data-fate")).toBe("summarised");
    await say(page, "/resummarize name every crate");
    const live = async () => {
      const { summaries } = (await chat.server.ask("GET", "/api/sessions/talk/summaries")).body;
      return summaries.findIndex(({ isLive }: { readonly isLive: boolean }) => isLive);
    };
    await expect.poll(live).toBe(1);
    await expect.poll(() => page.locator(".marker").count()).toBe(2);
    await say(page, "/undo");
    await expect.poll(live).toBe(0);
    await say(page, "/undo");
    await expect.poll(() => page.locator(".strip .sheet").count()).toBe(0);
    await say(page, "/pin");
    await expect.poll(() => page.locator('.message[data-seq="59"]').getAttribute("data-fate")).toBe("pinned");
    await say(page, "/clear");
    await page.locator(".marker", { hasText: "Started over" }).waitFor();
    expect(problems).toEqual([]);
  });

  test("is saved as a file of Markdown, every word of it", async () => {
    await using chat = await stage.serve();
    await fill(chat);
    await chat.server.ask("POST", "/api/sessions/talk/compactions", {});
    await using opened = await stage.open(`${chat.server.url}/#/sessions/talk`, { size });
    const { page, problems } = opened;
    await page.getByRole("button", { name: "This conversation" }).click();
    const saved = page.waitForEvent("download");
    await page.getByRole("button", { name: "Export as Markdown" }).click();
    const download = await saved;
    expect(download.suggestedFilename()).toBe("A-talk.md");
    const chunks: Buffer[] = [];
    for await (const chunk of await download.createReadStream()) chunks.push(Buffer.from(chunk));
    const written = Buffer.concat(chunks).toString("utf8");
    expect(written).toMatch(/^# A talk\n\n## You, .*\n\nPart 1: crate 4100/);
    for (let number = 1; number <= 60; number += 1) expect(written).toContain(`Part ${number}: crate`);
    expect(written).toMatch(/\n> Folded \d+ messages:\n/);
    expect(problems).toEqual([]);
  });

  test("is forked at a message, renamed, and deleted with a way back", async () => {
    await using chat = await stage.serve();
    await fill(chat);
    await using opened = await stage.open(`${chat.server.url}/#/sessions/talk`, { size });
    const { page, problems } = opened;
    const last = page.locator(".message", { hasText: "Part 58:" });
    await reach(last, size);
    await last.getByRole("button", { name: "Fork" }).click();
    await expect.poll(() => page.url()).not.toMatch(/\/talk$/);
    await page.locator(".message", { hasText: "Part 58:" }).waitFor();
    expect(await page.locator(".message", { hasText: "Part 59:" }).count()).toBe(0);
    await page.getByRole("button", { name: "This conversation" }).click();
    await page.getByLabel("Title").fill("Another way");
    await page.getByRole("button", { name: "Rename" }).click();
    await expect.poll(() => page.locator("h1").textContent()).toBe("Another way");
    const listed = page.locator(".session-list a", { hasText: "Another way" });
    for (const isMeant of [false, true]) {
      await page.getByRole("button", { name: "This conversation" }).click();
      await page.getByRole("button", { name: "Delete" }).click();
      await expect.poll(() => listed.count()).toBe(0);
      if (isMeant) break;
      await page.getByRole("button", { name: "Undo" }).click();
      await showHistory(page, size);
      await listed.click();
      await page.locator(".message", { hasText: "Part 58:" }).waitFor();
    }
    // Leaving the page is as good as waiting: what was deleted does not come back.
    await page.reload();
    const count = async () => (await chat.server.ask("GET", "/api/sessions")).body.sessions.length;
    await expect.poll(count).toBe(1);
    expect(problems).toEqual([]);
  });

  test(
    shows("S0-30", "is started over by the button with the bin in the input's toolbar, and brought back"),
    async () => {
      await using chat = await stage.serve({ script: [text("Noted."), text("Noted again.")] });
      await using opened = await stage.open(chat.server.url, { size });
      const { page, problems } = opened;
      await page.click("text=Chat");
      await say(page, "Remember the heron.");
      await page.locator(".message-assistant[data-seq]", { hasText: "Noted." }).waitFor();
      await page.locator(".composer").getByRole("button", { name: "Clear context" }).click();
      const asked = page.locator('.message[data-seq="1"]');
      await expect.poll(() => asked.getAttribute("data-fate")).toBe("cleared");
      await page.locator(".marker", { hasText: "Started over" }).waitFor();
      await say(page, "What should you remember?");
      await page.locator(".message-assistant[data-seq]", { hasText: "Noted again." }).waitFor();
      expect(JSON.stringify(chat.provider.requests.at(-1)?.body)).not.toContain("heron");
      await page.locator(".composer").getByRole("button", { name: "Undo" }).click();
      await expect.poll(() => asked.getAttribute("data-fate")).toBe("verbatim");
      expect(problems).toEqual([]);
    },
  );
});

describe("what was undone", () => {
  test("is struck out where it stood, and the notice says what was taken back", async () => {
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
    await marker("folded into one summary").waitFor();
    await openTab(page, "Summaries");
    await page.getByText("edited by hand. Somebody asked for it. What somebody writes is not checked.").waitFor();
    await page.getByRole("button", { name: "Preview a compaction" }).click();
    await page.getByText("Everything old is folded already, and the newest messages stay word for word.").waitFor();
    await say(page, "/clear");
    await marker("Started over").waitFor();
    expect(await page.locator(".marker s").count()).toBe(0);
    await say(page, "/undo");
    await page.locator(".notice", { hasText: "Taken back: starting over." }).waitFor();
    expect(await page.locator(".notice").count()).toBe(1);
    await marker("Taken back: Started over").locator("s").waitFor();
    expect(await page.locator(".marker s").count()).toBe(1);
    await page.locator(".summary-live", { hasText: "Crates in sheds." }).waitFor();
    expect(await page.locator(".summary-card", { hasText: "taken back" }).count()).toBe(0);
    await say(page, "/undo");
    await page.locator(".notice", { hasText: "Taken back: the summary." }).waitFor();
    await marker(/^Taken back: \d+ messages folded/)
      .locator("s")
      .waitFor();
    await page.locator(".summary-card", { hasText: "taken back" }).waitFor();
    expect(await page.locator(".summary-live").count()).toBe(0);
    expect(await findBarriers(page)).toEqual([]);
    expect(problems).toEqual([]);
  });
});

/** How it is on a desktop is shown with a longer one, in large.test.ts. */
describe("a long log on a phone", () => {
  const size = "phone";

  test("is held in part, read page by page, and searched to the place", async () => {
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
