/** What stands beside and around a conversation on the page, driven as a person would, in a real browser. */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Script, startScriptedProvider } from "../../src/testing/scripted-provider.ts";
import { type ScriptedReply, scriptedReplies } from "../../src/testing/scripted-provider-reply.ts";
import { shows } from "../../src/testing/shows.ts";
import { SMALL_MODELS } from "../presets/play-preset.ts";
import { followEvents } from "../support/follow-events.ts";
import { buildPage, findBarriers, launchBrowser, openPage, SIZES } from "../support/open-page.ts";
import { type StartChat, type StartedChat, startChat } from "../support/start-chat.ts";

const { text, json, slow, unauthorised } = scriptedReplies;

const folder = mkdtempSync(join(tmpdir(), "palimpsest-panels-"));
const built = join(folder, "web");
const repository = mkdtempSync(join(folder, "repository-"));
let browser: Browser;

beforeAll(async () => {
  writeFileSync(join(repository, "harbour.md"), "# Harbour\n\nThe crane is by the third quay.\n");
  writeFileSync(join(repository, "crane.ts"), "export const crane = 'third quay';\n");
  writeFileSync(join(repository, "large.md"), "Every crate is listed here by its number. ".repeat(600));
  buildPage(built);
  browser = await launchBrowser();
});

afterAll(async () => {
  await browser.close();
  rmSync(folder, { recursive: true, force: true });
});

let stores = 0;
function serve(options: Partial<StartChat> = {}): Promise<StartedChat> {
  stores += 1;
  return startChat({ script: [], page: built, store: `sqlite:${join(folder, `chats-${stores}.db`)}`, ...options });
}

async function openTalk(chat: StartedChat, options: { readonly isPhone?: boolean } = {}) {
  await chat.server.ask("POST", "/api/sessions", { id: "talk", title: "A talk" });
  const viewport = options.isPhone === true ? SIZES.phone : SIZES.desktop;
  return openPage(browser, { url: `${chat.server.url}/#/sessions/talk`, viewport });
}

async function say(page: Page, words: string): Promise<void> {
  await page.fill("#composer", words);
  await page.press("#composer", "Enter");
}

async function openTab(page: Page, name: string): Promise<void> {
  await page.getByRole("button", { name: "Look inside" }).click();
  await page.getByRole("tab", { name }).click();
}

describe("the workspace panel", () => {
  test("shows files with their tokens and tiers, and adds and removes them by path and from the tree", async () => {
    await using chat = await serve({
      engine: { workspace: { root: repository } },
      script: [text("By the third quay.")],
    });
    await using opened = await openTalk(chat);
    const { page, problems } = opened;
    await openTab(page, "Workspace");
    const files = page.locator(".beside-list li");
    await page.getByRole("button", { name: "harbour.md" }).click();
    await files.filter({ hasText: /harbour\.md\d+ tokens, not in a prompt yet/ }).waitFor();
    await page.getByLabel("Path of a file").fill("crane.ts");
    await page.getByRole("button", { name: "Add file" }).click();
    await files.filter({ hasText: "crane.ts" }).waitFor();
    await page.getByLabel("Path of a file").fill("nowhere.ts");
    await page.getByRole("button", { name: "Add file" }).click();
    await page.getByText("The repository has no file nowhere.ts.").waitFor();
    expect(await findBarriers(page)).toEqual([]);
    await say(page, "Where is the crane?");
    await page.locator(".message-assistant[data-seq]").waitFor();
    expect(JSON.stringify(chat.provider.requests.at(-1)?.body)).toContain("export const crane");
    await files.filter({ hasText: /harbour\.md\d+ tokens, (?:tier L\d|being worked on)/ }).waitFor();
    await page.getByRole("button", { name: "Remove crane.ts" }).click();
    await expect.poll(() => files.count()).toBe(1);
    await page.getByRole("tab", { name: "What the model sees" }).click();
    await page.getByText("By how settled it is").waitFor();
    expect(problems).toEqual([]);
  });

  test("warns of a file that there is no room for, and says why a page is not taken", async () => {
    const engine = { workspace: { root: repository }, windowTokens: 4_000, reserveTokens: 500 };
    await using chat = await serve({ engine });
    await using opened = await openTalk(chat, { isPhone: true });
    const { page, problems } = opened;
    await openTab(page, "Workspace");
    await page.getByRole("button", { name: "large.md" }).click();
    await page.locator(".warning", { hasText: "No room for 1 file" }).waitFor();
    await page.getByLabel("Address of a page").fill("http://127.0.0.1:9/private");
    await page.getByRole("button", { name: "Add page" }).click();
    await page.getByText(/^Not added: /).waitFor();
    expect(await findBarriers(page)).toEqual([]);
    expect(problems).toEqual([]);
  });

  test("says how to start a server that has a repository, where this one has none", async () => {
    await using chat = await serve();
    await using opened = await openTalk(chat);
    await openTab(opened.page, "Workspace");
    await opened.page.getByText("palimpsest serve --workspace .").waitFor();
    expect(opened.problems).toEqual([]);
  });
});

