/** Tombstones: the text goes like anything erased, and what is left still answers for the message that it was. */
import assert from "node:assert/strict";
import type { TenantStore } from "../../ports/store.ts";
import {
  append,
  aTenant,
  aUserMessage,
  batchOf,
  change,
  draftOf,
  fork,
  headOf,
  pinNote,
  read,
  SESSION,
  say,
  summarise,
} from "./contract-log.ts";
import { type ContractPart, matches, type StoreUnderTest, same } from "./store-under-test.ts";

const SECRET = "the launch code is 4711";

/** A secret that a summary stands for, and that goes with it; a fork reads the message after it. */
async function buried(under: StoreUnderTest) {
  const tenant = await aTenant(under);
  const secret = say(SECRET, { at: 7, tokens: { a: 5 } });
  await append(tenant, secret, say("Two."));
  await tenant.addCounts(SESSION, "b", new Map([[1, 9]]));
  await fork(tenant, { id: "f", atSeq: 2 });
  const summary = { ...summarise("About a launch.", 1), erases: true };
  await tenant.append(SESSION, { ...batchOf(await headOf(tenant), summary, "sum"), tombstone: [secret.id] });
  return { tenant, secret };
}

export function describeTombstones({ describe, test, shared }: ContractPart): void {
  describe("a tombstone", () => {
    const saidOf = async (tenant: TenantStore) =>
      JSON.stringify([
        await read(tenant),
        await read(tenant, "f"),
        await tenant.readView("f"),
        await tenant.listSessions({ limit: 10 }),
        await tenant.search({ text: "47", limit: 10 }),
      ]);

    test("has nothing of the text, wherever one looks", async () => {
      const { tenant } = await buried(await shared());
      assert.doesNotMatch(await saidOf(tenant), /launch code is/);
      same(await tenant.search({ text: "launch", limit: 10 }), []);
      same(await tenant.search({ text: "code launch", limit: 10, order: "relevance" }), []);
      same(await tenant.search({ text: "launch", sessionId: "f", limit: 10 }), []);
    });

    test("keeps id, role, hash, counts, time and place", async () => {
      const { tenant, secret } = await buried(await shared());
      const { id, hash } = secret;
      const kept = { seq: 1, id, at: 7, hash, tokens: { a: 5 }, recounts: { b: 9 }, erased: true };
      matches((await read(tenant))[0], { ...kept, message: { id, role: "user", parts: [] } });
      matches((await read(tenant, "f"))[0], { ...kept, message: { id, role: "user", parts: [] } });
      same((await tenant.readMessageKeys(SESSION))[0], { seq: 1, id, hash });
      matches((await read(tenant)).at(-1), { type: "summary", id: "sum", erases: true });
    });

    test("answers for its message when that is sent again, and refuses another under its id", async () => {
      const { tenant, secret } = await buried(await shared());
      const again = await tenant.append(SESSION, { entries: [secret] });
      matches(again.type === "appended" ? again.entries[0] : undefined, { seq: 1, erased: true });
      const other = draftOf(aUserMessage("Other.", { id: secret.id }));
      same(await tenant.append(SESSION, { entries: [other] }), { type: "conflict", entryId: secret.id });
      assert.doesNotMatch(await saidOf(tenant), /launch code is/);
    });

    test("is written with the entry that says so, or not at all", async () => {
      const tenant = await aTenant(await shared());
      const secret = say(SECRET);
      await append(tenant, secret);
      const late = batchOf(await headOf(tenant), summarise("About a launch.", 1), "late");
      await change(tenant, pinNote);
      same(await tenant.append(SESSION, { ...late, tombstone: [secret.id] }), { type: "stale", epoch: 1 });
      assert.match(JSON.stringify(await read(tenant)), /launch code is/);
    });

    test("can be erased later, hash and all", async () => {
      const { tenant, secret } = await buried(await shared());
      const gone = { type: "delete", messageIds: [secret.id], seqs: [1], dropsSummary: false } as const;
      await tenant.append(SESSION, { ...batchOf(await headOf(tenant), gone), erase: [secret.id] });
      matches((await read(tenant))[0], { hash: "", erased: true });
    });
  });
}
