/** The page of a server with tokens: signing in, using the token, and signing out. */
import { readFile } from "node:fs/promises";
import type { Page } from "playwright-core";
import { describe, expect, test } from "vitest";
import { hashToken, newToken } from "../../src/server/access/tokens.ts";
import { findAccessibilityViolations } from "../support/open-page.ts";
import { BOTH_SIZES, say, showHistory, showMessageButtons } from "../support/page-stage.ts";
import { scriptedReplies } from "../support/scripted-provider-reply.ts";
import { stagePage } from "../support/stage-page.ts";
import type { StartedChat } from "../support/start-chat.ts";

const stage = stagePage();

const PIXEL = Buffer.from(
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==",
  "base64",
);
const [ours, theirs] = [newToken(), newToken()];
const tokens = [
  { hash: hashToken(ours), tenantId: "anna" },
  { hash: hashToken(theirs), tenantId: "ben" },
];

/** The browser logs refused requests to its console. */
const refusals = (url: string) => [
  "console: Failed to load resource: the server responded with a status of 401 (Unauthorized)",
  `refused: 401 ${url}`,
];

const field = (page: Page) => page.getByLabel("Token", { exact: true });

async function give(page: Page, token: string): Promise<void> {
  await field(page).fill(token);
  await field(page).press("Enter");
}

async function begin({ server }: StartedChat, token: string, title: string): Promise<string> {
  const made = await server.ask("POST", "/api/sessions", { title }, { authorization: `Bearer ${token}` });
  return made.body.id;
}

describe.each(BOTH_SIZES)("the sign-in form on a %s", (size) => {
  test("asks for a token, and explains why a wrong token is rejected", async () => {
    await using chat = await stage.serve({ tokens });
    await begin(chat, ours, "Anna's own");
    for (const colorScheme of ["light", "dark"] as const) {
      await using opened = await stage.open(chat.server.url, { size, colorScheme });
      const { page, problems } = opened;
      await page.getByRole("heading", { name: "Sign in" }).waitFor();
      expect(await page.evaluate("document.activeElement.id")).toBe("token");
      expect(await field(page).getAttribute("type")).toBe("password");
      expect(await page.getByText("palimpsest token add").count()).toBe(1);
      await field(page).press("Enter");
      await page.getByRole("alert").getByText("Enter your token.").waitFor();
      await give(page, "a key — of iron");
      await page.getByRole("alert").getByText("This is not a token").waitFor();
      expect(problems).toEqual([]);
      await give(page, newToken());
      await page.getByRole("alert").getByText("This server does not know the token, or it has expired.").waitFor();
      expect(await page.evaluate("document.activeElement.id")).toBe("token");
      expect(await findAccessibilityViolations(page)).toEqual([]);
      expect(problems.toSorted()).toEqual(refusals(`${chat.server.url}/api/sessions?limit=1`));
      await give(page, ` ${ours}\n`);
      await page.getByRole("heading", { name: "See what the model sees" }).waitFor();
      await showHistory(page, size);
      await page.getByRole("link", { name: "Anna's own" }).waitFor();
      expect(problems.length).toBe(2);
    }
  });
});

