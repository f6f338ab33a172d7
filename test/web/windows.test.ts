/** Several windows of the page, and what is done elsewhere: each shows it as it happens, whatever became of the stream. */
import { join } from "node:path";
import type { Page } from "playwright-core";
import { expect, test } from "vitest";
import { hashToken, newToken } from "../../src/server/tokens.ts";
import { openTab, reach, writeTalk } from "../support/page-stage.ts";
import { stagePage } from "../support/stage-page.ts";
import type { StartedChat } from "../support/start-chat.ts";

const stage = stagePage();

/** Shorter than the while after which the page looks by itself. */
const PROMPTLY = { timeout: 20_000 };

const said = (content: string) => ({ messages: [{ role: "user", content }] });
const told = (page: Page, text: string) => page.locator(".message-user[data-seq]", { hasText: text });

async function countStreams({ server }: StartedChat): Promise<string | undefined> {
  return /palimpsest_active_streams\{kind="events"\} (\d+)/.exec((await server.ask("GET", "/metrics")).body)?.[1];
}

test("what was said before the stream began is there when it begins, and after the server was started anew", async () => {
  const store = `sqlite:${join(stage.folder, "restarted.db")}`;
  await using first = await stage.serve({ store });
  await using opened = await stage.open(first.server.url);
  const { page } = opened;
  await first.server.ask("POST", "/api/sessions", { id: "talk", title: "A talk" });
  const gate = Promise.withResolvers<void>();
  await page.route("**/api/events*", async (route) => {
    await gate.promise;
    await route.continue();
  });
  await page.goto(`${first.server.url}/#/sessions/talk`);
  await page.reload();
  await page.getByText("Say something").waitFor();
  await first.server.ask("POST", "/api/sessions/talk/messages", said("Said too early."));
  gate.resolve();
  await told(page, "Said too early.").waitFor(PROMPTLY);
  // Two at once are both there, however the answers come.
  await Promise.all(
    ["One.", "Two.", "Three."].map((each) => first.server.ask("POST", "/api/sessions/talk/messages", said(each))),
  );
  for (const each of ["One.", "Two.", "Three."]) await told(page, each).waitFor(PROMPTLY);

  await first.server[Symbol.asyncDispose]();
  const port = Number(new URL(first.server.url).port);
  await using second = await stage.serve({ store, port });
  await second.server.ask("POST", "/api/sessions/talk/messages", said("Said meanwhile."));
  await told(page, "Said meanwhile.").waitFor(PROMPTLY);
});

test("eight windows share one stream; when the one that holds it goes, another does, and none misses anything", async () => {
  await using chat = await stage.serve();
  await using opened = await stage.openTalk(chat);
  const { page: first, problems } = opened;
  await first.getByText("Say something").waitFor();
  const others: Page[] = [];
  for (let count = 1; count < 8; count += 1) {
    const page = await first.context().newPage();
    await page.goto(first.url());
    await page.getByText("Say something").waitFor();
    others.push(page);
  }
  await chat.server.ask("POST", "/api/sessions/talk/messages", said("To all of you."));
  for (const page of [first, ...others]) await told(page, "To all of you.").waitFor(PROMPTLY);
  expect(await countStreams(chat)).toBe("1");
  await first.close();
  await chat.server.ask("POST", "/api/sessions/talk/messages", said("To those who stay."));
  for (const page of others) await told(page, "To those who stay.").waitFor(PROMPTLY);
  await chat.server.ask("POST", "/api/sessions/talk/messages", said("Once more."));
  for (const page of others) await told(page, "Once more.").waitFor(PROMPTLY);
  expect(await countStreams(chat)).toBe("1");
  expect(problems).toEqual([]);
});

test("a window with another token hears nothing of what is not its own", async () => {
  const [ours, theirs] = [newToken(), newToken()];
  const tokens = [
    { hash: hashToken(ours), tenantId: "anna" },
    { hash: hashToken(theirs), tenantId: "ben" },
  ];
  await using chat = await stage.serve({ tokens });
  const ask = (token: string, path: string, body: object) =>
    chat.server.ask("POST", path, body, { authorization: `Bearer ${token}` });
  // The same id, so that only the windows can tell whose it is.
  for (const token of [ours, theirs]) await ask(token, "/api/sessions", { id: "talk", title: "A talk" });
  await using opened = await stage.open(`${chat.server.url}/#/sessions/talk`);
  const { page: mine, problems } = opened;
  const yours = await mine.context().newPage();
  await yours.goto(mine.url());
  for (const [page, token] of [
    [mine, ours],
    [yours, theirs],
  ] as const) {
    await page.getByLabel("Token", { exact: true }).fill(token);
    await page.getByLabel("Token", { exact: true }).press("Enter");
    await page.getByText("Say something").waitFor();
  }
  await ask(ours, "/api/sessions/talk/messages", said("For Anna."));
  await told(mine, "For Anna.").waitFor(PROMPTLY);
  // Ben's window reads when Ben's own grows, and not before.
  let reads = 0;
  yours.on("request", (request) => {
    if (request.url().includes("/talk/strip")) reads += 1;
  });
  await ask(ours, "/api/sessions/talk/messages", said("For Anna again."));
  await told(mine, "For Anna again.").waitFor(PROMPTLY);
  expect(reads).toBe(0);
  await ask(theirs, "/api/sessions/talk/messages", said("For Ben."));
  await told(yours, "For Ben.").waitFor(PROMPTLY);
  expect(await yours.getByText("For Anna").count()).toBe(0);
  expect(problems).toEqual([]);
});

