/** Actions on messages, the cost of a conversation, and branches, in a real browser. */
import { mkdtempSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Page } from "playwright-core";
import { describe, expect, test } from "vitest";
import { findAccessibilityViolations, SIZES } from "../support/open-page.ts";
import { say } from "../support/page-stage.ts";
import type { ProviderScript } from "../support/scripted-provider.ts";
import { scriptedReplies } from "../support/scripted-provider-reply.ts";
import { stagePage } from "../support/stage-page.ts";
import type { StartedChat } from "../support/start-chat.ts";

const { text, unauthorised } = scriptedReplies;

const stage = stagePage();

/** Counts the object URLs of images, so that a test can see that they are released. */
const COUNT_COPIES = `(() => {
  window.copies = new Set();
  const [create, revoke] = [URL.createObjectURL, URL.revokeObjectURL];
  URL.createObjectURL = (value) => { const url = create.call(URL, value); window.copies.add(url); return url; };
  URL.revokeObjectURL = (url) => { window.copies.delete(url); revoke.call(URL, url); };
})()`;

const answered = (page: Page, words: string) =>
  page.locator(".message-assistant[data-seq]", { hasText: words }).waitFor();

const bodyOf = (chat: StartedChat) => JSON.stringify(chat.provider.requests.at(-1)?.body);

describe("the cost of a conversation", () => {
  test("is shown with its total and over time, and a fork shows only its own costs", async () => {
    const usage = { inputTokens: 4_000, outputTokens: 200, cacheReadTokens: 3_000, cacheWriteTokens: 0 };
    await using chat = await stage.serve({ script: () => ({ type: "text", text: "By the quay.", usage }) });
    await using opened = await stage.openTalk(chat);
    const { page } = opened;
    for (const words of ["Where is the crane?", "And the ferry?"]) {
      await say(page, words);
      await expect.poll(() => page.locator(".message-assistant[data-seq]").count()).toBe(words.startsWith("W") ? 1 : 2);
    }
    const costUsd = (2 * (1_000 * 0.4 + 3_000 * 0.1 + 200 * 1.6)) / 1e6;
    const cost = `$${costUsd.toFixed(4)}`;
    const line = page.locator(".budget-text", { hasText: `75% cached, ${cost}` });
    await line.click();
    const details = page.locator("#budget-details");
    await details.getByText(`Cost so far: ${cost}, exact (2 answers ${cost}, 0 summaries $0).`).waitFor();
    await details.getByText(/4,000 input tokens \(75% cached\), 200 output tokens, as reported/).waitFor();
    expect(await findAccessibilityViolations(page)).toEqual([]);
    await details.getByRole("button", { name: "Cost and usage over time" }).click();
    const panel = page.locator("#panel-usage");
    await panel.getByRole("img", { name: "Input and output of 2 answers, at most 4,200 tokens." }).waitFor();
    await panel.getByRole("row", { name: /gpt-4\.1-mini.*8,000.*75%.*400/ }).waitFor();
    await panel.getByText("Table, newest first").click();
    expect(await panel.locator("details tbody tr").count()).toBe(2);
    // Costs before the branch belong to the parent and are not shown in the fork.
    const { id } = (await chat.server.ask("POST", "/api/sessions/talk/forks", {})).body;
    await page.goto(`${chat.server.url}/#/sessions/${id}`);
    await page.locator(".budget-text").click();
    await details.getByText("Cost since the branch: $0 (0 answers $0, 0 summaries $0).").waitFor();
    await details.getByRole("button", { name: "Cost and usage over time" }).click();
    await panel.getByText("No usage").waitFor();
    expect(await panel.locator("tr").count()).toBe(0);
    await panel.getByRole("link", { name: "the original conversation" }).click();
    await line.waitFor();
    expect(await findAccessibilityViolations(page)).toEqual([]);
    expect(opened.problems).toEqual([]);
  });

  test("is unknown if the model has no known price", async () => {
    await using chat = await stage.serve();
    const { ask } = chat.server;
    await ask("POST", "/api/sessions", { id: "talk", title: "A talk" });
    const next = [{ role: "user", content: "How many islands are there?" }];
    const { body } = await ask("POST", "/api/sessions/talk/prompts", { model: "my-own-model", next });
    const messages = [{ role: "assistant", content: "There are seven of them." }];
    const usage = { inputTokens: 400, outputTokens: 10 };
    await ask("POST", "/api/sessions/talk/messages", { messages, promptId: body.id, usage });
    await using opened = await stage.open(`${chat.server.url}/#/sessions/talk`, { viewport: SIZES.phone });
    const { page } = opened;
    await page.locator(".budget-text", { hasText: "0% cached" }).click();
    await page.locator("#budget-details").getByText("Cost so far: price unknown (1 answer").waitFor();
    expect(await findAccessibilityViolations(page)).toEqual([]);
    expect(opened.problems).toEqual([]);
  });
});

