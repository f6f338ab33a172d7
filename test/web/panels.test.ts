/** The workspace panel, the settings, the budget bar, the tabs and the command palette. */
import { mkdirSync, mkdtempSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, test } from "vitest";
import { shows } from "../../src/testing/shows.ts";
import { TABS } from "../../web/panels/tabs.ts";
import { findAccessibilityViolations } from "../support/open-page.ts";
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

describe("the workspace panel", () => {
  test("shows files with tokens and tiers, and adds and removes them", async () => {
    const engine = { workspace: { root: repository } };
    await using chat = await stage.serve({ engine, script: [{ type: "text", text: "By the third quay." }] });
    await using opened = await stage.openTalk(chat);
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
    await page.getByText("The workspace folder has no file nowhere.ts.").waitFor();
    expect(await findAccessibilityViolations(page)).toEqual([]);
    await page.getByRole("button", { name: "Close", exact: true }).click();
    await say(page, "Where is the crane?");
    await page.locator(".message-assistant[data-seq]").waitFor();
    expect(JSON.stringify(chat.provider.requests.at(-1)?.body)).toContain("export const crane");
    await openTab(page, "Workspace");
    await files.filter({ hasText: /harbour\.md\d+ tokens, (?:tier L\d|changing now)/ }).waitFor();
    await page.getByRole("button", { name: "Remove crane.ts" }).click();
    await expect.poll(() => files.count()).toBe(1);
    await page.getByRole("tab", { name: "What the model sees" }).click();
    await page.getByText("By cache stability").waitFor();
    expect(problems).toEqual([]);
  });

  test("warns about a file that does not fit, and says why a web page is rejected", async () => {
    const engine = { workspace: { root: repository }, windowTokens: 4_000, reserveTokens: 500 };
    await using chat = await stage.serve({ engine });
    await using opened = await stage.openTalk(chat);
    const { page, problems } = opened;
    await openTab(page, "Workspace");
    await page.getByRole("button", { name: "large.md" }).click();
    await page.locator(".warning", { hasText: "No room for 1 file" }).waitFor();
    await page.getByLabel("Address of a web page").fill("http://127.0.0.1:9/private");
    await page.getByRole("button", { name: "Add page" }).click();
    await page.getByText(/^Not added: /).waitFor();
    expect(await findAccessibilityViolations(page)).toEqual([]);
    expect(problems).toEqual([]);
  });
});

test("the workspace panel says how to attach a folder", async () => {
  await using chat = await stage.serve();
  await using opened = await stage.openTalk(chat);
  await openTab(opened.page, "Workspace");
  await opened.page.getByText("palimpsest serve --workspace .").waitFor();
  expect(opened.problems).toEqual([]);
});

describe("the settings", () => {
  test("show the current policy, compare presets and validate input, even if they are read-only", async () => {
    await using chat = await stage.serve();
    await using opened = await stage.open(chat.server.url);
    const { page, problems } = opened;
    await page.getByRole("button", { name: "Settings" }).click();
    const sheet = page.getByRole("dialog", { name: "Settings" });
    await sheet.getByText("Policy default, from the defaults.").waitFor();
    await page.locator("h2:focus", { hasText: "Settings" }).waitFor();
    await sheet.getByText("API keys stay on the server").waitFor();
    await sheet.getByText("The policy cannot be changed here").waitFor();
    const names = sheet.locator(".compare thead th");
    await expect.poll(() => names.allTextContents()).toHaveLength(7);
    const block = sheet.locator(".compare tr", { has: page.locator("th", { hasText: /^blockInput$/ }) });
    expect(await block.locator("td").allTextContents()).toEqual(["—", "—", "—", "—", "always", "—"]);
    await sheet.locator("#policy").fill('{ "preset": "default", "targetRatio": 7 }');
    await sheet.locator(".policy-checked", { hasText: /targetRatio: expected .*, found 7/ }).waitFor();
    await sheet.locator("#policy").fill('{ "preset": "default", ');
    await sheet.locator(".policy-checked", { hasText: "Invalid JSON" }).waitFor();
    await sheet.locator("#policy").fill('{ "preset": "default", "targetRatio": 0.4 }');
    await sheet.locator(".policy-checked li", { hasText: "targetRatio: 0.6 → 0.4" }).waitFor();
    expect(await findAccessibilityViolations(page)).toEqual([]);
    await page.keyboard.press("Escape");
    await expect.poll(() => sheet.count()).toBe(0);
    const opener = page.getByRole("button", { name: "Settings" });
    expect(await opener.evaluate((button) => button.matches(":focus"))).toBe(true);
    expect(problems).toEqual([]);
  });
});

