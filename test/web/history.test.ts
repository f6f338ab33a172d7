/** The list of conversations: pages, search, and the import of dropped files. */
import type { Page } from "playwright-core";
import { describe, expect, test } from "vitest";
import { shows } from "../../src/testing/shows.ts";
import { findAccessibilityViolations } from "../support/open-page.ts";
import { stagePage } from "../support/stage-page.ts";
import { TRANSCRIPTS } from "./history-transcripts.ts";

const stage = stagePage();
const userMessage = (content: string) => ({ messages: [{ role: "user", content }] });

/** Drops a file as a file manager does. */
async function drop(page: Page, { target, name, text }: Record<"target" | "name" | "text", string>): Promise<void> {
  const script = `(() => {
    const dataTransfer = new DataTransfer();
    dataTransfer.items.add(new File([${JSON.stringify(text)}], ${JSON.stringify(name)}, { type: "application/json" }));
    return dataTransfer;
  })()`;
  const dataTransfer = await page.evaluateHandle(script);
  await page.dispatchEvent(target, "drop", { dataTransfer });
}

describe("the list of conversations", () => {
  test("loads older pages until the oldest conversation is shown", async () => {
    await using chat = await stage.serve();
    for (let index = 1; index <= 230; index += 1) {
      await chat.server.ask("POST", "/api/sessions", { id: `s${index}`, title: `Talk ${index}` });
    }
    await using opened = await stage.open(chat.server.url);
    const { page, problems } = opened;
    const titles = page.locator(".session-list .session-title");
    const older = page.getByRole("button", { name: "Show older conversations" });
    await expect.poll(() => titles.count()).toBe(100);
    await older.click();
    await expect.poll(() => titles.count()).toBe(200);
    await older.click();
    await expect.poll(() => titles.count()).toBe(230);
    expect(await older.count()).toBe(0);
    expect(new Set(await titles.allTextContents()).size).toBe(230);
    await page.locator(".session-list").getByText("Talk 1", { exact: true }).click();
    await expect.poll(() => page.locator("h1").textContent()).toBe("Talk 1");
    expect(problems).toEqual([]);
  });

  test("shows the message count and age of each conversation, and truncates a long title", async () => {
    await using chat = await stage.serve();
    const title = "A very long title ".repeat(40).trim();
    await chat.server.ask("POST", "/api/sessions", { id: "long", title });
    await chat.server.ask("POST", "/api/sessions/long/messages", userMessage("Hello."));
    await using opened = await stage.open(chat.server.url);
    const { page, problems } = opened;
    const line = page.locator(".session-list a");
    await expect.poll(() => line.textContent()).toMatch(/1 message, now|1 message, .*ago|1 message, just now/);
    expect((await line.boundingBox())?.height).toBeLessThan(80);
    expect(problems).toEqual([]);
  });
});

test("the list of conversations shows other clients' new conversations on focus and after 30 seconds", async () => {
  await using chat = await stage.serve();
  await using opened = await stage.open(chat.server.url, { hasOwnClock: true });
  const { page } = opened;
  await page.getByText("Your conversations are stored").waitFor();
  const titles = page.locator(".session-list .session-title");
  await chat.server.ask("POST", "/api/sessions", { title: "From a script" });
  await page.evaluate("window.dispatchEvent(new Event('focus'))");
  await expect.poll(() => titles.allTextContents()).toEqual(["From a script"]);
  await chat.server.ask("POST", "/api/sessions", { title: "From another window" });
  await page.clock.fastForward(30_000);
  await expect.poll(() => titles.allTextContents()).toEqual(["From another window", "From a script"]);
});

describe("the search", () => {
  test(shows("C-27", "waits for a pause in typing, marks the matches, and says if there are none"), async () => {
    await using chat = await stage.serve();
    for (const [id, text] of Object.entries({ a: "The heron stands.", b: "No bird.", c: "Two herons? One heron." })) {
      await chat.server.ask("POST", "/api/sessions", { id, title: `Talk ${id}` });
      await chat.server.ask("POST", `/api/sessions/${id}/messages`, userMessage(text));
    }
    await using opened = await stage.open(chat.server.url);
    const { page, problems } = opened;
    const queries: string[] = [];
    page.on("request", (request) => {
      const { pathname, searchParams } = new URL(request.url());
      if (pathname === "/api/search") queries.push(searchParams.get("query") ?? "");
    });
    await page.getByRole("searchbox").pressSequentially("heron", { delay: 5 });
    await page.getByRole("status").filter({ hasText: "2 matches" }).waitFor();
    expect(await page.locator(".snippet mark").allTextContents()).toEqual(["heron", "heron"]);
    expect(queries.at(-1)).toBe("heron");
    expect(queries.length).toBeLessThan(5);
    expect(await findAccessibilityViolations(page)).toEqual([]);
    await page.getByRole("searchbox").fill("walrus");
    await page.getByRole("status").filter({ hasText: "0 matches" }).waitFor();
    await page.getByRole("searchbox").fill("");
    await expect.poll(() => page.locator(".session-list .session-title").count()).toBe(3);
    expect(problems).toEqual([]);
  });
});

