/** Pictures of short-lived states, such as a notice of a compaction, a disabled composer or a full window. */
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { openTab, writeTalk } from "../../test/support/page-stage.ts";
import { scriptedReplies } from "../../test/support/scripted-provider-reply.ts";
import { ANOTHER_TOPIC, FILLER, SMALL_POLICY, startCompactingChat } from "../../test/support/start-compacting.ts";
import { optionsOf, type Scene } from "./look.ts";

const { slow, unauthorised } = scriptedReplies;

export async function shootCompactions({ stage, look, shoot }: Scene): Promise<void> {
  const options = optionsOf(look);
  await using running = await startCompactingChat(stage, {
    ...options,
    summary: () => slow("The ledger closes at night. ".repeat(3), 3),
  });
  await running.page.locator(".notice", { hasText: /^Compacting… [1-9]\d* s/ }).waitFor();
  await running.page.locator(".blocked").waitFor();
  await shoot(running.page, "compacting");
  await running.page.locator(".notice", { hasText: "Old messages summarized" }).waitFor();
  await running.page.locator(".marker").waitFor();
  await shoot(running.page, "compacted");
  const policy = { ...SMALL_POLICY, blockInput: "full" };
  await using failing = await startCompactingChat(stage, { ...options, policy, summary: unauthorised });
  await failing.page.locator(".notice-failed").waitFor();
  await shoot(failing.page, "compaction-failed");
}

export async function shootHint({ stage, look, shoot }: Scene): Promise<void> {
  await using hinted = await startCompactingChat(stage, { ...optionsOf(look), ...ANOTHER_TOPIC });
  await hinted.page.locator(".topic-hint").waitFor();
  await shoot(hinted.page, "another-topic");
}

export async function shootFullWindow({ stage, look, shoot }: Scene): Promise<void> {
  await using chat = await stage.serve({ engine: { windowTokens: 230, reserveTokens: 200 } });
  await chat.server.ask("POST", "/api/sessions", { id: "talk", title: "A talk" });
  await chat.server.ask("POST", "/api/sessions/talk/messages", { messages: writeTalk(4, () => FILLER.repeat(10)) });
  await using opened = await stage.openTalk(chat, optionsOf(look));
  await opened.page.locator(".blocked").waitFor();
  await shoot(opened.page, "window-full");
}

/** Compacts twice, each time after a preview, so that the second preview shows a changed summary. */
export async function shootPreview({ stage, look, shoot }: Scene): Promise<void> {
  await using chat = await stage.serve();
  const { server } = chat;
  await server.ask("POST", "/api/sessions", { id: "talk", title: "Crates and sheds" });
  const messages = writeTalk(60, (number) => `Part ${number}: crate ${4_099 + number} stands in shed ${number % 7}.`);
  await server.ask("POST", "/api/sessions/talk/messages", { messages });
  await using opened = await stage.openTalk(chat, optionsOf(look));
  const { page } = opened;
  await openTab(page, "Summaries");
  await page.getByLabel("What the summary should focus on").fill("every shed");
  await page.getByRole("button", { name: "Preview compaction" }).click();
  await page.locator("#proposal").waitFor();
  await shoot(page, "preview");
  await page.getByRole("button", { name: "Apply" }).click();
  await page.locator(".summary-live").waitFor();
  const more = writeTalk(40, (number) => `Then ${number}: crate ${number} went to shed ${number % 5}.`);
  const later = more.map((message, index) => ({ ...message, id: `later${index}` }));
  await server.ask("POST", "/api/sessions/talk/messages", { messages: later });
  await page.getByRole("button", { name: "Preview compaction" }).click();
  await page.locator(".line-difference li").first().waitFor();
  await page.locator(".line-difference li").first().scrollIntoViewIfNeeded();
  await shoot(page, "preview-again");
  await page.getByRole("button", { name: "Apply" }).click();
  await page.locator(".summary-card").nth(1).waitFor();
  await page.getByRole("tab", { name: "What the model sees" }).click();
  await page.locator(".difference").waitFor();
  await page.locator(".difference").scrollIntoViewIfNeeded();
  await shoot(page, "difference");
}

export async function shootWorkspace({ stage, look, shoot }: Scene, folder: string): Promise<void> {
  const root = join(folder, "repository");
  mkdirSync(join(root, "docs"), { recursive: true });
  writeFileSync(join(root, "docs/harbour.md"), "# Harbour\n\nThe crane is by the third quay.\n".repeat(8));
  writeFileSync(join(root, "crane.ts"), "export const crane = 'third quay';\n");
  writeFileSync(join(root, "every-crate-by-its-number.md"), "Every crate is listed here by its number. ".repeat(600));
  await using chat = await stage.serve({ engine: { workspace: { root }, windowTokens: 4_000, reserveTokens: 500 } });
  await using opened = await stage.openTalk(chat, optionsOf(look));
  const { page } = opened;
  await openTab(page, "Workspace");
  for (const name of ["docs/harbour.md", "every-crate-by-its-number.md"])
    await page.getByRole("button", { name }).click();
  await page.locator(".warning").waitFor();
  await page.getByLabel("Address of a web page").fill("http://127.0.0.1:9/private");
  await page.getByRole("button", { name: "Add page" }).click();
  await page.getByText(/^Not added: /).waitFor();
  await shoot(page, "workspace");
  await using bare = await stage.serve();
  await using empty = await stage.openTalk(bare, optionsOf(look));
  await openTab(empty.page, "Workspace");
  await empty.page.getByText("palimpsest serve --workspace .").waitFor();
  await shoot(empty.page, "workspace-empty");
}