test("the policy can be chosen below the composer, and a policy that deletes messages needs a confirmation", async () => {
  const configFile = join(mkdtempSync(join(stage.folder, "policy-")), "policy.json");
  await using chat = await stage.serve({ engine: { configFile } });
  await using opened = await stage.openTalk(chat);
  const { page, problems } = opened;
  const choice = page.getByRole("combobox", { name: "Policy" });
  await expect.poll(() => choice.inputValue()).toBe("default");
  await choice.selectOption("agent-rounds");
  await expect.poll(async () => (await chat.server.ask("GET", "/api/settings")).body.policy.name).toBe("agent-rounds");
  await expect.poll(() => choice.inputValue()).toBe("agent-rounds");
  await choice.selectOption("windowed-sql");
  const sheet = page.getByRole("dialog", { name: "Settings" });
  await sheet.getByText("Delete summarized messages").waitFor();
  expect(await sheet.locator("#policy").inputValue()).toContain('"windowed-sql"');
  expect((await chat.server.ask("GET", "/api/settings")).body.policy.name).toBe("agent-rounds");
  await page.keyboard.press("Escape");
  expect(await choice.inputValue()).toBe("agent-rounds");
  expect(problems).toEqual([]);
});

test("the policy is saved if the server has a configuration file", async () => {
  await using chat = await stage.serve({
    engine: { configFile: join(mkdtempSync(join(stage.folder, "kept-")), "policy.json") },
  });
  await using opened = await stage.openTalk(chat, { size: "phone", colorScheme: "dark" });
  const { page, problems } = opened;
  await page.getByRole("button", { name: "Settings" }).click();
  await page.getByRole("button", { name: "workspace", exact: true }).click();
  await page.locator(".policy-checked li", { hasText: "blockInput" }).waitFor();
  expect(await findAccessibilityViolations(page)).toEqual([]);
  await page.getByRole("button", { name: "Save policy" }).click();
  await page.getByText("Saved. It applies to the next prompt.").waitFor();
  expect((await chat.server.ask("GET", "/api/settings")).body.policy.name).toBe("workspace");
  const sheet = page.getByRole("dialog", { name: "Settings" });
  await sheet.getByText("Policy workspace, from").waitFor();
  await expect.poll(() => sheet.locator("th[data-current=true]").textContent()).toBe("workspace in use");
  // A policy that deletes messages needs a confirmation.
  await page.getByRole("button", { name: "windowed-sql", exact: true }).click();
  await sheet.locator(".warning", { hasText: "Summarized messages are deleted from the log." }).waitFor();
  expect(await page.getByRole("button", { name: "Save policy" }).isDisabled()).toBe(true);
  expect(await findAccessibilityViolations(page)).toEqual([]);
  await page.getByLabel("Delete summarized messages").check();
  await page.getByRole("button", { name: "Save policy" }).click();
  await sheet.getByText("Policy windowed-sql, from").waitFor();
  await expect.poll(() => sheet.locator(".warning").count()).toBe(0);
  await page.keyboard.press("Escape");
  await openTab(page, "What the model sees");
  await page.getByText("Policy windowed-sql, context window").waitFor();
  expect(problems).toEqual([]);
});