test("a conversation that is deleted elsewhere is said to be gone when it goes, and the words stay", async () => {
  await using chat = await stage.serve();
  await using opened = await stage.openTalk(chat);
  const { page } = opened;
  await chat.server.ask("POST", "/api/sessions", { id: "beside", title: "Beside it" });
  await chat.server.ask("POST", "/api/sessions/beside/messages", said("Something else."));
  await chat.server.ask("POST", "/api/sessions/talk/messages", {
    messages: writeTalk(2, (number) => `Words ${number}`),
  });
  await page.locator(".session-list").getByText("Beside it").waitFor(PROMPTLY);
  await told(page, "Words 1").waitFor(PROMPTLY);
  await page.fill("#composer", "Half a sent");
  await chat.server.ask("DELETE", "/api/sessions/beside");
  await chat.server.ask("DELETE", "/api/sessions/talk");
  await page.getByRole("alert").getByText("This conversation is not here").waitFor(PROMPTLY);
  expect(await page.inputValue("#composer")).toBe("Half a sent");
  await page
    .locator(".session-list")
    .getByText("Beside it")
    .waitFor({ state: "detached", ...PROMPTLY });
  await page.getByRole("button", { name: "Begin a new one with it" }).dblclick();
  await expect.poll(() => page.inputValue("#composer")).toBe("Half a sent");
  const { sessions } = (await chat.server.ask("GET", "/api/sessions")).body;
  expect(sessions.length).toBe(1);
});

test("two quick clicks make one thing; a fork asks the model of its parent, until somebody signs out", async () => {
  const token = newToken();
  const authorization = { authorization: `Bearer ${token}` };
  await using chat = await stage.serve({
    tokens: [{ hash: hashToken(token), tenantId: "anna" }],
    other: { id: "anthropic", wire: "anthropic" },
  });
  const ask = (method: string, path: string, body?: object) => chat.server.ask(method, path, body, authorization);
  await ask("POST", "/api/sessions", { id: "talk", title: "A talk" });
  const words = (number: number) => `Point ${number}. ${"Words in here. ".repeat(20)}`;
  await ask("POST", "/api/sessions/talk/messages", { messages: writeTalk(50, words) });
  await using opened = await stage.open(`${chat.server.url}/#/sessions/talk`);
  const { page, problems } = opened;
  await page.getByLabel("Token", { exact: true }).fill(token);
  await page.getByLabel("Token", { exact: true }).press("Enter");
  const row = page.locator('.message[data-seq="50"]');
  await row.waitFor();
  await page.getByLabel("Model").selectOption("anthropic");

  await page.getByRole("button", { name: "Clear context" }).dblclick();
  // Not heard while the first one is under way, and needless after it.
  await expect
    .poll(async () => {
      await page.getByRole("button", { name: "Clear context" }).click();
      return page.getByText("Nothing was said since you started over.").count();
    })
    .toBe(1);
  await expect.poll(() => page.locator(".notice-running").count()).toBe(0);
  const kinds = async (types: string) =>
    (await ask("GET", `/api/sessions/talk/entries?types=${types}`)).body.entries.length;
  expect(await kinds("clear")).toBe(1);
  await page.getByRole("button", { name: "Undo" }).click();
  await page.getByText("Taken back: starting over.").waitFor();

  await reach(row);
  await row.getByRole("button", { name: "Pin" }).dblclick();
  await row.getByRole("button", { name: "Unpin" }).waitFor();
  expect([await kinds("pin"), await kinds("unpin")]).toEqual([1, 0]);

  const looks: (string | undefined)[] = [];
  page.on("request", (request) => {
    if (request.url().includes("/previews")) looks.push(request.url().split("/").at(-1));
  });
  await openTab(page, "Summaries");
  await page.getByRole("button", { name: "Preview a compaction" }).dblclick();
  await page.getByRole("button", { name: "Apply" }).dblclick();
  await page.locator(".summary-live").waitFor();
  expect(looks).toEqual(["previews", "apply"]);
  expect(await kinds("summary")).toBe(1);

  await reach(row);
  await row.getByRole("button", { name: "Fork" }).dblclick();
  await page.waitForURL((url) => !url.hash.endsWith("/talk"));
  await row.waitFor();
  expect((await ask("GET", "/api/sessions/talk/forks")).body.sessions.length).toBe(1);
  await expect.poll(() => page.getByLabel("Model").inputValue()).toBe("anthropic");
  await page.goto(`${chat.server.url}/#/`);
  await page.getByRole("button", { name: "Chat" }).dblclick();
  await page.getByText("Say something").waitFor();
  expect((await ask("GET", "/api/sessions")).body.sessions.length).toBe(3);
  await page.fill("#composer", "A secret of Anna's");
  expect(problems).toEqual([]);

  await page.getByRole("button", { name: "Sign out" }).click();
  await page.getByLabel("Token", { exact: true }).waitFor();
  expect(await page.evaluate("JSON.stringify(sessionStorage)")).toBe("{}");
});