describe("the settings", () => {
  test("say what holds, compare the presets, and what is wrong while one types, also where they are fixed", async () => {
    await using chat = await serve();
    await using opened = await openPage(browser, { url: chat.server.url });
    const { page, problems } = opened;
    await page.getByRole("button", { name: "Settings" }).click();
    const sheet = page.getByRole("dialog", { name: "Settings" });
    await sheet.getByText("Policy default, from the defaults.").waitFor();
    await sheet.getByText("Keys are held by the server alone").waitFor();
    await sheet.getByText("The policy is fixed here").waitFor();
    const names = sheet.locator(".compare thead th");
    await expect.poll(() => names.allTextContents()).toHaveLength(7);
    const block = sheet.locator(".compare tr", { has: page.locator("th", { hasText: /^blockInput$/ }) });
    expect(await block.locator("td").allTextContents()).toEqual(["—", "—", "—", "—", "always", "—"]);
    await sheet.locator("#policy").fill('{ "preset": "default", "targetRatio": 7 }');
    await sheet.locator(".policy-checked", { hasText: /targetRatio: expected .*, found 7/ }).waitFor();
    await sheet.locator("#policy").fill('{ "preset": "default", ');
    await sheet.locator(".policy-checked", { hasText: "This is no JSON yet" }).waitFor();
    await sheet.locator("#policy").fill('{ "preset": "default", "targetRatio": 0.4 }');
    await sheet.locator(".policy-checked li", { hasText: "targetRatio: 0.6 → 0.4" }).waitFor();
    expect(await findBarriers(page)).toEqual([]);
    await page.keyboard.press("Escape");
    await expect.poll(() => sheet.count()).toBe(0);
    expect(await page.getByRole("button", { name: "Settings" }).evaluate((button) => button.matches(":focus"))).toBe(
      true,
    );
    expect(problems).toEqual([]);
  });

  test("are kept where the server has a file for them", async () => {
    await using chat = await serve({ engine: { configFile: join(folder, "policy.json") } });
    await using opened = await openPage(browser, { url: chat.server.url, viewport: SIZES.phone, colorScheme: "dark" });
    const { page, problems } = opened;
    await page.getByRole("button", { name: "Settings" }).click();
    await page.getByRole("button", { name: "workspace", exact: true }).click();
    await page.locator(".policy-checked li", { hasText: "blockInput" }).waitFor();
    expect(await findBarriers(page)).toEqual([]);
    await page.getByRole("button", { name: "Keep it" }).click();
    await page.getByText("Kept. The next prompt follows it.").waitFor();
    expect((await chat.server.ask("GET", "/api/settings")).body.policy.name).toBe("workspace");
    expect(problems).toEqual([]);
  });
});

const PIXEL = Buffer.from(
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==",
  "base64",
);

