/** Messages and drafts survive lost connections, other windows, late reads and reloads. */
import type { Page } from "playwright-core";
import { describe, expect, test } from "vitest";
import { say, writeTalk } from "../support/page-stage.ts";
import type { ProviderScript } from "../support/scripted-provider.ts";
import { scriptedReplies } from "../support/scripted-provider-reply.ts";
import { stagePage } from "../support/stage-page.ts";
import { logOf } from "../support/start-chat.ts";

const { text, held, unauthorised } = scriptedReplies;
const stage = stagePage();

const CHAT = "**/api/chat";
const written = (page: Page) => page.inputValue("#composer");
const answers = (page: Page) => page.locator(".message-assistant[data-seq]");
const tryAgain = (page: Page) => page.getByRole("button", { name: "Try again" });

async function cutLine(page: Page): Promise<void> {
  await page.route(CHAT, (route) => (route.request().method() === "POST" ? route.abort() : route.continue()));
}

describe("a message that could not be sent", () => {
  test("can be sent by a retry, even after a message without an answer, and stays in view if the log is read late", async () => {
    const replies = [unauthorised(), text("Both are here."), text("And the third.")];
    const script: ProviderScript = () => replies.shift() ?? text("Again.");
    await using chat = await stage.serve({ script });
    await using opened = await stage.openTalk(chat);
    const { page } = opened;
    await say(page, "The first one.");
    await tryAgain(page).waitFor();
    await cutLine(page);
    await say(page, "The second one.");
    await page.getByRole("alert").getByText("connection was lost").waitFor();
    await page.unroute(CHAT);
    await tryAgain(page).click();
    await answers(page).getByText("Both are here.").waitFor();
    expect(await logOf(chat.server, "talk")).toEqual([
      "user: The first one.",
      "user: The second one.",
      "assistant: Both are here.",
    ]);

    const { promise: mayRead, resolve: letRead } = Promise.withResolvers<void>();
    await page.route("**/entries*", async (route) => {
      await mayRead;
      await route.continue();
    });
    await say(page, "The third one.");
    await page.locator(".message-assistant", { hasText: "And the third." }).waitFor();
    await page.getByRole("button", { name: "Send" }).waitFor();
    await cutLine(page);
    await say(page, "The fourth one.");
    await tryAgain(page).waitFor();
    letRead();
    await answers(page).getByText("And the third.").waitFor();
    expect(await page.locator(".message-user .plain-text").allTextContents()).toContain("The fourth one.");
    expect(opened.problems.filter((problem) => problem.startsWith("script:"))).toEqual([]);

    // After a reload the message is in the composer.
    await page.reload();
    await expect.poll(() => written(page)).toBe("The fourth one.");
    await page.unroute(CHAT);
    await page.press("#composer", "Enter");
    await expect.poll(() => answers(page).count()).toBe(3);
    expect((await logOf(chat.server, "talk")).at(-2)).toBe("user: The fourth one.");
    expect(await written(page)).toBe("");
  });

  test("is restored with the reason if it is too large for the server", async () => {
    await using chat = await stage.serve();
    await using opened = await stage.openTalk(chat);
    const { page } = opened;
    const long = "y".repeat(1_100_000);
    await say(page, long);
    await page.locator(".notice-failed").waitFor();
    await expect.poll(async () => (await written(page)).length).toBe(long.length);
    expect(await page.locator(".message").count()).toBe(0);
  });
});

describe("a draft", () => {
  test("survives a change of conversation, an edit and a reload until it is sent", async () => {
    await using chat = await stage.serve({ script: () => text("So it is.") });
    await chat.server.ask("POST", "/api/sessions", { id: "other", title: "Another" });
    await chat.server.ask("POST", "/api/sessions", { id: "talk", title: "A talk" });
    const messages = writeTalk(4, (number) => `Zebra number ${number}`);
    await chat.server.ask("POST", "/api/sessions/talk/messages", { messages });
    await using opened = await stage.open(`${chat.server.url}/#/sessions/talk`);
    const { page, problems } = opened;
    await answers(page).first().waitFor();
    await page.fill("#composer", "Half a thought");
    await page.goto(`${chat.server.url}/#/sessions/talk/2`);
    await answers(page).first().waitFor();
    expect(await written(page)).toBe("Half a thought");
    await page.goto(`${chat.server.url}/#/sessions/other`);
    await page.getByRole("heading", { name: "Write a message" }).waitFor();
    expect(await written(page)).toBe("");
    await page.goto(`${chat.server.url}/#/sessions/talk`);
    await answers(page).first().waitFor();
    await page.locator(".message-user").first().hover();
    await page.getByRole("button", { name: "Edit" }).first().click();
    await expect.poll(() => written(page)).toBe("Zebra number 1");
    await page.fill("#composer", "Zebra, but other");
    await page.getByRole("button", { name: "Cancel" }).click();
    await expect.poll(() => written(page)).toBe("Half a thought");
    await page.reload();
    await expect.poll(() => written(page)).toBe("Half a thought");
    await page.press("#composer", "Enter");
    await answers(page).getByText("So it is.").waitFor();
    await page.reload();
    await answers(page).getByText("So it is.").waitFor();
    expect(await written(page)).toBe("");
    expect(problems).toEqual([]);
  });
});

