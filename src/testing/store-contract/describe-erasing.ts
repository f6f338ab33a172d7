/** Erasing: a text is removed everywhere in the batch of its delete entry, or not at all. */
import assert from "node:assert/strict";
import type { TenantStore } from "../../ports/store.ts";
import {
  append,
  appendChange,
  aTenant,
  aUserMessage,
  batchOf,
  draftOf,
  erase,
  fork,
  headOf,
  pinNote,
  read,
  SESSION,
  say,
  summarize,
} from "./contract-log.ts";
import { type ContractPart, expectMatch, expectSame, type StoreUnderTest } from "./store-under-test.ts";

const SECRET = "the launch code is 4711";

/** Writes a secret, a summary that quotes it and a fork; then erases secret and summary through the session `by`. */
async function erased(
  under: StoreUnderTest,
  by = SESSION,
): Promise<{ readonly tenant: TenantStore; readonly id: string }> {
  const tenant = await aTenant(under);
  const secret = say(SECRET);
  await append(tenant, secret, say("Two."));
  await fork(tenant, { id: "f", atSeq: 2 });
  await tenant.append(SESSION, batchOf(await headOf(tenant), summarize(SECRET, 1), "sum"));
  const gone = { type: "delete", messageIds: [secret.id], seqs: [1], dropsSummary: true } as const;
  await tenant.append(by, { ...batchOf(await headOf(tenant, by), gone), erase: [secret.id, "sum"] });
  return { tenant, id: secret.id };
}

export function describeErasing({ describe, test, testTenant, shared }: ContractPart): void {
  describe("append with erase", () => {
    const everythingOf = async (tenant: TenantStore, id: string) =>
      JSON.stringify([
        await read(tenant),
        await read(tenant, "f"),
        await tenant.readView(SESSION),
        await tenant.readView("f"),
        await tenant.findMessage(SESSION, id),
        await tenant.findEntry(SESSION, "sum"),
        await tenant.search({ text: "launch", limit: 10 }),
        await tenant.search({ text: "launch", sessionId: "f", limit: 10 }),
        await tenant.search({ text: "47", limit: 10 }),
        await tenant.listSessions({ limit: 10 }),
      ]);

    test("removes the text from the log, summaries, searches, previews and forks", async () => {
      const { tenant, id } = await erased(await shared());
      assert.doesNotMatch(await everythingOf(tenant, id), /launch/);
      expectSame(await tenant.search({ text: "launch", limit: 10 }), []);
    });

    test("erases inherited messages through a fork", async () => {
      const { tenant, id } = await erased(await shared(), "f");
      const [first] = await read(tenant);
      expectMatch(first, { id, erased: true });
      expectSame(await tenant.search({ text: "launch", limit: 10 }), []);
    });

    test("keeps the seq, id and role of an erased message", async () => {
      const { tenant, id } = await erased(await shared());
      expectMatch((await read(tenant))[0], {
        seq: 1,
        id,
        erased: true,
        hash: "",
        message: { id, role: "user", parts: [] },
      });
      const session = (await tenant.listSessions({ limit: 10 })).find((each) => each.id === SESSION);
      expectMatch(session, { messageCount: 2, firstRole: "user", preview: "" });
      expectMatch(await tenant.append(SESSION, { entries: [{ ...say("Again."), id }] }), { type: "conflict" });
    });

    testTenant("erases nothing if the batch is stale", async (tenant) => {
      const secret = say(SECRET);
      await append(tenant, secret);
      const gone = { type: "delete", messageIds: [], seqs: [1], dropsSummary: false } as const;
      const late = batchOf(await headOf(tenant), gone, "late");
      await appendChange(tenant, pinNote);
      expectSame(await tenant.append(SESSION, { ...late, erase: [secret.id] }), { type: "stale", epoch: 1 });
      assert.match(JSON.stringify(await read(tenant)), /launch code/);
      expectSame((await tenant.search({ text: "launch", limit: 10 })).length, 1);
    });

    testTenant("erases text without a delete entry once no other session reads it", async (tenant) => {
      const [secret, other] = [say(SECRET), say("Another launch.")];
      await append(tenant, secret, other, say("Two."));
      await fork(tenant, { id: "f", atSeq: 2 });
      await tenant.append("f", { entries: [say("Instead.")] });
      await tenant.deleteSession("f");
      const [before] = await tenant.listSessions({ limit: 1 });
      const outcome = await tenant.append(SESSION, { entries: [], erase: [secret.id], tombstone: [other.id] });
      expectSame(outcome, { type: "appended", entries: [], lastSeq: 3 });
      assert.doesNotMatch(await everythingOf(tenant, secret.id), /launch/);
      expectMatch((await read(tenant))[0], { seq: 1, erased: true, hash: "" });
      expectMatch((await read(tenant))[1], { seq: 2, erased: true, hash: other.hash });
      expectSame(await tenant.listSessions({ limit: 9 }), [{ ...before, preview: "" }]);
    });

    testTenant("ignores ids that do not exist", async (tenant) => {
      await append(tenant, say("One."));
      const batch = batchOf(await headOf(tenant), pinNote);
      expectMatch(await tenant.append(SESSION, { ...batch, erase: ["nowhere"] }), { type: "appended", lastSeq: 2 });
    });
  });
}

