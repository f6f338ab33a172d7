/** Sessions as a host uses them: created, loaded, listed, renamed, deleted, restored and reset. */
import { join } from "node:path";
import { beforeEach, describe, expect, test } from "vitest";
import { openPalimpsest } from "../src/compose.ts";
import { PalimpsestError } from "../src/core/errors.ts";
import type { Message } from "../src/core/message/message.ts";
import type { Store, TenantStore } from "../src/ports/store.ts";
import { openJsonlStore } from "../src/stores/jsonl/jsonl-store.ts";
import { createMemoryStore } from "../src/stores/memory/memory-store.ts";
import { shows } from "../src/testing/shows.ts";
import { newFolders } from "./support/new-folders.ts";

const newFolder = newFolders("sessions");
let folder = "";
beforeEach(() => {
  folder = newFolder();
});

let clockMs = 1_700_000_000_000;
const clock = { now: () => clockMs++ };
const open = (options: Parameters<typeof openPalimpsest>[0] = {}) =>
  openPalimpsest({ counter: "estimate", budgetTokens: 4_000, clock, ...options });
const user = (content: string) => ({ role: "user", content });
const assistant = (content: string) => ({ role: "assistant", content });
const textsOf = (messages: readonly Message[]) =>
  messages.flatMap(({ parts }) => parts.flatMap((part) => (part.type === "text" ? [part.text] : [])));

describe("a session", () => {
  test("is created once, and loaded only if it exists", async () => {
    const palimpsest = await open();
    const created = await palimpsest.create({ id: "a", title: "Plans" });
    expect(created.id).toBe("a");
    await expect(palimpsest.create({ id: "a" })).rejects.toMatchObject({ code: "session-exists" });
    await expect(palimpsest.load("b")).rejects.toMatchObject({ code: "session-not-found" });
    expect(await palimpsest.load("a")).toBe(created);
    expect((await palimpsest.sessions())[0]).toMatchObject({ id: "a", title: "Plans", messageCount: 0 });
  });

  test("is renamed through its handle or by its id", async () => {
    const palimpsest = await open();
    const session = await palimpsest.session("a");
    await session.rename("First");
    expect((await palimpsest.sessions())[0]?.title).toBe("First");
    await palimpsest.rename("a", "Second");
    expect((await palimpsest.sessions())[0]?.title).toBe("Second");
    await expect(palimpsest.rename("b", "x")).rejects.toMatchObject({ code: "session-not-found" });
  });

  test("is listed in pages, the most recently used first", async () => {
    const palimpsest = await open();
    for (let index = 0; index < 7; index += 1) {
      const session = await palimpsest.session(`s${index}`);
      await session.append(user("Hello."));
    }
    const seen: string[] = [];
    for (let after: { id: string; updatedAt: number } | undefined; ; ) {
      const page = await palimpsest.sessions({ limit: 3, after });
      seen.push(...page.map(({ id }) => id));
      after = page.at(-1);
      if (page.length < 3) break;
    }
    expect(seen).toEqual(["s6", "s5", "s4", "s3", "s2", "s1", "s0"]);
  });

  test("is deleted with its forks, or not at all, and the outcome names the forks", async () => {
    const palimpsest = await open();
    const session = await palimpsest.session("a");
    await session.append([user("One."), assistant("Two.")]);
    const fork = await session.fork(1);
    const grandchild = await fork.fork();
    expect(await palimpsest.deleteSession("a")).toEqual({ type: "has-forks", forkIds: [fork.id, grandchild.id] });
    expect(await session.history()).toHaveLength(2);
    expect(await palimpsest.deleteSession("a", { forks: true })).toEqual({
      type: "deleted",
      sessionIds: [grandchild.id, fork.id, "a"],
    });
    expect(await palimpsest.sessions()).toEqual([]);
    await expect(palimpsest.deleteSession("a")).rejects.toMatchObject({ code: "session-not-found" });
    await expect(session.append(user("Three."))).rejects.toMatchObject({ code: "session-not-found" });
  });

  test(shows("X-23", "returns all messages, and its prompt has only those of the view"), async () => {
    const palimpsest = await open({ budgetTokens: 1_000 });
    const session = await palimpsest.session();
    const long = "the quick brown fox jumps over the lazy dog ".repeat(8);
    const appended = Array.from({ length: 30 }, (_, index) =>
      index % 2 === 0 ? user(`${index} ${long}`) : assistant(`${index} ${long}`),
    );
    await session.append(appended);
    const { messages } = await session.prompt();
    expect(messages.length).toBeLessThan(appended.length);
    const loaded = await (await palimpsest.load(session.id)).transcript();
    expect(textsOf(loaded)).toEqual(appended.map(({ content }) => content));
  });

  test(shows("S3-37", "that is reset continues under a new id, and the old session is unchanged"), async () => {
    const palimpsest = await open({ policy: "workspace" });
    const session = await palimpsest.session();
    await session.append([user("Before."), assistant("Yes.")]);
    const fresh = await session.reset();
    expect(fresh.id).not.toBe(session.id);
    expect(await fresh.history()).toEqual([]);
    await fresh.append(user("After."));
    expect(textsOf(await (await palimpsest.load(session.id)).transcript())).toEqual(["Before.", "Yes."]);
    expect((await palimpsest.sessions()).map(({ id }) => id)).toEqual([fresh.id, session.id]);
  });
});

