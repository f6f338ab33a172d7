/**
 * How often a turn of a chat reads and writes the store, and what it does if another process writes in the meantime.
 */
import { expect, test } from "vitest";
import { openPalimpsest } from "../../src/index.ts";
import type { Store, TenantStore } from "../../src/ports/store.ts";
import { openSqliteStore } from "../../src/stores/sqlite/open-sqlite-store.ts";
import { scriptedReplies } from "../support/scripted-provider-reply.ts";
import { startChat } from "../support/start-chat.ts";

const { text } = scriptedReplies;

/** Passes all calls on, and records their names. */
function watchStore(store: Store, calls: string[]): Store {
  const watch = (tenant: TenantStore) =>
    new Proxy(tenant, {
      get(target, name) {
        const value: unknown = Reflect.get(target, name);
        if (typeof value !== "function") return value;
        return (...values: unknown[]) => {
          calls.push(String(name));
          return Reflect.apply(value, target, values);
        };
      },
    });
  return { ...store, tenant: (id) => watch(store.tenant(id)) };
}

const user = (id: string) => ({ id, role: "user", parts: [{ type: "text", text: `Message ${id}.` }] });

test("a turn of a chat in memory reads the store twice and writes it twice", async () => {
  const calls: string[] = [];
  const store = watchStore(await openSqliteStore(":memory:"), calls);
  const script = Array.from({ length: 4 }, (_, index) => text(`Reply ${index}.`));
  await using chat = await startChat({ script, store });
  const say = (id: string) => chat.server.ask("POST", "/api/chat", { id: "warm", message: user(id) });
  await say("first");
  await say("second");
  calls.length = 0;
  await say("third");
  // The session, and its forks; then the message with its request, and the reply.
  expect(calls).toEqual(["findSession", "listForks", "append", "append"]);
});

test("a prompt shows what another process appended after the last one", async () => {
  const store = await openSqliteStore(":memory:");
  const shared: Store = { ...store, tenant: (id) => store.tenant(id), close: async () => undefined };
  const [one, other] = [await openPalimpsest({ store: shared }), await openPalimpsest({ store: shared })];
  const session = await one.session("shared");
  const textsOf = (prompt: Awaited<ReturnType<typeof session.prompt>>) =>
    prompt.messages.map((message) => JSON.stringify(message).match(/Message \w+\./)?.[0]);
  await session.prompt({ next: user("a") });
  await session.prompt({ next: user("b") });
  await (await other.load("shared")).append([user("c")]);
  const prompt = await session.prompt({ next: user("d") });
  expect(textsOf(prompt)).toEqual(["Message a.", "Message b.", "Message c.", "Message d."]);
  const entries = await session.entries();
  expect(entries.map(({ type }) => type)).toEqual([
    "message",
    "request",
    "message",
    "request",
    "message",
    "message",
    "request",
  ]);
  await one.close();
  await other.close();
  await store.close();
});

test("a message that is sent again is stored once, and its prompt is rebuilt", async () => {
  const palimpsest = await openPalimpsest({ store: await openSqliteStore(":memory:") });
  const session = await palimpsest.session("again");
  await session.prompt({ next: user("a") });
  const first = await session.prompt({ next: user("b") });
  const again = await session.prompt({ next: user("b") });
  expect(again.messages).toEqual(first.messages);
  const entries = await session.entries({ types: ["message"] });
  expect(entries.map(({ id }) => id)).toEqual(["a", "b"]);
  await palimpsest.close();
});
