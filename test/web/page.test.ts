/** The page driven as a person would, in a real browser against a real server with a scripted provider. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Script } from "../../src/testing/scripted-provider.ts";
import { scriptedReplies } from "../../src/testing/scripted-provider-reply.ts";
import { shows } from "../../src/testing/shows.ts";
import { buildPage, findBarriers, launchBrowser, openPage, SIZES } from "../support/open-page.ts";
import { type StartedChat, startChat } from "../support/start-chat.ts";

const folder = mkdtempSync(join(tmpdir(), "palimpsest-page-"));
const built = join(folder, "web");
let browser: Browser;
let buildOutput = "";

beforeAll(async () => {
  buildOutput = buildPage(built);
  browser = await launchBrowser();
});

afterAll(async () => {
  await browser.close();
  rmSync(folder, { recursive: true, force: true });
});

let stores = 0;
function serve(script: Script = []): Promise<StartedChat> {
  stores += 1;
  return startChat({ script, page: built, store: `sqlite:${join(folder, `chats-${stores}.db`)}` });
}

async function say(page: Page, text: string): Promise<void> {
  await page.fill("#composer", text);
  await page.press("#composer", "Enter");
}

describe("the first screen", () => {
  test("weighs no more than it may", () => {
    expect(buildOutput).toMatch(/first screen: \d+\.\d kB of 250\.0 kB/);
  });

  test.each(["desktop", "phone"] as const)("has three doors and no barrier, light and dark, on a %s", async (size) => {
    await using chat = await serve();
    for (const colorScheme of ["light", "dark"] as const) {
      const url = chat.server.url;
      await using opened = await openPage(browser, { url, colorScheme, viewport: SIZES[size] });
      const doors = opened.page.locator(".door strong");
      await expect.poll(() => doors.allTextContents()).toEqual(["Chat", "Open the sample", "Import a transcript"]);
      expect(await findBarriers(opened.page)).toEqual([]);
      expect(opened.problems).toEqual([]);
    }
  });

  test("fits a screen of 320 pixels without scrolling sideways", async () => {
    await using chat = await serve();
    await using opened = await openPage(browser, { url: chat.server.url, viewport: { width: 320, height: 640 } });
    await opened.page.locator(".door").first().waitFor();
    expect(await opened.page.evaluate("document.documentElement.scrollWidth")).toBe(320);
  });

  test("imports a transcript in another shape", async () => {
    await using chat = await serve();
    await using opened = await openPage(browser, { url: chat.server.url });
    const messages = [
      { role: "user", content: "Where is the key?" },
      { role: "assistant", content: "Under the third flowerpot." },
    ];
    const buffer = Buffer.from(JSON.stringify({ messages }));
    const file = { name: "keys.json", mimeType: "application/json", buffer };
    await opened.page.locator("input[type=file]").setInputFiles(file);
    await opened.page.locator(".message-assistant", { hasText: "third flowerpot" }).waitFor();
    expect(await opened.page.locator("h1").textContent()).toBe("keys");
    expect(opened.problems).toEqual([]);
  });
});

describe("a chat", () => {
  test("shows a reply as Markdown with code to copy, and shows it again after a reload", async () => {
    const text = "Use **this**:\n\n```ts\nconst answer = 42;\n```\n\n| a | b |\n|---|---|\n| 1 | 2 |";
    await using chat = await serve([scriptedReplies.text(text)]);
    await using opened = await openPage(browser, { url: chat.server.url });
    const { page, problems } = opened;
    await page.click("text=Chat");
    await say(page, "How?");
    for (const round of ["streamed", "reloaded"]) {
      const reply = page.locator(".message-assistant[data-seq]");
      await reply.locator("pre", { hasText: "const answer = 42;" }).waitFor();
      expect(await reply.locator("strong").textContent(), round).toBe("this");
      expect(await reply.locator("td").allTextContents(), round).toEqual(["1", "2"]);
      expect(await reply.getByRole("button", { name: "Copy code" }).count(), round).toBe(1);
      expect(await page.locator(".message-user .said").allTextContents(), round).toEqual(["How?"]);
      expect(await page.locator(".message").count(), round).toBe(2);
      if (round === "streamed") await page.reload();
    }
    expect(await findBarriers(page)).toEqual([]);
    expect(problems).toEqual([]);
  });

  test("renders what would run or call home as text", async () => {
    const text = [
      "<script>window.ran = 1</script><img src=x onerror='window.ran = 1'>",
      "![pixel](http://127.0.0.1:9/pixel.png)",
      "[click](javascript:window.ran=1) <iframe src='http://127.0.0.1:9/'></iframe>",
      "<style>@import url(http://127.0.0.1:9/x.css)</style>",
    ].join("\n\n");
    await using chat = await serve([scriptedReplies.text(text)]);
    await using opened = await openPage(browser, { url: chat.server.url });
    const { page, problems } = opened;
    await page.click("text=Chat");
    await say(page, text);
    const reply = page.locator(".message-assistant[data-seq]");
    await reply.locator(".withheld", { hasText: "pixel" }).waitFor();
    expect(await page.evaluate("window.ran")).toBeUndefined();
    expect(await page.locator(".message :is(script, img, iframe, style)").count()).toBe(0);
    expect(await reply.locator("a").count()).toBe(0);
    expect(problems).toEqual([]);
  });

  test("keeps what came when somebody stops it", async () => {
    await using chat = await serve([scriptedReplies.slow("A first sentence that came. ".repeat(40), 5)]);
    await using opened = await openPage(browser, { url: chat.server.url });
    const { page, problems } = opened;
    await page.click("text=Chat");
    await say(page, "Tell me everything.");
    await page.locator(".message-assistant", { hasText: "A first sentence" }).waitFor();
    await page.press("#composer", "Escape");
    const kept = page.locator(".message-assistant[data-seq]", { hasText: "A first sentence" });
    await kept.waitFor();
    await page.getByRole("button", { name: "Send" }).waitFor();
    expect(await page.locator(".message").count()).toBe(2);
    expect(problems).toEqual([]);
  });

  test("goes another way where something is said anew or answered again, and keeps every way", async () => {
    const answers = ["It is red.", "It is blue.", "It is azure."];
    await using chat = await serve(answers.map(scriptedReplies.text));
    await using opened = await openPage(browser, { url: chat.server.url });
    const { page, problems } = opened;
    const reply = (text: string) => page.locator(".message-assistant[data-seq]", { hasText: text });
    await page.click("text=Chat");
    await say(page, "Which colour has the door?");
    await reply("It is red.").waitFor();
    await page.locator(".message-user").hover();
    await page.getByRole("button", { name: "Edit" }).click();
    await say(page, "Which colour has the gate?");
    await reply("It is blue.").waitFor();
    expect(await page.locator(".message-user .said").allTextContents()).toEqual(["Which colour has the gate?"]);
    await reply("It is blue.").hover();
    await page.getByRole("button", { name: "Again" }).click();
    await reply("It is azure.").waitFor();
    const ways = page.getByRole("navigation", { name: "Ways that the conversation went from here" });
    await expect.poll(() => ways.textContent()).toContain("3/3");
    expect(await findBarriers(page)).toEqual([]);
    await ways.getByRole("link", { name: "The way before" }).click();
    await reply("It is blue.").waitFor();
    await expect.poll(() => ways.textContent()).toContain("2/3");
    await ways.getByRole("link", { name: "The way before" }).click();
    await reply("It is red.").waitFor();
    await expect.poll(() => ways.textContent()).toContain("1/3");
    expect(problems).toEqual([]);
  });

  test("goes on after a reload in the middle of an answer", async () => {
    await using chat = await serve([scriptedReplies.slow("One sentence after the other. ".repeat(10), 1)]);
    await using opened = await openPage(browser, { url: chat.server.url });
    const { page, problems } = opened;
    await page.click("text=Chat");
    await say(page, "Take your time.");
    await page.locator(".message-assistant", { hasText: "One sentence" }).waitFor();
    await page.reload();
    await page.locator(".message-assistant[aria-busy=true]", { hasText: "One sentence" }).waitFor();
    await page.locator(".message-assistant[data-seq]").waitFor({ timeout: 120_000 });
    expect(await page.locator(".message-user .said").allTextContents()).toEqual(["Take your time."]);
    await expect.poll(() => page.locator(".message").count()).toBe(2);
    const text = await page.locator(".message-assistant .prose").textContent();
    expect(text?.match(/One sentence after the other\./g)).toHaveLength(10);
    expect(problems).toEqual([]);
  });

  test("says why there was no answer, and asks again when told to", async () => {
    const script: Script = (_request, index) =>
      index === 0 ? { type: "raw", status: 400, body: "no" } : scriptedReplies.text("Now it works.");
    await using chat = await serve(script);
    await using opened = await openPage(browser, { url: chat.server.url });
    const { page } = opened;
    await page.click("text=Chat");
    await say(page, "Are you there?");
    await page.getByRole("button", { name: "Try again" }).click();
    await page.locator(".message-assistant[data-seq]", { hasText: "Now it works." }).waitFor();
    expect(await page.locator(".message-user").count()).toBe(1);
    await expect.poll(() => page.getByRole("button", { name: "Try again" }).count()).toBe(0);
  });
});

describe("the sample", () => {
  /** Plays so much of it that it was folded more than once. */
  async function playSample(page: Page): Promise<void> {
    await page.click("text=Open the sample");
    for (let round = 0; round < 4; round += 1) {
      await page.getByRole("button", { name: "Play ten" }).click();
      await page.locator(".sample-player button:not(:disabled)", { hasText: "Play ten" }).waitFor({ timeout: 120_000 });
    }
    await page.locator(".strip .sheet").first().waitFor();
  }

  test("shows fates on the strip, on the messages and as a list, with summaries over what they cover", async () => {
    await using chat = await serve();
    await using opened = await openPage(browser, { url: chat.server.url });
    const { page, problems } = opened;
    await playSample(page);
    const fates = await page
      .locator(".strip rect[data-fate]")
      .evaluateAll((bands) => [...new Set(bands.map((band) => band.getAttribute("data-fate")))]);
    expect(fates).toContain("summarised");
    expect(fates).toContain("verbatim");
    const list = page.getByRole("list", { name: "The log by what became of it" });
    await expect.poll(() => list.getByRole("button").first().textContent()).toMatch(/^Summary \d, over \d+ messages/);
    // As somebody would who uses keys: to the list, down to the first stretch, in.
    await list.getByRole("button").first().focus();
    const run = list.getByRole("button", { name: /messages?, summarised/ }).first();
    while (!(await run.evaluate((button) => button.matches(":focus")))) await page.keyboard.press("ArrowDown");
    await page.locator(".spot-label", { hasText: "A summary stands for it" }).waitFor();
    await page.keyboard.press("Enter");
    const first = page.locator('.message[data-seq="1"]');
    await first.waitFor();
    await expect.poll(() => first.getAttribute("data-fate")).toBe("summarised");
    expect(await first.locator(".fate-name").textContent()).toBe("summarised");
    expect(await findBarriers(page)).toEqual([]);
    expect(problems).toEqual([]);
  });

  test("shows what the model sees, the chain of summaries, and how full the window is, in words", async () => {
    await using chat = await serve();
    await using opened = await openPage(browser, { url: chat.server.url, viewport: SIZES.phone });
    const { page, problems } = opened;
    await playSample(page);
    const bar = page.getByRole("progressbar", { name: "How full the window is" });
    expect(await bar.getAttribute("aria-valuetext")).toMatch(/^about [\d.]+K? of 5K tokens, \d+%/);
    await page.getByRole("button", { name: "Look inside" }).click();
    await page.locator(".prompt-block", { hasText: "Summary of the" }).waitFor();
    await page.getByLabel("Shape").selectOption("anthropic");
    await page.locator(".prompt-block", { hasText: "Summary of the" }).waitFor();
    expect(await findBarriers(page)).toEqual([]);
    await page.getByRole("tab", { name: "Summaries" }).click();
    await page.locator(".summary-live", { hasText: "the model reads this one" }).waitFor();
    expect(await page.locator(".summary-card").count()).toBeGreaterThan(1);
    expect(await findBarriers(page)).toEqual([]);
    await page.getByRole("tab", { name: "Message" }).click();
    await page.getByLabel("Why does it not know that?").fill("furnace hall");
    await page.locator(".why-not", { hasText: /It reads (?:none|\d+) of these/ }).waitFor();
    await page.locator(".why-not li", { hasText: "summarised" }).first().waitFor();
    expect(await findBarriers(page)).toEqual([]);
    await page.keyboard.press("Escape");
    await expect.poll(() => page.locator(".inspector").count()).toBe(0);
    expect(problems).toEqual([]);
  });

  test("pins a message, explains it, and takes the pin back", async () => {
    await using chat = await serve();
    await using opened = await openPage(browser, { url: chat.server.url });
    const { page, problems } = opened;
    await page.click("text=Open the sample");
    await page.getByRole("button", { name: "Play one turn" }).click();
    const asked = page.locator('.message[data-seq="1"]');
    await asked.hover();
    await asked.getByRole("button", { name: "Pin" }).click();
    await expect.poll(() => asked.getAttribute("data-fate")).toBe("pinned");
    await asked.getByRole("button", { name: "Explain" }).click();
    await page.locator(".explained", { hasText: "yes, in its own words" }).waitFor();
    await page.getByRole("button", { name: "Undo" }).click();
    await expect.poll(() => asked.getAttribute("data-fate")).toBe("verbatim");
    expect(problems).toEqual([]);
  });
});