describe("a missing conversation", () => {
  test("accepts no message, and offers to move the draft to a new one", async () => {
    await using chat = await stage.serve({ script: () => text("Here I am.") });
    await using opened = await stage.openTalk(chat);
    const { page } = opened;
    await say(page, "Hello.");
    await answers(page).waitFor();
    // Without events the page does not know about the deletion.
    await page.route("**/api/events*", (route) => route.abort());
    await page.reload();
    await answers(page).waitFor();
    await chat.server.ask("DELETE", "/api/sessions/talk");
    await say(page, "An unsent message.");
    await page.getByRole("alert").getByText("This conversation does not exist").waitFor();
    expect((await chat.server.ask("GET", "/api/sessions/talk")).status).toBe(404);
    await page.getByRole("button", { name: "Move draft to a new conversation" }).click();
    await page.getByRole("heading", { name: "Write a message" }).waitFor();
    expect(await written(page)).toBe("An unsent message.");
    await page.press("#composer", "Enter");
    await answers(page).getByText("Here I am.").waitFor();
    await page.goto(`${chat.server.url}/#/sessions/never-was`);
    await page.getByRole("alert").getByText("This conversation does not exist").waitFor();
    expect(await page.isDisabled("#composer")).toBe(true);
  });
});

describe("a second window", () => {
  test("follows an answer of the first window, keeps its own draft, and can stop the answer", async () => {
    const script: ProviderScript = (_request, index) =>
      index === 0 ? held("Slowly it goes. ".repeat(200), new Promise(() => undefined)) : text("Now to you.");
    await using chat = await stage.serve({ script });
    await using first = await stage.openTalk(chat);
    await using second = await stage.open(`${chat.server.url}/#/sessions/talk`);
    await second.page.getByRole("heading", { name: "Write a message" }).waitFor();
    await say(first.page, "Tell me slowly.");
    await second.page.locator(".message-assistant", { hasText: "Slowly it goes." }).waitFor();
    await second.page.getByText("Another window requested this answer").waitFor();
    expect(await tryAgain(second.page).count()).toBe(0);
    await say(second.page, "And me?");
    expect(await written(second.page)).toBe("And me?");
    await second.page.getByRole("button", { name: "Stop" }).click();
    for (const { page } of [first, second]) {
      await answers(page).getByText("Slowly it goes.").waitFor();
      await page.getByRole("button", { name: "Send" }).waitFor();
    }
    await second.page.press("#composer", "Enter");
    await answers(second.page).getByText("Now to you.").waitFor();
    expect(second.problems).toEqual([]);
  });

  test("that gets no events keeps its rejected message, shows the first window's answer, and then sends the message", async () => {
    const { promise: rest, resolve: goOn } = Promise.withResolvers<void>();
    const script: ProviderScript = (_request, index) =>
      index === 0 ? held("Slowly it goes. ".repeat(8), rest) : text("Now to you.");
    await using chat = await stage.serve({ script });
    await using first = await stage.openTalk(chat);
    await using second = await stage.open(chat.server.url);
    const { page } = second;
    await page.route("**/api/events*", (route) => route.abort());
    await page.goto(`${chat.server.url}/#/sessions/talk`);
    await page.reload();
    await page.getByRole("heading", { name: "Write a message" }).waitFor();
    await say(first.page, "Tell me slowly.");
    await first.page.locator(".message-assistant", { hasText: "Slowly it goes." }).waitFor();
    await say(page, "Something precious.");
    await page.locator(".message-assistant", { hasText: "Slowly it goes." }).waitFor();
    goOn();
    await page.getByText("The last message was not sent.").waitFor();
    await tryAgain(page).click();
    await answers(page).getByText("Now to you.").waitFor();
    const log = (await logOf(chat.server, "talk")).map((line) => line.slice(0, 25));
    expect(log).toEqual([
      "user: Tell me slowly.",
      "assistant: Slowly it goes",
      "user: Something precious.",
      "assistant: Now to you.",
    ]);
  });
});

test("a window keeps the scroll position when another client appends", async () => {
  await using chat = await stage.serve();
  await chat.server.ask("POST", "/api/sessions", { id: "talk", title: "A long talk" });
  const messages = writeTalk(300, (number) => `Message number ${number}. ${"Words here. ".repeat(20)}`);
  for (let from = 0; from < 300; from += 100) {
    const part = messages.slice(from, from + 100);
    await chat.server.ask("POST", "/api/sessions/talk/messages", { messages: part });
  }
  await using opened = await stage.open(`${chat.server.url}/#/sessions/talk/40`);
  const { page, problems } = opened;
  const row = page.locator('.message[data-seq="40"]');
  await row.waitFor();
  await expect.poll(async () => Math.round((await row.boundingBox())?.y ?? 0)).toBeLessThan(300);
  const before = await row.boundingBox();
  const read = page.waitForResponse((response) => response.url().includes("/entries"));
  const history = [{ id: "new", role: "assistant", content: "A new message." }];
  await chat.server.ask("POST", "/api/sessions/talk/messages", { messages: history });
  await read;
  await page.waitForTimeout(200);
  expect((await row.boundingBox())?.y).toBeCloseTo(before?.y ?? 0, 0);
  expect(problems).toEqual([]);
});