describe("the budget bar", () => {
  test(
    shows("C-31", "shows the target and the cached share, and the inspector says how the tokens were counted"),
    async () => {
      const usage = { inputTokens: 400, outputTokens: 20, cacheReadTokens: 300, cacheWriteTokens: 0 };
      await using chat = await stage.serve({ script: [{ type: "text", text: "By the quay.", usage }] });
      await using opened = await stage.openTalk(chat);
      const { page, problems } = opened;
      await say(page, "Where is the crane?");
      await page.locator(".message-assistant[data-seq]").waitFor();
      await page.locator(".budget-text", { hasText: "75% cached" }).waitFor();
      expect(await page.locator(".budget-target").getAttribute("title")).toMatch(
        /^A compaction reduces the prompt to at most/,
      );
      await openTab(page, "What the model sees");
      const figures = page.locator(".panel-part", { hasText: "Tokens by part" });
      await figures.getByText(/Counted by .*(?:estimated|own tokenizer)/).waitFor();
      await figures.getByText(/400 input tokens \(75% cached\), 20 output tokens/).waitFor();
      await figures.getByRole("row", { name: /Conversation/ }).waitFor();
      expect(problems).toEqual([]);
    },
  );

  test(shows("C-27", "shows 'nearly full' at 75 %, and 'full' at 90 %"), async () => {
    await using chat = await stage.serve({ engine: { windowTokens: 2_000, reserveTokens: 0 } });
    await using opened = await stage.openTalk(chat);
    const { page, problems } = opened;
    const bar = page.getByRole("progressbar", { name: "Context window usage" });
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
  test("are in one row, and the selected tab is visible", async () => {
    await using chat = await stage.serve();
    await using opened = await stage.openTalk(chat, { size });
    const { page, problems } = opened;
    await openTab(page, "What the model sees");
    const tabs = await page.getByRole("tab").all();
    // Every tab must be visible on a desktop, and the selected one on a phone.
    expect(await Promise.all(tabs.map((tab) => tab.textContent()))).toEqual(Object.values(TABS));
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

/** Names of tabs that are cut off. */
const HIDDEN_TABS = `(() => {
  const row = document.querySelector(".tabs").getBoundingClientRect();
  return [...document.querySelectorAll("[role=tab]")].flatMap((tab) => {
    const { left, right } = tab.getBoundingClientRect();
    return left >= row.left - 1 && right <= row.right + 1 ? [] : [tab.textContent];
  });
})()`;

describe("the command palette", () => {
  test("runs actions, opens conversations and finds messages by keyboard", async () => {
    await using chat = await stage.serve();
    await chat.server.ask("POST", "/api/sessions", { id: "other", title: "About herons" });
    const messages = [{ role: "user", content: "A kingfisher sat on the mast." }];
    await chat.server.ask("POST", "/api/sessions/other/messages", { messages });
    await using opened = await stage.openTalk(chat);
    const { page, problems } = opened;
    await page.locator("#composer").waitFor();
    const search = async (words: string) => {
      await page.keyboard.press("Control+k");
      // Typed without a click: the field has the focus.
      await page.getByRole("combobox", { name: "Search actions, conversations and messages" }).waitFor();
      await page.keyboard.type(words);
    };
    await search("summaries");
    await expect.poll(() => page.getByRole("option").count()).toBe(1);
    expect(await findAccessibilityViolations(page)).toEqual([]);
    await page.keyboard.press("Enter");
    await page.getByRole("tab", { name: "Summaries", selected: true }).waitFor();
    await search("kingfisher");
    await page.getByRole("option", { name: /Message.*kingfisher/ }).waitFor();
    await page.keyboard.press("Enter");
    await expect.poll(() => page.url()).toMatch(/\/other\/1$/);
    await search("");
    const second = page.getByRole("option").nth(1);
    await page.keyboard.press("ArrowDown");
    await expect.poll(() => second.getAttribute("aria-selected")).toBe("true");
    await page.keyboard.type("a talk");
    // Conversations are loaded when the palette opens.
    await page.getByRole("option", { name: /A talk/ }).waitFor();
    await page.keyboard.press("Enter");
    await expect.poll(() => page.url()).toMatch(/\/talk$/);
    await search("settings");
    await page.keyboard.press("Enter");
    await page.getByRole("dialog", { name: "Settings" }).waitFor();
    expect(problems).toEqual([]);
  });
});