describe("a conversation as a whole", () => {
  /** Long enough to have something to fold. */
  async function fill(chat: StartedChat): Promise<void> {
    await chat.server.ask("POST", "/api/sessions", { id: "talk", title: "A talk" });
    const messages = Array.from({ length: 60 }, (_, index) => ({
      id: `m${index + 1}`,
      role: index % 2 === 0 ? "user" : "assistant",
      content: `Part ${index + 1}: the crate with number ${4_100 + index} stands in shed ${index % 7}.`,
    }));
    expect((await chat.server.ask("POST", "/api/sessions/talk/messages", { messages })).status).toBe(200);
  }

  test("is folded as it was previewed and edited, and unfolded again", async () => {
    await using chat = await serve();
    await fill(chat);
    await using opened = await openPage(browser, { url: `${chat.server.url}/#/sessions/talk` });
    const { page, problems } = opened;
    await page.getByRole("button", { name: "Look inside" }).click();
    await page.getByRole("tab", { name: "Summaries" }).click();
    await page.getByRole("button", { name: "Preview a compaction" }).click();
    await page.locator("#proposal").fill("The crates stand in their sheds.");
    expect((await chat.server.ask("GET", "/api/sessions/talk/summaries")).body.summaries).toEqual([]);
    await page.getByRole("button", { name: "Apply" }).click();
    await page.locator(".summary-live", { hasText: "The crates stand in their sheds." }).waitFor();
    await page.getByText("What it was made from").click();
    await page.locator(".prompt-block", { hasText: "Part 1: the crate with number 4100" }).waitFor();
    await page.locator(".summary-live").getByRole("button", { name: "Undo" }).click();
    await expect.poll(() => page.locator(".strip .sheet").count()).toBe(0);
    expect(problems).toEqual([]);
  });

  test("is forked at a message, renamed, and deleted with a way back", async () => {
    await using chat = await serve();
    await fill(chat);
    await using opened = await openPage(browser, { url: `${chat.server.url}/#/sessions/talk` });
    const { page, problems } = opened;
    const last = page.locator(".message", { hasText: "Part 58:" });
    await last.hover();
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
      await listed.click();
      await page.getByRole("button", { name: "This conversation" }).click();
      await page.getByRole("button", { name: "Delete" }).click();
      await expect.poll(() => listed.count()).toBe(0);
      if (!isMeant) await page.getByRole("button", { name: "Undo" }).click();
      if (!isMeant) await listed.waitFor();
    }
    const count = async () => (await chat.server.ask("GET", "/api/sessions")).body.sessions.length;
    await expect.poll(count).toBe(1);
    expect(problems).toEqual([]);
  });
});

