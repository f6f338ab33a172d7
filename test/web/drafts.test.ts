/** Text of commands, edits and summaries is kept until it is used. */
import type { Page } from "playwright-core";
import { describe, expect, test } from "vitest";
import { openTab, say, writeTalk } from "../support/page-stage.ts";
import { stagePage } from "../support/stage-page.ts";

const stage = stagePage();

const written = (page: Page) => page.inputValue("#composer");

describe("the text of a command", () => {
  test("selects the message to pin, and stays in the composer if the command had no effect", async () => {
    await using chat = await stage.serve();
    await chat.server.ask("POST", "/api/sessions", { id: "talk", title: "A talk" });
    const messages = writeTalk(6, (number) => (number === 3 ? "The heron stands on pier three." : `Number ${number}`));
    await chat.server.ask("POST", "/api/sessions/talk/messages", { messages });
    await using opened = await stage.open(`${chat.server.url}/#/sessions/talk`);
    const { page, problems } = opened;
    await page.locator(".message-assistant[data-seq]").first().waitFor();
    for (const wordy of ["/clear the harbour", "/undo that please"]) {
      await say(page, wordy);
      await page.getByText(`${wordy.split(" ")[0]} takes no text.`).waitFor();
      expect(await written(page)).toBe(wordy);
    }
    expect(await page.locator(".notice").count()).toBe(0);
    await say(page, "/pin heron stands");
    await page.locator(".notice", { hasText: "Message 3: “The heron stands on pier three.”" }).waitFor();
    await expect.poll(() => page.locator('.message[data-seq="3"]').getAttribute("data-fate")).toBe("pinned");
    expect(await written(page)).toBe("");
    for (const [command, notice] of [
      ["/pin walrus", "no message has this text"],
      ["/resummarize name every pier", "Not rewritten. There is no summary yet."],
      ["/compact keep every pier", "Not compacted. Nothing to summarize before the newest messages."],
    ] as const) {
      await say(page, command);
      await page.locator(".notice", { hasText: notice }).waitFor();
      await expect.poll(() => written(page)).toBe(command);
    }
    expect(problems).toEqual([]);
    await page.route("**/compactions", (route) => route.abort());
    await page.press("#composer", "Enter");
    await page.locator(".notice-failed").waitFor();
    await expect.poll(() => written(page)).toBe("/compact keep every pier");
  });
});

describe("an edited message", () => {
  test("survives a reload of the page until the edit is canceled", async () => {
    await using chat = await stage.serve();
    await chat.server.ask("POST", "/api/sessions", { id: "talk", title: "A talk" });
    await chat.server.ask("POST", "/api/sessions/talk/messages", {
      messages: writeTalk(2, (number) => `Zebra ${number}`),
    });
    await using opened = await stage.open(`${chat.server.url}/#/sessions/talk`);
    const { page, problems } = opened;
    const edit = async () => {
      await page.locator(".message-user[data-seq]").hover();
      await page.getByRole("button", { name: "Edit" }).click();
      await page.locator(".editing").waitFor();
    };
    await edit();
    await page.fill("#composer", "Zebra, but striped");
    await page.reload();
    await edit();
    await expect.poll(() => written(page)).toBe("Zebra, but striped");
    await page.getByRole("button", { name: "Cancel" }).click();
    await edit();
    await expect.poll(() => written(page)).toBe("Zebra 1");
    expect(problems).toEqual([]);
  });
});

describe("an edited summary", () => {
  test("survives a switch of panels, a reload, and a change of the conversation", async () => {
    await using chat = await stage.serve();
    await chat.server.ask("POST", "/api/sessions", { id: "talk", title: "A talk" });
    const messages = writeTalk(60, (number) => `Message number ${number}. ${"Words here. ".repeat(40)}`);
    await chat.server.ask("POST", "/api/sessions/talk/messages", { messages });
    await using opened = await stage.open(`${chat.server.url}/#/sessions/talk`);
    const { page } = opened;
    await openTab(page, "Summaries");
    const previewButton = page.getByRole("button", { name: "Preview compaction" });
    await previewButton.click();
    await page.fill("#proposal", "Ten minutes of careful words.");
    await page.getByRole("tab", { name: "Usage" }).click();
    await page.getByRole("tab", { name: "Summaries" }).click();
    expect(await page.inputValue("#proposal")).toBe("Ten minutes of careful words.");
    await page.reload();
    await openTab(page, "Summaries");
    expect(await page.inputValue("#proposal")).toBe("Ten minutes of careful words.");

    // The page reports the change when it is opened again.
    await chat.server.ask("POST", "/api/sessions/talk/pins", { messageId: "m3" });
    await page.reload();
    await openTab(page, "Summaries");
    await page
      .getByText("The conversation changed while this was prepared. Preview again; your text is kept.")
      .waitFor();
    await page.getByText("Your earlier text is kept for the next preview").click();
    await page.locator(".compaction-preview").getByText("Ten minutes of careful words.").waitFor();
    await previewButton.click();
    await page.getByRole("button", { name: "Use earlier text" }).click();
    expect(await page.inputValue("#proposal")).toBe("Ten minutes of careful words.");
    await page.getByRole("button", { name: "Apply" }).click();
    const live = page.locator(".summary-live");
    await live.getByText("Ten minutes of careful words.").waitFor();

    await live.getByRole("button", { name: "Edit" }).click();
    await live.locator("textarea").fill("Other words by hand.");
    await page.reload();
    await openTab(page, "Summaries");
    expect(await live.locator("textarea").inputValue()).toBe("Other words by hand.");
    await live.getByRole("button", { name: "Save" }).click();
    await live.getByText("Other words by hand.").waitFor();
    await expect.poll(() => live.locator("textarea").count()).toBe(0);
  });
});
