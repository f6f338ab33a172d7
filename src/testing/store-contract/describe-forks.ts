/** Forks: inherited entries are read like own ones, and later entries are visible only to their session. */
import { EMPTY_HEAD } from "../../core/log/head.ts";
import { messageText } from "../../core/message/message-text.ts";
import type { TenantStore } from "../../ports/store.ts";
import { append, aTenant, aUserMessage, draftOf, fork, isMessage, read, SESSION, say, seqsOf } from "./contract-log.ts";
import { type ContractPart, expectError, expectMatch, expectSame, type StoreUnderTest } from "./store-under-test.ts";

async function forked(under: StoreUnderTest, atSeq = 2): Promise<TenantStore> {
  const tenant = await aTenant(under);
  await append(tenant, say("One.", { tokens: { a: 1 } }), say("Two."), say("Three."));
  await fork(tenant, { id: "f", atSeq });
  return tenant;
}

async function textsOf(tenant: TenantStore, id: string): Promise<readonly string[]> {
  return (await read(tenant, id)).filter(isMessage).map(({ message }) => messageText(message));
}

export function describeForks({ describe, test, testTenant, shared }: ContractPart): void {
  describe("forks", () => {
    test("a fork reads inherited entries and continues after them", async () => {
      const tenant = await forked(await shared());
      expectMatch(await tenant.append("f", { entries: [say("Instead.")] }), { type: "appended", lastSeq: 3 });
      expectSame(await textsOf(tenant, "f"), ["One.", "Two.", "Instead."]);
      expectSame(await textsOf(tenant, SESSION), ["One.", "Two.", "Three."]);
      expectMatch(await tenant.findSession("f"), { lastSeq: 3 });
      expectSame((await tenant.findSession("f"))?.header.fork, { parentId: SESSION, atSeq: 2 });
      expectSame(
        (await tenant.readMessageKeys("f")).map(({ seq }) => seq),
        [1, 2, 3],
      );
    });

    test("a fork does not see later entries of its parent", async () => {
      const tenant = await forked(await shared());
      const [, , third] = (await read(tenant)).filter(isMessage);
      await append(tenant, say("Four."));
      expectSame(seqsOf(await read(tenant, "f")), [1, 2]);
      expectSame(await tenant.findMessage("f", third?.id ?? ""), undefined);
      expectSame(await tenant.search({ text: "Four", sessionId: "f", limit: 10 }), []);
    });

    test("a fork recognizes the ids of messages that it inherits, and of no others", async () => {
      const tenant = await forked(await shared());
      const [first, , third] = (await read(tenant)).filter(isMessage);
      if (first === undefined || third === undefined) throw new TypeError("There are three messages.");
      const again = await tenant.append("f", { entries: [draftOf(first.message), draftOf(third.message)] });
      expectSame(again.type === "appended" && seqsOf(again.entries), [1, 3]);
      const other = draftOf(aUserMessage("Other.", { id: first.id }));
      expectSame(await tenant.append("f", { entries: [other] }), { type: "conflict", entryId: first.id });
    });

    test("a fork of a fork reads both ancestors up to the seqs of the forks", async () => {
      const tenant = await forked(await shared());
      await tenant.append("f", { entries: [say("Instead.")] });
      await fork(tenant, { id: "g", atSeq: 3, parentId: "f" });
      await fork(tenant, { id: "h", atSeq: 1, parentId: "f" });
      await tenant.append("g", { entries: [say("Further.")] });
      await tenant.append("f", { entries: [say("Later.")] });
      expectSame(await textsOf(tenant, "g"), ["One.", "Two.", "Instead.", "Further."]);
      expectSame(await textsOf(tenant, "h"), ["One."]);
      expectSame([await tenant.listForks(SESSION), await tenant.listForks("f")], [["f"], ["g", "h"]]);
      const [, , instead] = await read(tenant, "g");
      expectSame(await tenant.findEntry("g", instead?.id ?? ""), instead);
    });

    test("a session with a fork cannot be deleted", async () => {
      const tenant = await forked(await shared());
      expectSame(await tenant.deleteSession(SESSION), false);
      expectSame((await read(tenant)).length, 3);
      expectSame(await tenant.deleteSession("f"), true);
      expectSame(await tenant.deleteSession(SESSION), true);
    });

    test("deleting a fork leaves its parent unchanged", async () => {
      const tenant = await forked(await shared());
      await tenant.append("f", { entries: [say("Instead.")] });
      await tenant.deleteSession("f");
      expectSame(await textsOf(tenant, SESSION), ["One.", "Two.", "Three."]);
      expectSame((await tenant.search({ text: "one", limit: 10 })).length, 1);
      expectSame(await tenant.search({ text: "instead", limit: 10 }), []);
    });

    test("a fork is listed with the messages that it inherits", async () => {
      const tenant = await forked(await shared());
      const sessions = await tenant.listSessions({ limit: 10 });
      expectMatch(
        sessions.find(({ id }) => id === "f"),
        { messageCount: 2, preview: "One.", firstRole: "user", fork: { parentId: SESSION, atSeq: 2 } },
      );
    });

    test("a fork without inherited messages is listed with its own first message", async () => {
      const tenant = await forked(await shared(), 0);
      await tenant.append("f", { entries: [say("New.")] });
      const sessions = await tenant.listSessions({ limit: 10 });
      expectMatch(
        sessions.find(({ id }) => id === "f"),
        { messageCount: 1, preview: "New." },
      );
    });

    test("counts added through a fork apply to inherited messages", async () => {
      const tenant = await forked(await shared());
      await tenant.addCounts("f", "b", new Map([[1, 7]]));
      expectMatch((await read(tenant, "f"))[0], { recounts: { b: 7 } });
      expectMatch((await read(tenant))[0], { recounts: { b: 7 } });
    });

    testTenant("a fork of an unknown session fails", async (tenant) => {
      const header = { id: "f", createdAt: 0, fork: { parentId: "nowhere", atSeq: 0 } };
      await expectError("session-not-found", () => tenant.createSession(header, EMPTY_HEAD));
      expectSame(await tenant.findSession("f"), undefined);
    });
  });
}