test("every request sends the token until the user signs out, and the page shows only the tenant's data", async () => {
  await using chat = await stage.serve({ tokens, script: [scriptedReplies.text("A dot.")] });
  const { url } = chat.server;
  const id = await begin(chat, ours, "Anna's own");
  await begin(chat, theirs, "Ben's own");
  await using opened = await stage.open(`${url}/#/sessions/${id}`);
  const { page, problems } = opened;
  const asked: string[] = [];
  page.on("request", (request) => asked.push(request.url()));
  const events = page.waitForResponse((response) => response.url().includes("/api/events"));
  await give(page, ours);
  expect((await events).status()).toBe(200);

  // A chat, with an image before and after it is in the log.
  const image = { name: "dot.png", mimeType: "image/png", buffer: PIXEL };
  await page.getByLabel("Images", { exact: true }).setInputFiles(image);
  await page.getByRole("button", { name: "Remove dot.png" }).waitFor();
  await say(page, "What is this?");
  await page.locator(".message-assistant[data-seq]", { hasText: "A dot." }).waitFor();
  const width = () => page.evaluate("document.querySelector('.message-user[data-seq] img.picture')?.naturalWidth");
  await expect.poll(width).toBe(1);

  // A change by another client arrives over the event stream.
  const message = { role: "user", content: "Said in the terminal." };
  await chat.server.ask("POST", `/api/sessions/${id}/messages`, { messages: [message] }, bearer(ours));
  await page.locator(".message-user", { hasText: "Said in the terminal." }).waitFor();

  // Editing the message shows the image again.
  const asking = page.locator(".message-user[data-seq]", { hasText: "What is this?" });
  await showMessageButtons(asking);
  await asking.getByRole("button", { name: "Edit" }).click();
  await expect.poll(() => page.evaluate("document.querySelector('.pending-uploads img')?.naturalWidth")).toBe(1);

  // A reload keeps the token; another tab has none.
  await page.reload();
  await page.locator(".message-assistant[data-seq]", { hasText: "A dot." }).waitFor();
  await expect.poll(width).toBe(1);
  expect(await page.evaluate("Object.keys(localStorage).join()")).not.toContain("token");
  const other = await page.context().newPage();
  await other.goto(url);
  await field(other).waitFor();

  // The export equals the server's, byte for byte.
  const download = page.waitForEvent("download");
  await page.getByRole("button", { name: "Conversation menu" }).click();
  await page.getByRole("button", { name: "Export the whole log" }).click();
  const saved = await download;
  const exported = await chat.server.ask("GET", `/api/sessions/${id}/export`, undefined, bearer(ours));
  expect(exported.headers.get("content-disposition")).toContain(saved.suggestedFilename());
  const text = await readFile(await saved.path(), "utf8");
  expect(text).toContain("Said in the terminal.");
  expect(text).toBe(exported.body);

  // A search for a token is refused because of its address, and does not sign the user out.
  expect(await page.getByRole("link", { name: "Ben's own" }).count()).toBe(0);
  expect(problems).toEqual([]);
  await page.fill("#search", "plm_");
  await page.getByText("Do not put a token into an address").waitFor();
  await page.fill("#search", "");
  await page.getByRole("link", { name: "Anna's own" }).waitFor();

  // Signing out removes the token, the drafts and the copies of images.
  await page.fill("#composer", "Half a thought of Anna's");
  await page.getByRole("button", { name: "Sign out" }).click();
  await field(page).waitFor();
  expect(await page.evaluate("sessionStorage.length")).toBe(0);
  expect(await page.evaluate("indexedDB.databases()")).toEqual([]);
  await give(page, theirs);
  await page.getByRole("link", { name: "Ben's own" }).waitFor();
  expect(await page.getByText("Anna's own").count()).toBe(0);
  await page.goto(`${url}/#/sessions/${id}`);
  await page.getByText("This conversation does not exist").first().waitFor();
  expect(await page.getByText("A dot.").count()).toBe(0);
  await page.keyboard.press("Control+k");
  await page.getByRole("combobox").fill("sign out");
  await page.getByRole("combobox").press("Enter");
  await field(page).waitFor();
  expect(problems.filter((problem) => problem.startsWith("refused: 401") && !problem.includes("query=plm_"))).toEqual(
    [],
  );
  expect(asked.filter((address) => address.includes(ours) || address.includes(theirs))).toEqual([]);
  expect(JSON.stringify(chat.server.logged)).not.toMatch(new RegExp(`${ours}|${theirs}`));
});

test("a revoked token shows the sign-in form, and a new one opens the same conversation", async () => {
  const rows = [...tokens];
  await using chat = await stage.serve({ tokens: rows });
  const id = await begin(chat, ours, "Anna's own");
  await using opened = await stage.open(`${chat.server.url}/#/sessions/${id}`);
  const { page } = opened;
  await give(page, ours);
  await page.getByRole("heading", { name: "Anna's own" }).waitFor();
  const next = newToken();
  rows.splice(0, 1, { hash: hashToken(next), tenantId: "anna" });
  // The next request is refused.
  await page.evaluate("window.dispatchEvent(new Event('focus'))");
  await page.getByRole("alert").getByText("Your token is no longer valid.").waitFor();
  await give(page, next);
  await page.getByRole("heading", { name: "Anna's own" }).waitFor();
});

function bearer(token: string): Readonly<Record<string, string>> {
  return { authorization: `Bearer ${token}` };
}