const PIXEL = Buffer.from(
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==",
  "base64",
);
const GIF = Buffer.from("R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7", "base64");

describe("a message with images", () => {
  test("keeps its images when it is edited, regenerated or retried, and the page releases their object URLs", async () => {
    const replies = [unauthorised(), text("A dot."), text("Another dot."), text("Two dots.")];
    const script: ProviderScript = () => replies.shift() ?? text("Nothing.");
    await using chat = await stage.serve({ script });
    await using opened = await stage.openTalk(chat, { initScript: COUNT_COPIES });
    const { page } = opened;
    const files = page.getByLabel("Images", { exact: true });
    const shelf = page.getByRole("list", { name: "Images of this message" }).getByRole("listitem");
    const pictures = page.locator(".message-user[data-seq] img.picture");
    await files.setInputFiles({ name: "dot.png", mimeType: "image/png", buffer: PIXEL });
    await expect.poll(() => shelf.count()).toBe(1);
    await say(page, "What is this?");
    await page.locator(".turn-end").waitFor();
    await page.reload();
    await page.getByRole("button", { name: "Try again" }).click();
    await answered(page, "A dot.");
    expect(bodyOf(chat)).toContain(PIXEL.toString("base64"));
    await page.getByRole("button", { name: "Regenerate" }).click();
    await answered(page, "Another dot.");
    expect(bodyOf(chat)).toContain(PIXEL.toString("base64"));
    await expect.poll(() => pictures.count()).toBe(1);
    await page.getByRole("button", { name: "Edit" }).click();
    await expect.poll(() => shelf.count()).toBe(1);
    expect(await shelf.locator("img").getAttribute("alt")).toBe("dot.png");
    await files.setInputFiles({ name: "second.gif", mimeType: "image/gif", buffer: GIF });
    await expect.poll(() => shelf.count()).toBe(2);
    await expect.poll(() => page.evaluate("window.copies.size")).toBe(1);
    expect(await findAccessibilityViolations(page)).toEqual([]);
    await say(page, "What are these?");
    await answered(page, "Two dots.");
    await expect.poll(() => pictures.count()).toBe(2);
    for (const image of [PIXEL, GIF]) expect(bodyOf(chat)).toContain(image.toString("base64"));
    await expect.poll(() => page.evaluate("window.copies.size")).toBe(0);
    expect(opened.problems).toEqual([]);
  });
});

const FILLER = "The ledger keeps one row for every invoice and closes at night. ";

