/** Several windows of the page and other clients: each window shows changes as they happen. */
import { join } from "node:path";
import type { Page } from "playwright-core";
import { expect, test } from "vitest";
import { hashToken, newToken } from "../../src/server/access/tokens.ts";
import { openTab, showMessageButtons, writeTalk } from "../support/page-stage.ts";
import { stagePage } from "../support/stage-page.ts";
import type { StartedChat } from "../support/start-chat.ts";

const stage = stagePage();

/** Without polling, changes arrive by events only. */
const BY_EVENTS = { polls: false } as const;

const createMessage = (content: string) => ({ messages: [{ role: "user", content }] });
const message = (page: Page, text: string) => page.locator(".message-user[data-seq]", { hasText: text });

async function countStreams({ server }: StartedChat): Promise<string | undefined> {
  return /palimpsest_active_streams\{kind="events"\} (\d+)/.exec((await server.ask("GET", "/metrics")).body)?.[1];
}

test("messages that were stored before the event stream opened are shown, even after a restart of the server", async () => {
  const store = `sqlite:${join(stage.folder, "restarted.db")}`;
  await using first = await stage.serve({ store });
  await using opened = await stage.open(first.server.url, BY_EVENTS);
  const { page } = opened;
  await first.server.ask("POST", "/api/sessions", { id: "talk", title: "A talk" });
  const gate = Promise.withResolvers<void>();
  await page.route("**/api/events*", async (route) => {
    await gate.promise;
    await route.continue();
  });
  await page.goto(`${first.server.url}/#/sessions/talk`);
  await page.reload();
  await page.getByRole("heading", { name: "Write a message" }).waitFor();
  await first.server.ask("POST", "/api/sessions/talk/messages", createMessage("Said too early."));
  gate.resolve();
  await message(page, "Said too early.").waitFor();
  // Concurrent messages are all shown.
  await Promise.all(
    ["One.", "Two.", "Three."].map((each) =>
      first.server.ask("POST", "/api/sessions/talk/messages", createMessage(each)),
    ),
  );
  for (const each of ["One.", "Two.", "Three."]) await message(page, each).waitFor();

  await first.server[Symbol.asyncDispose]();
  const port = Number(new URL(first.server.url).port);
  await using second = await stage.serve({ store, port });
  await second.server.ask("POST", "/api/sessions/talk/messages", createMessage("Said meanwhile."));
  await message(page, "Said meanwhile.").waitFor();
});

test("eight windows share one event stream, and another window takes it over without a gap", async () => {
  await using chat = await stage.serve();
  await using opened = await stage.openTalk(chat, BY_EVENTS);
  const { page: first, problems } = opened;
  await first.getByRole("heading", { name: "Write a message" }).waitFor();
  const others: Page[] = [];
  for (let count = 1; count < 8; count += 1) {
    const page = await first.context().newPage();
    await page.goto(first.url());
    await page.getByRole("heading", { name: "Write a message" }).waitFor();
    others.push(page);
  }
  await chat.server.ask("POST", "/api/sessions/talk/messages", createMessage("To all of you."));
  for (const page of [first, ...others]) await message(page, "To all of you.").waitFor();
  expect(await countStreams(chat)).toBe("1");
  await first.close();
  await chat.server.ask("POST", "/api/sessions/talk/messages", createMessage("To those who stay."));
  for (const page of others) await message(page, "To those who stay.").waitFor();
  await chat.server.ask("POST", "/api/sessions/talk/messages", createMessage("Once more."));
  for (const page of others) await message(page, "Once more.").waitFor();
  expect(await countStreams(chat)).toBe("1");
  expect(problems).toEqual([]);
});

test("a window with another token gets no events of other tenants", async () => {
  const [ours, theirs] = [newToken(), newToken()];
  const tokens = [
    { hash: hashToken(ours), tenantId: "anna" },
    { hash: hashToken(theirs), tenantId: "ben" },
  ];
  await using chat = await stage.serve({ tokens });
  const ask = (token: string, path: string, body: object) =>
    chat.server.ask("POST", path, body, { authorization: `Bearer ${token}` });
  // Both tenants have a session with this id.
  for (const token of [ours, theirs]) await ask(token, "/api/sessions", { id: "talk", title: "A talk" });
  await using opened = await stage.open(`${chat.server.url}/#/sessions/talk`, BY_EVENTS);
  const { page: mine, problems } = opened;
  const yours = await mine.context().newPage();
  await yours.goto(mine.url());
  for (const [page, token] of [
    [mine, ours],
    [yours, theirs],
  ] as const) {
    await page.getByLabel("Token", { exact: true }).fill(token);
    await page.getByLabel("Token", { exact: true }).press("Enter");
    await page.getByRole("heading", { name: "Write a message" }).waitFor();
  }
  await ask(ours, "/api/sessions/talk/messages", createMessage("For Anna."));
  await message(mine, "For Anna.").waitFor();
  // Ben's window reloads only when Ben's session grows.
  let reads = 0;
  yours.on("request", (request) => {
    if (request.url().includes("/talk/strip")) reads += 1;
  });
  await ask(ours, "/api/sessions/talk/messages", createMessage("For Anna again."));
  await message(mine, "For Anna again.").waitFor();
  expect(reads).toBe(0);
  await ask(theirs, "/api/sessions/talk/messages", createMessage("For Ben."));
  await message(yours, "For Ben.").waitFor();
  expect(await yours.getByText("For Anna").count()).toBe(0);
  expect(problems).toEqual([]);
});