describe("images", () => {
  test("are chosen, dropped and pasted, five to a message, left out again, sent and shown", async () => {
    await using chat = await serve({ script: [text("A dot.")] });
    await using opened = await openTalk(chat);
    const { page, problems } = opened;
    const shelf = page.getByRole("list", { name: "Images of this message" }).getByRole("listitem");
    const named = (name: string) => ({ name, mimeType: "image/png", buffer: PIXEL });
    await page.getByLabel("Images", { exact: true }).setInputFiles([named("one.png"), named("two.png")]);
    await expect.poll(() => shelf.count()).toBe(2);
    for (const kind of ["paste", "drop"]) await give(page, kind);
    await expect.poll(() => shelf.count()).toBe(4);
    await page.getByLabel("Images", { exact: true }).setInputFiles([named("five.png"), named("six.png")]);
    await page.getByText("A message takes 5 images; the others were left out.").waitFor();
    await expect.poll(() => shelf.count()).toBe(5);
    const note = { name: "note.txt", mimeType: "text/plain", buffer: Buffer.from("no image") };
    await page.getByLabel("Images", { exact: true }).setInputFiles(note);
    await page.getByText("note.txt is no PNG, JPEG, GIF or WebP image.").waitFor();
    expect(await findBarriers(page)).toEqual([]);
    for (const name of ["two.png", "paste.png", "drop.png"]) {
      await page.getByRole("button", { name: `Remove ${name}` }).click();
    }
    await say(page, "What is this?");
    await page.locator(".message-assistant[data-seq]", { hasText: "A dot." }).waitFor();
    const pictures = page.locator(".message-user[data-seq] img.picture");
    await expect.poll(() => pictures.count()).toBe(2);
    const width = () => page.evaluate("document.querySelector('.message-user img.picture').naturalWidth");
    await expect.poll(width).toBe(1);
    expect(await shelf.count()).toBe(0);
    expect(JSON.stringify(chat.provider.requests.at(-1)?.body)).toContain(PIXEL.toString("base64"));
    expect(problems).toEqual([]);
  });

  /** A file as a browser hands it over. */
  async function give(page: Page, kind: string): Promise<void> {
    // Written as text: this side of the tests knows no browser's types.
    await page.evaluate(`(() => {
      const bytes = Uint8Array.from(atob("${PIXEL.toString("base64")}"), (character) => character.charCodeAt(0));
      const transfer = new DataTransfer();
      transfer.items.add(new File([bytes], "${kind}.png", { type: "image/png" }));
      const options = { bubbles: true, cancelable: true, clipboardData: transfer, dataTransfer: transfer };
      const event = "${kind}" === "paste" ? new ClipboardEvent("paste", options) : new DragEvent("drop", options);
      document.querySelector("#composer").dispatchEvent(event);
    })()`);
  }
});

const FILLER = "the ledger keeps one row for every invoice and closes at night. ";
const NO_USAGE = { inputTokens: 0, outputTokens: 0, cacheReadTokens: 0, cacheWriteTokens: 0 };
const SMALL = {
  preset: "workspace",
  compaction_trigger_tokens: 600,
  verbatim_window_tokens: 200,
  summary_budget_tokens: 120,
  min_verbatim_exchanges: 1,
} as const;
const NO_BOUNDARY = { boundary_index: null, boundary_reason: "one topic", confidence: 0.9, summary: "" };

interface Compacting {
  readonly policy?: object | undefined;
  readonly summary: () => ScriptedReply;
  readonly boundary?: object | undefined;
  /** Messages that were said before. */
  readonly before?: number | undefined;
}

/** A conversation on the page in which the next answer makes a compaction due. */
async function startCompacting({ policy = SMALL, summary, boundary = NO_BOUNDARY, before = 8 }: Compacting) {
  const stack = new AsyncDisposableStack();
  const script: Script = ({ body }) =>
    JSON.stringify(body).includes("boundary_index") ? json(boundary as never) : summary();
  const small = stack.use(await startScriptedProvider(script));
  const chat = stack.use(
    await serve({
      engine: { policy: policy as typeof SMALL, windowTokens: 200_000, summarizer: SMALL_MODELS.openai(small.url) },
      script: () => ({ type: "text", text: `Answer: ${FILLER.repeat(4)}`, usage: NO_USAGE }),
    }),
  );
  const opened = stack.use(await openTalk(chat));
  const followed = stack.use(await followEvents(chat.server.url));
  const messages = Array.from({ length: before }, (_, index) => ({
    role: index % 2 === 0 ? "user" : "assistant",
    content: `Part ${index}: ${FILLER.repeat(5)}`,
  }));
  await chat.server.ask("POST", "/api/sessions/talk/messages", { messages });
  await opened.page.reload();
  await opened.page.locator(".message", { hasText: `Part ${before - 1}` }).waitFor();
  await say(opened.page, "And then?");
  const dispose = () => stack.disposeAsync();
  return { ...opened, chat, followed, [Symbol.asyncDispose]: dispose };
}