describe("an imported file", () => {
  test("that another server exported restores a conversation with its summary and title", async () => {
    await using first = await stage.serve();
    await first.server.ask("POST", "/api/sessions", { id: "talk", title: "The island" });
    const messages = Array.from({ length: 60 }, (_, index) => ({
      role: index % 2 === 0 ? "user" : "assistant",
      content: `Part ${index + 1} of the way to the island, over ${index + 3} bridges.`,
    }));
    await first.server.ask("POST", "/api/sessions/talk/messages", { messages });
    expect((await first.server.ask("POST", "/api/sessions/talk/compactions", {})).body.type).toBe("compacted");
    await using source = await stage.open(`${first.server.url}/#/sessions/talk`);
    await source.page.getByRole("button", { name: "Conversation menu" }).click();
    const saved = source.page.waitForEvent("download");
    await source.page.getByRole("link", { name: /Export/ }).click();
    const chunks: Buffer[] = [];
    for await (const chunk of await (await saved).createReadStream()) chunks.push(Buffer.from(chunk));
    await using second = await stage.serve();
    await using opened = await stage.open(second.server.url);
    const { page, problems } = opened;
    await page.locator(".start-choice").first().waitFor();
    const text = Buffer.concat(chunks).toString("utf8");
    await drop(page, { target: ".first-run", name: "talk.jsonl", text });
    await page.locator(".message", { hasText: "Part 60 of the way" }).waitFor();
    expect(await page.locator("h1").textContent()).toBe("The island");
    await page.locator(".strip .sheet").first().waitFor({ state: "attached" });
    expect((await second.server.ask("GET", "/api/sessions/talk/export")).body).toBe(text);
    expect(problems).toEqual([]);
  });

  test("of an existing conversation can be opened, or imported as a copy", async () => {
    await using chat = await stage.serve();
    await chat.server.ask("POST", "/api/sessions", { id: "talk", title: "The island" });
    await chat.server.ask("POST", "/api/sessions/talk/messages", userMessage("Over three bridges."));
    const text = (await chat.server.ask("GET", "/api/sessions/talk/export")).body;
    await using opened = await stage.open(chat.server.url);
    const { page } = opened;
    await page.locator(".start-choice").first().waitFor();
    for (const target of [".first-run", "nav.history"]) {
      await drop(page, { target, name: "talk.jsonl", text });
      const alert = page.getByRole("alert").filter({ hasText: "This conversation already exists." });
      await alert.getByRole("link", { name: "Open" }).click();
      await page.locator(".message", { hasText: "Over three bridges." }).waitFor();
      expect(page.url()).toBe(`${chat.server.url}/#/sessions/talk`);
      expect(await alert.count()).toBe(0);
    }
    await drop(page, { target: "nav.history", name: "talk.jsonl", text });
    await page.getByRole("button", { name: "Import as a copy" }).click();
    await expect.poll(() => page.locator("h1").textContent()).toBe("The island (copy)");
    await page.locator(".message", { hasText: "Over three bridges." }).waitFor();
    await expect
      .poll(async () => (await page.locator(".session-list .session-title").allTextContents()).toSorted())
      .toEqual(["The island", "The island (copy)"]);
  });

  test("in each known format becomes a conversation", async () => {
    await using chat = await stage.serve();
    await using opened = await stage.open(chat.server.url);
    const { page, problems } = opened;
    for (const [name, value] of Object.entries(TRANSCRIPTS)) {
      await page.locator(".start-choice").first().waitFor();
      expect(await page.locator(".message").count(), name).toBe(0);
      await drop(page, { target: "nav.history", name: `${name}.json`, text: JSON.stringify(value) });
      await page.locator(".message-assistant", { hasText: "Under the third flowerpot." }).waitFor();
      expect(await page.locator(".message-user .plain-text").first().textContent(), name).toBe("Where is the key?");
      expect(await page.locator(".messages").textContent(), name).not.toContain("another way");
      await expect
        .poll(() => page.locator("h1").textContent(), { message: name })
        .toMatch(new RegExp(`^(?:${name}|Keys)$`));
      await page.goto(`${chat.server.url}/#/`);
    }
    const { sessions } = (await chat.server.ask("GET", "/api/sessions")).body;
    const whole = sessions.filter(({ fork }: { readonly fork?: object }) => fork === undefined);
    // LibreChat's two exports are of one conversation.
    expect(whole).toHaveLength(Object.keys(TRANSCRIPTS).length - 1);
    expect(problems).toEqual([]);
  });

  test("with several conversations creates all of them and opens the first", async () => {
    await using chat = await stage.serve();
    await using opened = await stage.open(chat.server.url);
    const { page, problems } = opened;
    await page.locator(".start-choice").first().waitFor();
    const talk = (title: string, content: string) => ({ title, messages: [{ role: "user", content }] });
    const text = JSON.stringify([talk("Keys", "Where is the key?"), talk("Older", "Long ago.")]);
    await drop(page, { target: ".first-run", name: "conversations.json", text });
    await page.locator(".message-user", { hasText: "Where is the key?" }).waitFor();
    await expect
      .poll(async () => (await page.locator(".session-list .session-title").allTextContents()).toSorted())
      .toEqual(["Keys", "Older"]);
    await page.getByText("2 conversations imported.").waitFor();
    expect(problems).toEqual([]);
  });

  test("in an unknown format creates no conversation, and an error is shown", async () => {
    await using chat = await stage.serve();
    await using opened = await stage.open(chat.server.url);
    const { page } = opened;
    await page.locator(".start-choice").first().waitFor();
    for (const text of ["not JSON", "{}", '{"messages": [{"what": 1}]}']) {
      await drop(page, { target: ".first-run", name: "notes.json", text });
      await expect.poll(() => page.locator(".first-error").textContent()).not.toBe("");
    }
    await drop(page, { target: "nav.history", name: "notes.json", text: "{}" });
    await page
      .locator("nav.history")
      .getByRole("alert")
      .filter({ hasText: "notes.json has no known format. Accepted are Claude Code session" })
      .waitFor();
    await expect.poll(async () => (await chat.server.ask("GET", "/api/sessions")).body.sessions).toEqual([]);
  });
});