test("an event reports a conversation that another client deleted, and the draft is kept", async () => {
  await using chat = await stage.serve();
  await using opened = await stage.openTalk(chat, BY_EVENTS);
  const { page } = opened;
  await chat.server.ask("POST", "/api/sessions", { id: "beside", title: "Beside it" });
  await chat.server.ask("POST", "/api/sessions/beside/messages", createMessage("Something else."));
  await chat.server.ask("POST", "/api/sessions/talk/messages", {
    messages: writeTalk(2, (number) => `Words ${number}`),
  });
  await page.locator(".session-list").getByText("Beside it").waitFor();
  await message(page, "Words 1").waitFor();
  await page.fill("#composer", "Half a sent");
  await chat.server.ask("DELETE", "/api/sessions/beside");
  await chat.server.ask("DELETE", "/api/sessions/talk");
  await page.getByRole("alert").getByText("This conversation does not exist").waitFor();
  expect(await page.inputValue("#composer")).toBe("Half a sent");
  await page.locator(".session-list").getByText("Beside it").waitFor({ state: "detached" });
  await page.getByRole("button", { name: "Move draft to a new conversation" }).dblclick();
  await expect.poll(() => page.inputValue("#composer")).toBe("Half a sent");
  const { sessions } = (await chat.server.ask("GET", "/api/sessions")).body;
  expect(sessions.length).toBe(1);
});

test("a double click triggers an action once, and a fork keeps the model of its parent until the user signs out", async () => {
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
  await using opened = await stage.open(`${chat.server.url}/#/sessions/talk`, BY_EVENTS);
  const { page, problems } = opened;
  await page.getByLabel("Token", { exact: true }).fill(token);
  await page.getByLabel("Token", { exact: true }).press("Enter");
  const row = page.locator('.message[data-seq="50"]');
  await row.waitFor();
  await page.getByLabel("Model").selectOption("anthropic");

  await page.getByRole("button", { name: "Clear context" }).dblclick();
  // A click is ignored while the first clear runs, and has no effect after it.
  await expect
    .poll(async () => {
      await page.getByRole("button", { name: "Clear context" }).click();
      return page.getByText("The context is already clear.").count();
    })
    .toBe(1);
  await expect.poll(() => page.locator(".notice-running").count()).toBe(0);
  const kinds = async (types: string) =>
    (await ask("GET", `/api/sessions/talk/entries?types=${types}`)).body.entries.length;
  expect(await kinds("clear")).toBe(1);
  await page.getByRole("button", { name: "Undo" }).click();
  await page.getByText("Clear undone.").waitFor();

  await showMessageButtons(row);
  await row.getByRole("button", { name: "Pin" }).dblclick();
  await row.getByRole("button", { name: "Unpin" }).waitFor();
  expect([await kinds("pin"), await kinds("unpin")]).toEqual([1, 0]);

  const looks: (string | undefined)[] = [];
  page.on("request", (request) => {
    if (request.url().includes("/previews")) looks.push(request.url().split("/").at(-1));
  });
  await openTab(page, "Summaries");
  await page.getByRole("button", { name: "Preview compaction" }).dblclick();
  await page.getByRole("button", { name: "Apply" }).dblclick();
  await page.locator(".summary-live").waitFor();
  expect(looks).toEqual(["previews", "apply"]);
  expect(await kinds("summary")).toBe(1);

  await showMessageButtons(row);
  await row.getByRole("button", { name: "Fork" }).dblclick();
  await page.waitForURL((url) => !url.hash.endsWith("/talk"));
  await row.waitFor();
  expect((await ask("GET", "/api/sessions/talk/forks")).body.sessions.length).toBe(1);
  await expect.poll(() => page.getByLabel("Model").inputValue()).toBe("anthropic");
  await page.goto(`${chat.server.url}/#/`);
  await page.getByRole("button", { name: /^Chat/ }).dblclick();
  await page.getByRole("heading", { name: "Write a message" }).waitFor();
  expect((await ask("GET", "/api/sessions")).body.sessions.length).toBe(3);
  await page.fill("#composer", "A secret of Anna's");
  expect(problems).toEqual([]);

  await page.getByRole("button", { name: "Sign out" }).click();
  await page.getByLabel("Token", { exact: true }).waitFor();
  expect(await page.evaluate("JSON.stringify(sessionStorage)")).toBe("{}");
});