describe("a message that the model no longer reads", () => {
  test("can be quoted in the next message, and the quotation can be removed", async () => {
    await using chat = await stage.serve({ script: [text("It was the blue one.")] });
    const { ask } = chat.server;
    await ask("POST", "/api/sessions", { id: "talk", title: "A talk" });
    const messages = Array.from({ length: 12 }, (_, index) => ({
      role: index % 2 === 0 ? "user" : "assistant",
      content: index === 0 ? "The password of the harbour is kingfisher." : `Part ${index}: ${FILLER.repeat(4)}`,
    }));
    await ask("POST", "/api/sessions/talk/messages", { messages });
    await ask("POST", "/api/sessions/talk/clear", {});
    await ask("POST", "/api/sessions/talk/messages", { messages: [{ role: "user", content: "New topic." }] });
    await using opened = await stage.open(`${chat.server.url}/#/sessions/talk`);
    const { page } = opened;
    const first = page.locator('.message[data-seq="1"]');
    await expect.poll(() => first.getAttribute("data-fate")).toBe("cleared");
    const quote = async (seq: number) => {
      await page.locator(`.message[data-seq="${seq}"]`).hover();
      await page.locator(`.message[data-seq="${seq}"]`).getByRole("button", { name: "Quote" }).click();
    };
    const shelf = page.getByRole("list", { name: "Quoted in this message" }).getByRole("listitem");
    await quote(1);
    await quote(2);
    await expect.poll(() => shelf.count()).toBe(2);
    expect(await page.locator("#composer").evaluate((field) => field.matches(":focus"))).toBe(true);
    expect(await findAccessibilityViolations(page)).toEqual([]);
    await page.getByRole("button", { name: "Unquote message 2" }).click();
    const newest = page.locator(".message", { hasText: "New topic." });
    expect(await newest.getByRole("button", { name: "Quote" }).count()).toBe(0);
    await say(page, "Which was it?");
    await answered(page, "It was the blue one.");
    const sent = bodyOf(chat);
    expect(sent).toContain("> The password of the harbour is kingfisher.");
    expect(sent).not.toContain("Part 1:");
    expect(await shelf.count()).toBe(0);
    expect(opened.problems).toEqual([]);
  });
});

describe("workspace files that do not fit", () => {
  test("are listed in a notice that is not an error", async () => {
    const repository = mkdtempSync(join(stage.folder, "repository-"));
    writeFileSync(join(repository, "large.md"), "Every crate is listed here by its number. ".repeat(600));
    const engine = { workspace: { root: repository }, windowTokens: 4_000, reserveTokens: 500 };
    await using chat = await stage.serve({ engine, script: [text("By the third quay.")] });
    await using opened = await stage.openTalk(chat);
    const { page } = opened;
    await chat.server.ask("POST", "/api/sessions/talk/workspace/files", { path: "large.md" });
    await say(page, "Where is the crane?");
    await page.locator(".notice", { hasText: "No room for large.md: the model no longer sees it." }).waitFor();
    await answered(page, "By the third quay.");
    expect(await page.getByText("Compaction failed").count()).toBe(0);
    await expect.poll(() => page.locator(".notice-running").count()).toBe(0);
    expect(opened.problems).toEqual([]);
  });
});

describe("the difference from the last prompt", () => {
  test("shows the added messages in two formats, and a note if no prompt was sent yet", async () => {
    await using chat = await stage.serve({ script: [text("By the third quay."), text("At nine.")] });
    await using opened = await stage.openTalk(chat);
    const { page } = opened;
    await page.getByRole("button", { name: "Inspect" }).click();
    const difference = page.locator(".difference");
    await difference.getByText("No prompt has been sent yet.").waitFor();
    await say(page, "Where is the crane?");
    await answered(page, "By the third quay.");
    await difference.locator(".block-added", { hasText: "By the third quay." }).waitFor();
    expect(await difference.locator(".prompt-block").count()).toBe(1);
    await page.reload();
    await page.getByRole("button", { name: "Inspect" }).click();
    await difference.locator(".block-added", { hasText: "By the third quay." }).waitFor();
    await page.locator(".choice select").selectOption("anthropic");
    await difference.locator(".block-added", { hasText: "By the third quay." }).waitFor();
    expect(await difference.locator(".prompt-block").count()).toBe(1);
    expect(await findAccessibilityViolations(page)).toEqual([]);
    expect(opened.problems).toEqual([]);
  });
});