/** Writes a secret and a fork, and a summary whose batch leaves a tombstone of the secret. */
async function tombstoned(under: StoreUnderTest) {
  const tenant = await aTenant(under);
  const secret = say(SECRET, { at: 7, tokens: { a: 5 } });
  await append(tenant, secret, say("Two."));
  await tenant.addCounts(SESSION, "b", new Map([[1, 9]]));
  await fork(tenant, { id: "f", atSeq: 2 });
  const summary = { ...summarize("About a launch.", 1), erases: true };
  await tenant.append(SESSION, { ...batchOf(await headOf(tenant), summary, "sum"), tombstone: [secret.id] });
  return { tenant, secret };
}

export function describeTombstones({ describe, test, testTenant, shared }: ContractPart): void {
  describe("append with tombstone", () => {
    const saidOf = async (tenant: TenantStore) =>
      JSON.stringify([
        await read(tenant),
        await read(tenant, "f"),
        await tenant.readView("f"),
        await tenant.listSessions({ limit: 10 }),
        await tenant.search({ text: "47", limit: 10 }),
      ]);

    test("removes the text from every read and search", async () => {
      const { tenant } = await tombstoned(await shared());
      assert.doesNotMatch(await saidOf(tenant), /launch code is/);
      expectSame(await tenant.search({ text: "launch", limit: 10 }), []);
      expectSame(await tenant.search({ text: "code launch", limit: 10, order: "relevance" }), []);
      expectSame(await tenant.search({ text: "launch", sessionId: "f", limit: 10 }), []);
    });

    test("keeps the id, role, hash, counts, time and seq of a message", async () => {
      const { tenant, secret } = await tombstoned(await shared());
      const { id, hash } = secret;
      const kept = { seq: 1, id, at: 7, hash, tokens: { a: 5 }, recounts: { b: 9 }, erased: true };
      expectMatch((await read(tenant))[0], { ...kept, message: { id, role: "user", parts: [] } });
      expectMatch((await read(tenant, "f"))[0], { ...kept, message: { id, role: "user", parts: [] } });
      expectSame((await tenant.readMessageKeys(SESSION))[0], { seq: 1, id, hash });
      expectMatch((await read(tenant)).at(-1), { type: "summary", id: "sum", erases: true });
    });

    test("returns the tombstone if its message is sent again, and a conflict for another message with its id", async () => {
      const { tenant, secret } = await tombstoned(await shared());
      const again = await tenant.append(SESSION, { entries: [secret] });
      expectMatch(again.type === "appended" ? again.entries[0] : undefined, { seq: 1, erased: true });
      const other = draftOf(aUserMessage("Other.", { id: secret.id }));
      expectSame(await tenant.append(SESSION, { entries: [other] }), { type: "conflict", entryId: secret.id });
      assert.doesNotMatch(await saidOf(tenant), /launch code is/);
    });

    testTenant("leaves the text in place if the batch is stale", async (tenant) => {
      const secret = say(SECRET);
      await append(tenant, secret);
      const late = batchOf(await headOf(tenant), summarize("About a launch.", 1), "late");
      await appendChange(tenant, pinNote);
      expectSame(await tenant.append(SESSION, { ...late, tombstone: [secret.id] }), { type: "stale", epoch: 1 });
      assert.match(JSON.stringify(await read(tenant)), /launch code is/);
    });

    test("a tombstone can be erased later, together with its hash", async () => {
      const { tenant, secret } = await tombstoned(await shared());
      await erase(tenant, [secret.id]);
      expectMatch((await read(tenant))[0], { hash: "", erased: true });
    });
  });
}
