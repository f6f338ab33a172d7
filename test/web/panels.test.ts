/** What opens beside and over a conversation: the workspace, the settings, the palette, and how full the window is. */
import { mkdirSync, mkdtempSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, test } from "vitest";
import { shows } from "../../src/testing/shows.ts";
import { findBarriers } from "../support/open-page.ts";
import { BOTH_SIZES, openTab, say } from "../support/page-stage.ts";
import { stagePage } from "../support/stage-page.ts";

const stage = stagePage();
const repository = join(stage.folder, "repository");

beforeAll(() => {
  mkdirSync(repository);
  writeFileSync(join(repository, "harbour.md"), "# Harbour\n\nThe crane is by the third quay.\n");
  writeFileSync(join(repository, "crane.ts"), "export const crane = 'third quay';\n");
  writeFileSync(join(repository, "large.md"), "Every crate is listed here by its number. ".repeat(600));
});

describe.each(BOTH_SIZES)("the workspace panel on a %s", (size) => {
  test("shows files with their tokens and tiers, and adds and removes them by path and from the tree", async () => {
    const engine = { workspace: { root: repository } };
    await using chat = await stage.serve({ engine, script: [{ type: "text", text: "By the third quay." }] });
    await using opened = await stage.openTalk(chat, { size });
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
    await page.getByRole("button", { name: "Close", exact: true }).click();
    await say(page, "Where is the crane?");
    await page.locator(".message-assistant[data-seq]").waitFor();
    expect(JSON.stringify(chat.provider.requests.at(-1)?.body)).toContain("export const crane");
    await openTab(page, "Workspace");
    await files.filter({ hasText: /harbour\.md\d+ tokens, (?:tier L\d|being worked on)/ }).waitFor();
    await page.getByRole("button", { name: "Remove crane.ts" }).click();
    await expect.poll(() => files.count()).toBe(1);
    await page.getByRole("tab", { name: "What the model sees" }).click();
    await page.getByText("By how settled it is").waitFor();
    expect(problems).toEqual([]);
  });

  test("warns of a file that there is no room for, and says why a page is not taken", async () => {
    const engine = { workspace: { root: repository }, windowTokens: 4_000, reserveTokens: 500 };
    await using chat = await stage.serve({ engine });
    await using opened = await stage.openTalk(chat, { size });
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
});

test("a server without a repository says how to start one that has one", async () => {
  await using chat = await stage.serve();
  await using opened = await stage.openTalk(chat);
  await openTab(opened.page, "Workspace");
  await opened.page.getByText("palimpsest serve --workspace .").waitFor();
  expect(opened.problems).toEqual([]);
});

describe.each(BOTH_SIZES)("the settings on a %s", (size) => {
  test("say what holds, compare the presets, and what is wrong while one types, also where they are fixed", async () => {
    await using chat = await stage.serve();
    await using opened = await stage.open(chat.server.url, { size });
    const { page, problems } = opened;
    await page.getByRole("button", { name: "Settings" }).click();
    const sheet = page.getByRole("dialog", { name: "Settings" });
    await sheet.getByText("Policy default, from the defaults.").waitFor();
    await page.locator("h2:focus", { hasText: "Settings" }).waitFor();
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
    const opener = page.getByRole("button", { name: "Settings" });
    expect(await opener.evaluate((button) => button.matches(":focus"))).toBe(true);
    expect(problems).toEqual([]);
  });
});

test.each(BOTH_SIZES)(
  "the policy is chosen where one writes, on a %s; one that deletes is asked about",
  async (size) => {
    const configFile = join(mkdtempSync(join(stage.folder, "policy-")), "policy.json");
    await using chat = await stage.serve({ engine: { configFile } });
    await using opened = await stage.openTalk(chat, { size });
    const { page, problems } = opened;
    const choice = page.getByRole("combobox", { name: "Policy" });
    await expect.poll(() => choice.inputValue()).toBe("default");
    await choice.selectOption("agent-rounds");
    await expect
      .poll(async () => (await chat.server.ask("GET", "/api/settings")).body.policy.name)
      .toBe("agent-rounds");
    await expect.poll(() => choice.inputValue()).toBe("agent-rounds");
    await choice.selectOption("windowed-sql");
    const sheet = page.getByRole("dialog", { name: "Settings" });
    await sheet.getByText("I want them to be deleted").waitFor();
    expect(await sheet.locator("#policy").inputValue()).toContain('"windowed-sql"');
    expect((await chat.server.ask("GET", "/api/settings")).body.policy.name).toBe("agent-rounds");
    await page.keyboard.press("Escape");
    expect(await choice.inputValue()).toBe("agent-rounds");
    expect(problems).toEqual([]);
  },
);

test("settings are kept where the server has a file for them", async () => {
  await using chat = await stage.serve({
    engine: { configFile: join(mkdtempSync(join(stage.folder, "kept-")), "policy.json") },
  });
  await using opened = await stage.openTalk(chat, { size: "phone", colorScheme: "dark" });
  const { page, problems } = opened;
  await page.getByRole("button", { name: "Settings" }).click();
  await page.getByRole("button", { name: "workspace", exact: true }).click();
  await page.locator(".policy-checked li", { hasText: "blockInput" }).waitFor();
  expect(await findBarriers(page)).toEqual([]);
  await page.getByRole("button", { name: "Keep it" }).click();
  await page.getByText("Kept. The next prompt follows it.").waitFor();
  expect((await chat.server.ask("GET", "/api/settings")).body.policy.name).toBe("workspace");
  const sheet = page.getByRole("dialog", { name: "Settings" });
  await sheet.getByText("Policy workspace, from").waitFor();
  await expect.poll(() => sheet.locator("th[data-current=true]").textContent()).toBe("workspace in force");
  // What deletes messages is kept only when somebody has said that they know.
  await page.getByRole("button", { name: "windowed-sql", exact: true }).click();
  await sheet.locator(".warning", { hasText: "Messages that were summarised are deleted from the log." }).waitFor();
  expect(await page.getByRole("button", { name: "Keep it" }).isDisabled()).toBe(true);
  expect(await findBarriers(page)).toEqual([]);
  await page.getByLabel("I want them to be deleted").check();
  await page.getByRole("button", { name: "Keep it" }).click();
  await sheet.getByText("Policy windowed-sql, from").waitFor();
  await expect.poll(() => sheet.locator(".warning").count()).toBe(0);
  await page.keyboard.press("Escape");
  await openTab(page, "What the model sees");
  await page.getByText("Policy windowed-sql, window").waitFor();
  expect(problems).toEqual([]);
});

describe.each(BOTH_SIZES)("the budget bar on a %s", (size) => {
  test(
    shows("C-31", "shows the target, what a cache served and whether it is an estimate, and each part in words"),
    async () => {
      const usage = { inputTokens: 400, outputTokens: 20, cacheReadTokens: 300, cacheWriteTokens: 0 };
      await using chat = await stage.serve({ script: [{ type: "text", text: "By the quay.", usage }] });
      await using opened = await stage.openTalk(chat, { size });
      const { page, problems } = opened;
      await say(page, "Where is the crane?");
      await page.locator(".message-assistant[data-seq]").waitFor();
      await page.locator(".budget-text", { hasText: "75% cached" }).waitFor();
      expect(await page.locator(".budget-target").getAttribute("title")).toMatch(
        /^A compaction makes the prompt no larger than/,
      );
      await openTab(page, "What the model sees");
      const figures = page.locator(".panel-part", { hasText: "Where the window goes" });
      await figures.getByText(/Counted by .*(?:estimate|own tokenizer)/).waitFor();
      await figures.getByText(/read 400 tokens, 75% of it from its cache, and wrote 20/).waitFor();
      await figures.getByRole("row", { name: /Conversation/ }).waitFor();
      expect(problems).toEqual([]);
    },
  );

  test(shows("C-27", "is calm below 75 %, says nearly full from there on, and full from 90 % on"), async () => {
    await using chat = await stage.serve({ engine: { windowTokens: 2_000, reserveTokens: 0 } });
    await using opened = await stage.openTalk(chat, { size });
    const { page, problems } = opened;
    const bar = page.getByRole("progressbar", { name: "How full the window is" });
    const read = async () => (await bar.getAttribute("aria-valuetext")) ?? "";
    const seen = new Set<string>();
    for (let part = 1; part <= 24 && !seen.has(", full"); part += 1) {
      const before = (await bar.count()) === 0 ? "" : await read();
      const messages = [{ role: "user", content: `Part ${part}. ${"One more crate. ".repeat(part < 7 ? 60 : 20)}` }];
      await chat.server.ask("POST", "/api/sessions/talk/messages", { messages });
      await expect.poll(read).not.toBe(before);
      const share = Number(await bar.getAttribute("aria-valuenow")) / Number(await bar.getAttribute("aria-valuemax"));
      const words = /%(.*)$/.exec(await read())?.[1] ?? "";
      seen.add(words);
      expect(words, `${share}`).toBe(share >= 0.9 ? ", full" : share >= 0.75 ? ", nearly full" : "");
      expect(await page.locator(".budget-text").textContent()).toContain(`%${words}`);
    }
    expect([...seen]).toEqual(["", ", nearly full", ", full"]);
    expect(problems).toEqual([]);
  });
});

describe.each(BOTH_SIZES)("the tabs on a %s", (size) => {
  test("are one row, in which the chosen one is seen", async () => {
    await using chat = await stage.serve();
    await using opened = await stage.openTalk(chat, { size });
    const { page, problems } = opened;
    await openTab(page, "What the model sees");
    const tabs = await page.getByRole("tab").all();
    expect(tabs).toHaveLength(5);
    for (const tab of [...tabs, ...tabs.slice(0, 1)]) {
      await page.keyboard.press("ArrowRight");
      const boxes = await Promise.all(tabs.map((each) => each.boundingBox()));
      expect(new Set(boxes.map((box) => box?.y)).size).toBe(1);
      await tab.click();
      expect(await page.evaluate(HIDDEN_TABS)).not.toContain(await tab.textContent());
      if (size === "desktop") expect(await page.evaluate(HIDDEN_TABS)).toEqual([]);
    }
    expect(problems).toEqual([]);
  });
});

/** Names of tabs that are not whole in their row. */
const HIDDEN_TABS = `(() => {
  const row = document.querySelector(".tabs").getBoundingClientRect();
  return [...document.querySelectorAll("[role=tab]")].flatMap((tab) => {
    const { left, right } = tab.getBoundingClientRect();
    return left >= row.left - 1 && right <= row.right + 1 ? [] : [tab.textContent];
  });
})()`;

describe("the palette", () => {
  test("does, goes and finds by name, with keys alone", async () => {
    await using chat = await stage.serve();
    await chat.server.ask("POST", "/api/sessions", { id: "other", title: "About herons" });
    const messages = [{ role: "user", content: "A kingfisher sat on the mast." }];
    await chat.server.ask("POST", "/api/sessions/other/messages", { messages });
    await using opened = await stage.openTalk(chat);
    const { page, problems } = opened;
    await page.locator("#composer").waitFor();
    const look = async (words: string) => {
      await page.keyboard.press("Control+k");
      // Written by keys: the field has the focus when it is there.
      await page.getByRole("combobox", { name: "What to do, or where to go" }).waitFor();
      await page.keyboard.type(words);
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
    await page.keyboard.type("a talk");
    // Conversations are asked for when it opens.
    await page.getByRole("option", { name: /A talk/ }).waitFor();
    await page.keyboard.press("Enter");
    await expect.poll(() => page.url()).toMatch(/\/talk$/);
    await look("settings");
    await page.keyboard.press("Enter");
    await page.getByRole("dialog", { name: "Settings" }).waitFor();
    expect(problems).toEqual([]);
  });
});
