/** Deletions with forks, branches that fail, summaries edited by hand, hidden windows, dropped files and exports. */
import { readFileSync } from "node:fs";
import type { Page } from "playwright-core";
import { expect, test } from "vitest";
import { findAccessibilityViolations } from "../support/open-page.ts";
import { openTab, say, showMessageButtons, writeTalk } from "../support/page-stage.ts";
import { scriptedReplies } from "../support/scripted-provider-reply.ts";
import { stagePage } from "../support/stage-page.ts";

const stage = stagePage();

const PIXEL = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==";
const KEY = `ghp_${"aB3dE5gH7jK9mN1pQ3sT5vW7xY9zA1bC3dE5"}`;

test("a conversation with forks is deleted together with its forks or not at all, and a failed deletion is reported", async () => {
  await using chat = await stage.serve();
  await using opened = await stage.openTalk(chat);
  const { page, problems } = opened;
  const { ask } = chat.server;
  await ask("POST", "/api/sessions/talk/messages", { messages: writeTalk(2, (number) => `Words ${number}`) });
  const fork = (await ask("POST", "/api/sessions/talk/forks", {})).body.id;
  await pressDelete(page);
  await page.getByText("Not deleted: A talk. It has forks").waitFor();
  await page.getByRole("button", { name: "Cancel" }).click();
  expect((await ask("GET", "/api/sessions/talk")).status).toBe(200);
  await page.locator(".session-list").getByText("A talk").first().click();
  await pressDelete(page);
  await page.getByRole("button", { name: "Delete with forks" }).waitFor();
  expect(await findAccessibilityViolations(page)).toEqual([]);
  await page.getByRole("button", { name: "Delete with forks" }).click();
  const status = async (id: string) => (await ask("GET", `/api/sessions/${id}`)).status;
  await expect.poll(() => status("talk")).toBe(404);
  expect(await status(fork)).toBe(404);
  expect(problems).toEqual([]);
  await ask("POST", "/api/sessions", { id: "kept", title: "A kept one" });
  await page.route("**/api/sessions/kept?*", (route) =>
    route.request().method() === "DELETE"
      ? route.fulfill({ status: 507, contentType: "application/json", body: refusal("The store is away.") })
      : route.fallback(),
  );
  await page.goto(`${chat.server.url}/#/sessions/kept`);
  await pressDelete(page);
  await page.getByText("Deleted: A kept one").waitFor();
  // The event completes the deletion while the page stays open.
  await page.evaluate("window.dispatchEvent(new Event('pagehide'))");
  await page.getByText("Not deleted: A kept one. The store is away.").waitFor();
  await page.locator(".session-list").getByText("A kept one").waitFor();
});

test("a branch uses the chosen model, is created once on a double click, and is removed if its request fails", async () => {
  await using chat = await stage.serve({
    script: (_, index) => scriptedReplies.text(`Reply ${index}.`),
    other: { id: "anthropic", wire: "anthropic" },
  });
  await using opened = await stage.openTalk(chat);
  const { page } = opened;
  const asked = () => chat.provider.requests.at(-1)?.body.model;
  const replies = page.locator(".message-assistant[data-seq]");
  await page.getByLabel("Model").selectOption("anthropic");
  await page.getByLabel("Images", { exact: true }).setInputFiles(pixel());
  await page.getByRole("button", { name: "Remove dot.png" }).waitFor();
  await say(page, "Who are you?");
  await replies.waitFor();
  await page.reload();
  await replies.waitFor();
  await expect.poll(() => page.getByLabel("Model").inputValue()).toBe("anthropic");
  const forks = async () => (await chat.server.ask("GET", "/api/sessions/talk/forks")).body.sessions.length;
  let isAway = true;
  await page.route("**/images", (route) =>
    isAway && route.request().method() === "PUT"
      ? route.fulfill({ status: 507, contentType: "application/json", body: refusal("The store is away.") })
      : route.fallback(),
  );
  await showMessageButtons(replies);
  await replies.getByRole("button", { name: "Regenerate" }).click();
  await page.locator(".notice-failed", { hasText: "The store is away." }).waitFor();
  expect(await forks()).toBe(0);
  isAway = false;
  await showMessageButtons(replies);
  await replies.getByRole("button", { name: "Regenerate" }).dblclick();
  await page.waitForURL((url) => !url.hash.endsWith("/talk"));
  await replies.waitFor();
  expect(asked()).toBe("claude-haiku-4-5");
  expect(await page.getByLabel("Model").inputValue()).toBe("anthropic");
  expect(await forks()).toBe(1);
});