describe("a host that starts", () => {
  test(shows("S3-145", "opens the last used session before any call"), async () => {
    const path = join(folder, "restore.db");
    const before = await open({ store: `sqlite:${path}` });
    for (const id of ["old", "new"]) await (await before.session(id)).append([user(`In ${id}.`), assistant("Yes.")]);
    await (await before.session("old")).append(user("Again."));
    await before.close();
    const after = await open({ store: `sqlite:${path}` });
    const session = await after.restore();
    expect(session.id).toBe("old");
    expect(textsOf(await session.transcript())).toEqual(["In old.", "Yes.", "Again."]);
    await session.append(assistant("It goes on."));
    expect(await after.sessions()).toMatchObject([{ id: "old", messageCount: 4 }, { id: "new" }]);
    await after.close();
  });

  test("does not restore a note that was for one prompt only", async () => {
    const store = createMemoryStore();
    const before = await open({ store });
    const session = await before.session();
    const notes = { text: "File a.ts: export const one = 1;", keep: false };
    await session.prompt({ next: user("What is in it?"), notes });
    const after = await (await open({ store })).restore();
    const { messages, report } = await after.prompt();
    expect(JSON.stringify(messages)).not.toContain("a.ts");
    expect(report.volatileBlocks).toBe(0);
    expect(textsOf(await after.transcript())).toEqual(["What is in it?"]);
  });

  test(shows("S3-146", "starts a new session if there is none, or none that can be read"), async () => {
    const empty = await (await open()).restore();
    expect(await empty.history()).toEqual([]);
    const store = createMemoryStore();
    await (await (await open({ store })).session("broken")).append(user("Hello."));
    const failing = (tenant: TenantStore): TenantStore =>
      new Proxy(tenant, {
        get(target, name) {
          const value: unknown = Reflect.get(target, name);
          if (name === "readView") return (id: string) => (id === "broken" ? unreadable() : target.readView(id));
          return typeof value === "function" ? value.bind(target) : value;
        },
      });
    const unreadable = async () => {
      throw new PalimpsestError("store-unavailable", "The file is damaged.");
    };
    const broken: Store = { name: "broken", tenant: (id) => failing(store.tenant(id)), close: () => store.close() };
    const palimpsest = await open({ store: broken });
    const warnings: string[] = [];
    palimpsest.on("warning", ({ text }) => warnings.push(text));
    const session = await palimpsest.restore();
    expect(session.id).not.toBe("broken");
    expect(await session.history()).toEqual([]);
    expect(warnings).toEqual([expect.stringContaining("The file is damaged.")]);
  });

  test(shows("S3-150", "loads an earlier session with its images, and continues in it"), async () => {
    const root = join(folder, "workspace");
    const image = {
      type: "image",
      source: { type: "data", base64: Buffer.from("pixels").toString("base64") },
    } as const;
    const shown = {
      id: "m1",
      role: "user",
      parts: [
        { type: "text", text: "Look." },
        { ...image, mediaType: "image/png" },
      ],
    };
    const before = await open({ store: openJsonlStore({ folder: root, format: "workspace" }), policy: "workspace" });
    await (await before.session("sess_1_a")).append([shown], { format: "palimpsest" });
    await before.close();
    const after = await open({ store: openJsonlStore({ folder: root, format: "workspace" }), policy: "workspace" });
    const session = await after.load("sess_1_a");
    expect(await session.transcript()).toMatchObject([{ parts: [{ text: "Look." }, image] }]);
    await session.append(assistant("A square."));
    expect(await after.sessions()).toMatchObject([{ id: "sess_1_a", messageCount: 2 }]);
    await after.close();
  });
});