describe("the branches of a conversation", () => {
  test("link every fork with its siblings, in both directions, even a fork of a fork", async () => {
    await using chat = await stage.serve();
    const { ask } = chat.server;
    await ask("POST", "/api/sessions", { id: "talk", title: "A talk" });
    const say = async (id: string, words: string) =>
      ask("POST", `/api/sessions/${id}/messages`, { messages: [{ role: "user", content: words }] });
    const fork = async (id: string, { atSeq, words }: { readonly atSeq: number; readonly words: string }) => {
      const { body } = await ask("POST", `/api/sessions/${id}/forks`, { atSeq });
      await say(body.id, words);
      return body.id;
    };
    for (const words of ["Trunk one", "Trunk two", "Trunk three", "Trunk four"]) await say("talk", words);
    const second = await fork("talk", { atSeq: 3, words: "Second four" });
    await say(second, "Second five");
    await fork(second, { atSeq: 1, words: "Early two" });
    const late = await fork(second, { atSeq: 4, words: "Late five" });
    await fork(late, { atSeq: 3, words: "Last four" });
    await using opened = await stage.open(`${chat.server.url}/#/sessions/talk`);
    const { page } = opened;
    const at = (words: string) => page.locator(".message", { hasText: words });
    const branchesAt = (words: string) => at(words).getByRole("navigation", { name: "Branches from here" });
    const steps = [
      ["Trunk two", "1/2", "Next branch", "Early two", "2/2"],
      ["Early two", "2/2", "Previous branch", "Trunk two", "1/2"],
      ["Trunk four", "1/3", "Next branch", "Second four", "2/3"],
      ["Second five", "1/2", "Next branch", "Late five", "2/2"],
      ["Second four", "2/3", "Next branch", "Last four", "3/3"],
      ["Trunk two", "1/2", "Next branch", "Early two", "2/2"],
    ] as const;
    for (const [from, place, link, to, next] of steps) {
      await branchesAt(from).getByText(place).waitFor();
      await branchesAt(from).getByRole("link", { name: link }).click();
      await branchesAt(to).getByText(next).waitFor();
    }
    // An empty branch has no message to show the links at.
    const { id: silent } = (await ask("POST", `/api/sessions/${late}/forks`, { atSeq: 5 })).body;
    await page.goto(`${chat.server.url}/#/sessions/${silent}`);
    await page.locator(".conversation > .branches").getByText("2/2").waitFor();
    expect(opened.problems).toEqual([]);
  });

  test("are found among more than a hundred newer conversations", async () => {
    await using chat = await stage.serve();
    const { ask } = chat.server;
    await ask("POST", "/api/sessions", { id: "talk", title: "A talk" });
    const messages = ["One?", "Yes, one.", "Two?"].map((content, index) => ({
      role: index === 1 ? "assistant" : "user",
      content,
    }));
    await ask("POST", "/api/sessions/talk/messages", { messages });
    const { id } = (await ask("POST", "/api/sessions/talk/forks", { atSeq: 2 })).body;
    await ask("POST", `/api/sessions/${id}/messages`, { messages: [{ role: "user", content: "Another two?" }] });
    for (let count = 0; count < 110; count += 1) await ask("POST", "/api/sessions", {});
    await using opened = await stage.open(`${chat.server.url}/#/sessions/talk`);
    const { page } = opened;
    const branches = page.getByRole("navigation", { name: "Branches from here" });
    await branches.getByText("1/2").waitFor();
    await branches.getByRole("link", { name: "Next branch" }).click();
    await page.locator(".message", { hasText: "Another two?" }).waitFor();
    await branches.getByText("2/2").waitFor();
    expect(opened.problems).toEqual([]);
  });
});