describe("a compaction", () => {
  test(
    shows("S3-71", "that begins is told with its seconds, and the input waits where the policy wants it"),
    async () => {
      await using started = await startCompacting({
        summary: () => slow("The ledger closes at night. ".repeat(3), 3),
      });
      const { page, problems } = started;
      await page.locator(".notice", { hasText: /^Compacting… [1-9]\d* s/ }).waitFor();
      await page.locator(".blocked", { hasText: "You can write again when it is done." }).waitFor();
      expect(await page.locator("#composer").isDisabled()).toBe(true);
      expect(await findBarriers(page)).toEqual([]);
      await page.locator(".notice", { hasText: /[\d,]+ → [\d,]+ tokens\.$/ }).waitFor();
      await expect.poll(() => page.locator("#composer").isDisabled()).toBe(false);
      expect(problems).toEqual([]);
    },
  );

  test(shows("S3-72", "that is done says before and after, and the messages are shown as they stand now"), async () => {
    await using started = await startCompacting({ summary: () => text("The ledger closes at night.") });
    const { page, problems } = started;
    await page.locator(".notice", { hasText: /^Old messages were summarised: [\d,]+ → [\d,]+ tokens\.$/ }).waitFor();
    await page.locator(".marker").waitFor();
    const first = page.locator('.message[data-seq="1"]');
    await expect.poll(() => first.getAttribute("data-fate")).toBe("summarised");
    await expect.poll(() => page.locator(".notice", { hasText: "Compacting" }).count()).toBe(0);
    await openTab(page, "What the model sees");
    await page.locator(".difference .block-came", { hasText: "The ledger closes at night." }).waitFor();
    expect(problems).toEqual([]);
  });

  test(shows("S3-73", "that fails says what happens next, and the input is free again"), async () => {
    await using started = await startCompacting({ summary: unauthorised });
    const { page } = started;
    await page.locator(".notice-failed", { hasText: "Compacting failed" }).waitFor();
    expect(await page.locator(".notice-failed").textContent()).toContain("Nothing was lost; it is tried again");
    expect(await page.locator("#composer").isDisabled()).toBe(false);
    await say(page, "Are you still there?");
    await page.locator(".message-user[data-seq]", { hasText: "still there" }).waitFor();
  });

  test(shows("S3-74", "that finds nothing to do leaves no word behind"), async () => {
    const policy = { ...SMALL, min_verbatim_exchanges: 50 };
    await using started = await startCompacting({ policy, summary: () => text("Nothing.") });
    const { page, followed, problems } = started;
    const ended = () => followed.events.find(({ name }) => name === "compaction-end")?.data;
    await expect.poll(ended, { timeout: 20_000 }).toMatchObject({ outcome: "none" });
    expect(followed.events.some(({ name }) => name === "compaction-start")).toBe(true);
    await expect.poll(() => page.locator(".notice").count()).toBe(0);
    expect(await page.locator("#composer").isDisabled()).toBe(false);
    expect(problems).toEqual([]);
  });
});