test("the live summary can be edited, regenerated and undone", async () => {
  await using chat = await stage.serve();
  await using opened = await stage.openTalk(chat);
  const { page, problems } = opened;
  const { ask } = chat.server;
  await ask("POST", "/api/sessions/talk/messages", {
    messages: writeTalk(60, (number) => `Point ${number}. ${"Words in here. ".repeat(20)}`),
  });
  await ask("POST", "/api/sessions/talk/compactions", {});
  const live = async () =>
    (await ask("GET", "/api/sessions/talk/summaries")).body.summaries.find((each: Version) => each.isLive)?.record;
  const first: { readonly id: string } = await live();
  await openTab(page, "Summaries");
  const card = page.locator(".summary-live");
  await card.getByRole("button", { name: "Edit" }).click();
  const field = card.getByLabel("Text that the model reads");
  await field.fill("They walked to the lighthouse.");
  expect(await findAccessibilityViolations(page)).toEqual([]);
  await card.getByRole("button", { name: "Save" }).click();
  await page.getByText("Saved: the model reads this text from now on.").waitFor();
  await card.getByText("They walked to the lighthouse.").waitFor();
  const edited = await live();
  expect(edited.text).toBe("They walked to the lighthouse.");
  await ask("POST", "/api/sessions/talk/pins", { messageId: "m58" });
  await card.getByRole("button", { name: "Undo" }).click();
  await page.getByText("There is a newer change.").waitFor();
  expect((await live()).id).toBe(edited.id);
  const { fate } = (await ask("GET", "/api/sessions/talk/messages/m58/explanation")).body;
  expect(fate).toBe("pinned");
  await ask("POST", "/api/sessions/talk/undo", {});
  await card.getByRole("button", { name: "Undo" }).click();
  await expect.poll(async () => (await live()).id).toBe(first.id);
  await expect.poll(() => card.getByText("They walked to the lighthouse.").count()).toBe(0);
  await card.getByRole("button", { name: "Regenerate" }).click();
  await expect.poll(async () => (await live()).id).not.toBe(first.id);
  expect(problems).toEqual([]);
});

test("a hidden page closes its event stream, and catches up when it is visible again", async () => {
  await using chat = await stage.serve();
  await using opened = await stage.openTalk(chat, { hasOwnClock: true });
  const { page, problems } = opened;
  const { ask } = chat.server;
  const streams = async () =>
    /palimpsest_active_streams\{kind="events"\} (\d+)/.exec((await ask("GET", "/metrics")).body)?.[1];
  await expect.poll(streams).toBe("1");
  await setHidden(page, true);
  await page.clock.fastForward(3_000);
  await expect.poll(streams).toBe("0");
  await ask("POST", "/api/sessions/talk/messages", { messages: writeTalk(2, (number) => `Told meanwhile ${number}`) });
  await setHidden(page, false);
  await page.getByText("Told meanwhile 2").waitFor();
  await expect.poll(streams).toBe("1");
  await ask("DELETE", "/api/sessions/talk/messages/m1");
  await page.getByText("The text of this message was deleted.").waitFor();
  expect(await page.locator("main").getByText("Told meanwhile 1").count()).toBe(0);
  expect(problems).toEqual([]);
});

