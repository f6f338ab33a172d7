/** Statistics: what a tenant has, each thing counted once, and nothing of anybody else's. */
import { randomUUID } from "node:crypto";
import { append, aTenant, batchOf, change, fork, headOf, note, pinNote, SESSION, say } from "./contract-log.ts";
import { type ContractPart, same } from "./store-under-test.ts";

const NO_BLOBS = { count: 0, bytes: 0 };

export function describeStatistics({ describe, test, shared }: ContractPart): void {
  describe("statistics", () => {
    test("of somebody who has nothing are zero", async () => {
      const { store } = await shared();
      const nothing = { sessions: 0, entries: 0, messages: 0, blobs: NO_BLOBS };
      same(await store.tenant(randomUUID()).statistics(), nothing);
    });

    test("count sessions, entries and messages", async () => {
      const tenant = await aTenant(await shared());
      same(await tenant.statistics(), { sessions: 1, entries: 0, messages: 0, blobs: NO_BLOBS });
      await append(tenant, say("One."), note("n1"), say("Two."));
      await change(tenant, pinNote);
      same(await tenant.statistics(), { sessions: 1, entries: 4, messages: 2, blobs: NO_BLOBS });
    });

    test("count what forks inherit once, where it was said", async () => {
      const tenant = await aTenant(await shared());
      await append(tenant, say("One."), say("Two."), note("n1"));
      await fork(tenant, { id: "f", atSeq: 2 });
      await tenant.append("f", { entries: [say("Instead."), note("n2")] });
      await fork(tenant, { id: "g", atSeq: 3, parentId: "f" });
      await tenant.append("g", { entries: [say("Further.")] });
      same(await tenant.statistics(), { sessions: 3, entries: 6, messages: 4, blobs: NO_BLOBS });
      await tenant.deleteSession("g");
      await tenant.deleteSession("f");
      same(await tenant.statistics(), { sessions: 1, entries: 3, messages: 2, blobs: NO_BLOBS });
    });

    test("count places, erased ones too", async () => {
      const tenant = await aTenant(await shared());
      const said = say("One.");
      await append(tenant, said, say("Two."));
      const gone = { type: "delete", messageIds: [said.id], seqs: [1], dropsSummary: false } as const;
      await tenant.append(SESSION, { ...batchOf(await headOf(tenant), gone), erase: [said.id] });
      same(await tenant.statistics(), { sessions: 1, entries: 3, messages: 2, blobs: NO_BLOBS });
    });
  });
}