describe("the input", () => {
  test(shows("X-24", "stays usable during a compaction unless the policy says otherwise"), async () => {
    const policy = { ...SMALL, blockInput: "full" };
    await using started = await startCompacting({ policy, summary: () => slow("The ledger closes. ".repeat(3), 3) });
    const { page, problems } = started;
    await page.locator(".notice", { hasText: "Compacting…" }).waitFor();
    await page.locator("#composer").fill("I can write meanwhile.");
    expect(await page.locator(".blocked").count()).toBe(0);
    expect(await page.getByRole("button", { name: "Send" }).isEnabled()).toBe(true);
    expect(problems).toEqual([]);
  });

  test(
    shows("X-24", "takes nothing while the window is really full, says why and what to do, and then does again"),
    async () => {
      await using chat = await serve({ engine: { windowTokens: 300, reserveTokens: 200 } });
      await chat.server.ask("POST", "/api/sessions", { id: "talk" });
      const messages = ["user", "assistant", "user", "assistant"].map((role) => ({ role, content: FILLER.repeat(10) }));
      await chat.server.ask("POST", "/api/sessions/talk/messages", { messages });
      await using opened = await openPage(browser, { url: `${chat.server.url}/#/sessions/talk` });
      const { page } = opened;
      await page.locator(".blocked", { hasText: /^The window is full\. .*clear the context/ }).waitFor();
      expect(await page.locator("#composer").isDisabled()).toBe(true);
      expect(await findBarriers(page)).toEqual([]);
      await page.locator(".composer").getByRole("button", { name: "Clear context" }).click();
      await expect.poll(() => page.locator("#composer").isDisabled()).toBe(false);
      expect(await page.locator(".blocked").count()).toBe(0);
    },
  );

  test(shows("C-31", "comes with a hint to clear where a long conversation turned to another topic"), async () => {
    const boundary = {
      boundary_index: 20,
      boundary_reason: "now it is about boats",
      confidence: 0.9,
      summary: "Ledgers.",
    };
    await using started = await startCompacting({ boundary, before: 24, summary: () => text("Ledgers.") });
    const { page, problems } = started;
    const hint = page.locator(".topic-hint", { hasText: "now it is about boats" });
    await hint.waitFor();
    expect(await findBarriers(page)).toEqual([]);
    await hint.getByRole("button", { name: "Clear context" }).click();
    await page.locator(".marker", { hasText: "Started over" }).waitFor();
    expect(await hint.count()).toBe(0);
    expect(problems).toEqual([]);
  });
});

describe("the budget bar", () => {
  test(
    shows("C-31", "shows the target, what a cache served and whether it is an estimate, and each part in words"),
    async () => {
      const usage = { inputTokens: 400, outputTokens: 20, cacheReadTokens: 300, cacheWriteTokens: 0 };
      await using chat = await serve({ script: [{ type: "text", text: "By the quay.", usage }] });
      await using opened = await openTalk(chat);
      const { page, problems } = opened;
      await say(page, "Where is the crane?");
      await page.locator(".message-assistant[data-seq]").waitFor();
      await page.locator(".budget-text", { hasText: "75% cached" }).waitFor();
      expect(await page.locator(".budget-target").getAttribute("title")).toMatch(/^A compaction makes it as small as/);
      await openTab(page, "What the model sees");
      const figures = page.locator(".panel-part", { hasText: "Where the window goes" });
      await figures.getByText(/Counted by .*(?:estimate|own tokenizer)/).waitFor();
      await figures.getByText(/read 400 tokens, 75% of it from its cache, and wrote 20/).waitFor();
      await figures.getByRole("row", { name: /Conversation/ }).waitFor();
      expect(problems).toEqual([]);
    },
  );
});

describe("the palette", () => {
  test("does, goes and finds by name, with keys alone", async () => {
    await using chat = await serve();
    await chat.server.ask("POST", "/api/sessions", { id: "other", title: "About herons" });
    const messages = [{ role: "user", content: "A kingfisher sat on the mast." }];
    await chat.server.ask("POST", "/api/sessions/other/messages", { messages });
    await using opened = await openTalk(chat);
    const { page, problems } = opened;
    await page.locator("#composer").waitFor();
    const look = async (words: string) => {
      await page.keyboard.press("Control+k");
      await page.getByRole("combobox", { name: "What to do, or where to go" }).fill(words);
    };
    await look("summaries");
    await expect.poll(() => page.getByRole("option").count()).toBe(1);
    expect(await findBarriers(page)).toEqual([]);
    await page.keyboard.press("Enter");
    await page.getByRole("tab", { name: "Summaries", selected: true }).waitFor();
    await look("kingfisher");
    await page.getByRole("option", { name: /Said.*kingfisher/ }).waitFor();
    await page.keyboard.press("Enter");
    await expect.poll(() => page.url()).toMatch(/\/other\/1$/);
    await look("");
    const second = page.getByRole("option").nth(1);
    await page.keyboard.press("ArrowDown");
    await expect.poll(() => second.getAttribute("aria-selected")).toBe("true");
    await page.getByRole("combobox").fill("a talk");
    await page.keyboard.press("Enter");
    await expect.poll(() => page.url()).toMatch(/\/talk$/);
    await look("settings");
    await page.keyboard.press("Enter");
    await page.getByRole("dialog", { name: "Settings" }).waitFor();
    expect(problems).toEqual([]);
  });
});