describe("what happens to the view", () => {
  test(shows("S0-51", "is told when a summary was renewed, in words that go away by themselves"), async () => {
    await using chat = await serve();
    await using opened = await openPage(browser, { url: chat.server.url });
    const { page, problems } = opened;
    await page.click("text=Open the sample");
    const renewed = page.locator(".notice", { hasText: /^The summary was renewed: [\d,]+ → [\d,]+ tokens\.$/ });
    for (let round = 0; round < 60 && (await renewed.count()) === 0; round += 1) {
      await page.getByRole("button", { name: "Play one turn" }).click();
      await page.locator(".sample-player button:not(:disabled)").first().waitFor();
    }
    await renewed.first().waitFor();
    await expect.poll(() => page.locator(".notice").count()).toBe(0);
    expect(problems).toEqual([]);
  });

  test(
    shows("S0-30", "is started over by the button with the bin in the input's toolbar, and brought back"),
    async () => {
      await using chat = await serve([scriptedReplies.text("Noted."), scriptedReplies.text("Noted again.")]);
      await using opened = await openPage(browser, { url: chat.server.url });
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

describe("a long log", () => {
  test("is held in part, read page by page, and searched to the place", async () => {
    await using chat = await serve();
    const { server } = chat;
    await server.ask("POST", "/api/sessions", { id: "long", title: "A long one" });
    for (let first = 1; first <= 1_500; first += 500) {
      const messages = Array.from({ length: 500 }, (_, index) => ({
        id: `m${first + index}`,
        role: (first + index) % 2 === 1 ? "user" : "assistant",
        content: `Line ${first + index}${first + index === 40 ? " with a heron in it" : ""}.`,
      }));
      expect((await server.ask("POST", "/api/sessions/long/messages", { messages })).status).toBe(200);
    }
    await using opened = await openPage(browser, { url: `${server.url}/#/sessions/long` });
    const { page, problems } = opened;
    await page.locator(".message", { hasText: "Line 1500." }).waitFor();
    const conversation = page.locator(".conversation");
    for (let step = 0; step < 12; step += 1) {
      await conversation.evaluate((frame) => frame.scrollBy(0, -4_000));
      await page.waitForTimeout(60);
    }
    expect(await page.locator(".message").count()).toBeLessThanOrEqual(200);
    expect(await page.locator(".message", { hasText: "Line 1500." }).count()).toBe(0);
    await page.getByRole("searchbox").fill("heron");
    await page.locator(".session-list a", { hasText: "heron" }).click();
    const found = page.locator(".message", { hasText: "a heron in it" });
    await found.waitFor();
    await expect.poll(() => found.evaluate((row) => row.matches(":focus"))).toBe(true);
    expect(await page.locator(".message").count()).toBeLessThanOrEqual(200);
    expect(problems).toEqual([]);
  });
});