test("a dropped file is accepted anywhere: images for the message, transcripts as conversations", async () => {
  await using chat = await stage.serve();
  await using opened = await stage.openTalk(chat);
  const { page, problems } = opened;
  const { ask } = chat.server;
  await ask("POST", "/api/sessions/talk/messages", { messages: writeTalk(2, (number) => `Words ${number}`) });
  await page.locator(".message").first().waitFor();
  expect(await drop(page, { name: "dot.png", type: "image/png", base64: PIXEL })).toEqual([true, true]);
  await page.getByRole("button", { name: "Remove dot.png" }).waitFor();
  const node = (content: object) => ({ a: { parent: null, message: { author: { role: "user" }, content } } });
  const image = { content_type: "multimodal_text", parts: [{ content_type: "image_asset_pointer" }] };
  const given = [
    { title: "Island", mapping: node({ parts: ["Where is the island?"] }), current_node: "a" },
    { title: "Begun", mapping: {}, current_node: null },
    { title: "Pictures", mapping: node(image), current_node: "a" },
  ];
  const base64 = Buffer.from(JSON.stringify(given)).toString("base64");
  await drop(page, { name: "chats.json", type: "application/json", base64 });
  await page.locator(".message", { hasText: "Where is the island?" }).waitFor();
  // A conversation without messages is none.
  await page.getByText("2 conversations imported.").waitFor();
  expect(await findAccessibilityViolations(page)).toEqual([]);
  await page.getByRole("button", { name: "Dismiss" }).click();
  await drop(page, { name: "broken.json", type: "application/json", base64: "eyI=" });
  await page.getByText("broken.json was not imported.").waitFor();
  // The refusal of the broken file.
  expect(problems.map((problem) => problem.replace(/http\S+/, ""))).toEqual([
    "refused: 400 ",
    "console: Failed to load resource: the server responded with a status of 400 (Bad Request)",
  ]);
});

test("exported Markdown and its file name contain no secret", async () => {
  await using chat = await stage.serve();
  await chat.server.ask("POST", "/api/sessions", { id: "secret", title: `The key ${KEY}` });
  const messages = [{ role: "user", content: `My key is ${KEY} and my island is Ærø.` }];
  await chat.server.ask("POST", "/api/sessions/secret/messages", { messages });
  await using opened = await stage.open(`${chat.server.url}/#/sessions/secret`);
  const { page, problems } = opened;
  await page.getByRole("button", { name: "Conversation menu" }).click();
  const begun = page.waitForEvent("download");
  await page.getByRole("button", { name: "Export as Markdown" }).click();
  const file = await begun;
  const text = readFileSync(await file.path(), "utf8");
  expect(text).toContain("my island is Ærø.");
  expect(text).not.toContain(KEY);
  expect(file.suggestedFilename()).toMatch(/^The-key.*\.md$/);
  expect(file.suggestedFilename()).not.toContain(KEY.slice(4));
  expect(problems).toEqual([]);
});

interface Version {
  readonly isLive: boolean;
}

async function pressDelete(page: Page): Promise<void> {
  await page.getByRole("button", { name: "Conversation menu" }).click();
  await page.locator("#session-menu").getByRole("button", { name: "Delete" }).click();
}

function refusal(message: string): string {
  return JSON.stringify({ error: { code: "store-full", message, retryable: false } });
}

function pixel() {
  return { name: "dot.png", mimeType: "image/png", buffer: Buffer.from(PIXEL, "base64") };
}

async function setHidden(page: Page, isHidden: boolean): Promise<void> {
  await page.evaluate(`(() => {
    Object.defineProperty(document, "hidden", { configurable: true, get: () => ${isHidden} });
    document.dispatchEvent(new Event("visibilitychange"));
  })()`);
}

interface DroppedFile {
  readonly name: string;
  readonly type: string;
  readonly base64: string;
}

/** Drops a file on a message; returns whether the page prevented the default of both events. */
async function drop(page: Page, { name, type, base64 }: DroppedFile): Promise<unknown> {
  return page.evaluate(`(() => {
    const bytes = Uint8Array.from(atob("${base64}"), (character) => character.charCodeAt(0));
    const dataTransfer = new DataTransfer();
    dataTransfer.items.add(new File([bytes], "${name}", { type: "${type}" }));
    return ["dragover", "drop"].map((kind) => {
      const event = new DragEvent(kind, { bubbles: true, cancelable: true, dataTransfer });
      document.querySelector(".message").dispatchEvent(event);
      return event.defaultPrevented;
    });
  })()`);
}