describe("an invalid call by a host", () => {
  const opened = {
    memory: () => open(),
    sqlite: () => open({ store: `sqlite:${join(folder, "wrong.db")}` }),
    jsonl: () => open({ store: `jsonl:${join(folder, "wrong")}` }),
  };
  /** The methods as a program without type checks calls them. */
  type Loose = Readonly<Record<string, (...values: readonly unknown[]) => unknown>>;
  const wrong: readonly (readonly [string, readonly unknown[], string])[] = [
    ["search", [5], "search: expected a string, found 5."],
    ["search", ["x", { order: "best" }], "search: order: expected one of newest, relevance"],
    ["search", ["x", { role: "robot" }], "search: role: expected one of user"],
    ["search", ["x", { limit: 1.5 }], "search: limit: expected a whole number of at least 1, found 1.5."],
    ["search", ["x", { limt: 5 }], 'search: Unknown option "limt". Did you mean "limit"?'],
    ["sessions", [{ limit: -1 }], "sessions: limit: expected a whole number of at least 1"],
    ["sessions", [{ limit: "3" }], "sessions: limit: expected a whole number of at least 1"],
    ["sessions", [{ after: "a" }], "sessions: after: expected the last session of the previous page"],
    ["sessions", [{ after: { id: "a" } }], "sessions: after: expected the last session of the previous page"],
    ["sessions", [{ before: "a" }], 'sessions: Unknown option "before". The options are limit, after.'],
    ["session", [5], "session: expected a non-empty string, found 5."],
    ["session", [""], 'session: expected a non-empty string, found "".'],
    ["create", [{ id: "" }], "create: id: expected an id of 1 to 200 characters"],
    ["load", [undefined], "load: expected a non-empty string"],
    ["rename", [5, "x"], "rename: id: expected a non-empty string"],
    ["deleteSession", [{}], "deleteSession: expected a non-empty string"],
    ["exportSession", [5], "exportSession: expected a non-empty string"],
    ["on", ["compction", () => undefined], "on: expected one of append, prompt, compaction-start"],
    ["on", ["warning"], "on: expected a function"],
  ];

  test.each(Object.entries(opened))("is refused before it reaches the store: %s", async (_, openOne) => {
    const palimpsest = await openOne();
    const session = await palimpsest.session("a");
    const attempt = (target: object, [name, values]: readonly [string, readonly unknown[], string]) =>
      (async () => (target as Loose)[name]?.(...values))();
    for (const each of wrong) {
      const error = await attempt(palimpsest, each).then(String, (reason: unknown) => reason);
      expect(error).toMatchObject({ code: "config-invalid", message: expect.stringContaining(each[2]) });
    }
    const searches = wrong.slice(0, 4);
    for (const each of [...searches, ["search", ["x", { sessionId: "b" }], ""] as const]) {
      const error = await attempt(session, each).then(String, (reason: unknown) => reason);
      expect(error).toMatchObject({ code: "config-invalid", message: expect.stringContaining("session.search: ") });
    }
    const fork = attempt(session, ["fork", [{ at: 1 }], ""]);
    await expect(fork).rejects.toThrow("atSeq: expected a whole number from 0 to 0, found an object with at.");
    expect((await palimpsest.sessions()).map(({ id }) => id)).toEqual(["a"]);
    await palimpsest.close();
  });

  test.each([
    ["clock", {}, "the method now"],
    ["ids", { message: () => "m" }, "the methods message, session, entry, prompt"],
    ["notifications", {}, "the methods notify, listen, close"],
    ["jobs", { submit: async () => undefined }, "the methods submit, work, settle"],
  ])("is refused when the engine is opened: invalid %s", async (name, value, words) => {
    const options = { [name]: value } as Parameters<typeof openPalimpsest>[0];
    const opening = openPalimpsest(options);
    await expect(opening).rejects.toMatchObject({ code: "config-invalid" });
    await expect(opening).rejects.toThrow(`openPalimpsest: ${name}: expected `);
    await expect(opening).rejects.toThrow(words);
  });
});
