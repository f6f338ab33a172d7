/** What somebody writes into the page besides messages is there until it has done what it was written for. */
import type { Page } from "playwright-core";
import { describe, expect, test } from "vitest";
import { openTab, say, writeTalk } from "../support/page-stage.ts";
import { stagePage } from "../support/stage-page.ts";

const stage = stagePage();

const written = (page: Page) => page.inputValue("#composer");

describe("words after a command", () => {
  test("name what is pinned, and come back where nothing came of them", async () => {
    await using chat = await stage.serve();
    await chat.server.ask("POST", "/api/sessions", { id: "talk", title: "A talk" });
    const messages = writeTalk(6, (number) => (number === 3 ? "The heron stands on pier three." : `Number ${number}`));
    await chat.server.ask("POST", "/api/sessions/talk/messages", { messages });
    await using opened = await stage.open(`${chat.server.url}/#/sessions/talk`);
    const { page, problems } = opened;
    await page.locator(".message-assistant[data-seq]").first().waitFor();
    for (const wordy of ["/clear the harbour", "/undo that please"]) {
      await say(page, wordy);
      await page.getByText(`${wordy.split(" ")[0]} takes no words.`).waitFor();
      expect(await written(page)).toBe(wordy);
    }
    expect(await page.locator(".notice").count()).toBe(0);
    await say(page, "/pin heron stands");
    await page.locator(".notice", { hasText: "Message 3: “The heron stands on pier three.”" }).waitFor();
    await expect.poll(() => page.locator('.message[data-seq="3"]').getAttribute("data-fate")).toBe("pinned");
    expect(await written(page)).toBe("");
    for (const [vain, said] of [
      ["/pin walrus", "nobody said these words here"],
      ["/compact keep every pier", "Nothing was folded."],
    ] as const) {
      await say(page, vain);
      await page.locator(".notice", { hasText: said }).waitFor();
      await expect.poll(() => written(page)).toBe(vain);
    }
    expect(problems).toEqual([]);
    await page.route("**/compactions", (route) => route.abort());
    await page.press("#composer", "Enter");
    await page.locator(".notice-failed").waitFor();
    await expect.poll(() => written(page)).toBe("/compact keep every pier");
  });
});

describe("a message that is said anew", () => {
  test("is there as it was changed when the page is loaded again, until it is left", async () => {
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
    await page.getByRole("button", { name: "Leave it" }).click();
    await edit();
    await expect.poll(() => written(page)).toBe("Zebra 1");
    expect(problems).toEqual([]);
  });
});

describe("a summary that somebody changes by hand", () => {
  test("is kept beside another tab, by a page that is loaded again, and after a changed past", async () => {
    await using chat = await stage.serve();
    await chat.server.ask("POST", "/api/sessions", { id: "talk", title: "A talk" });
    const messages = writeTalk(60, (number) => `Message number ${number}. ${"Words here. ".repeat(40)}`);
    await chat.server.ask("POST", "/api/sessions/talk/messages", { messages });
    await using opened = await stage.open(`${chat.server.url}/#/sessions/talk`);
    const { page } = opened;
    await openTab(page, "Summaries");
    const look = page.getByRole("button", { name: "Preview a compaction" });
    await look.click();
    await page.fill("#proposal", "Ten minutes of careful words.");
    await page.getByRole("tab", { name: "Usage" }).click();
    await page.getByRole("tab", { name: "Summaries" }).click();
    expect(await page.inputValue("#proposal")).toBe("Ten minutes of careful words.");
    await page.reload();
    await openTab(page, "Summaries");
    expect(await page.inputValue("#proposal")).toBe("Ten minutes of careful words.");

    // It is told at once, to whoever looks and to whoever comes back.
    await chat.server.ask("POST", "/api/sessions/talk/pins", { messageId: "m3" });
    await page.reload();
    await openTab(page, "Summaries");
    await page.getByText("The conversation changed meanwhile; look again. What you wrote is kept.").waitFor();
    await page.getByText("What you wrote before is offered with the next proposal").click();
    await page.locator(".compaction-preview").getByText("Ten minutes of careful words.").waitFor();
    await look.click();
    await page.getByRole("button", { name: "Use what you wrote before" }).click();
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
