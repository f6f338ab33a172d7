/** Changes of the past: guarded by epoch and fence, written with their head. */
import { foldEntries } from "../../core/log/fold-entry.ts";
import {
  append,
  aTenant,
  batchOf,
  change,
  headOf,
  pinNote,
  read,
  SESSION,
  say,
  seqsOf,
  truncate,
} from "./contract-log.ts";
import { type ContractPart, matches, same } from "./store-under-test.ts";

export function describeChanges({ describe, test, shared }: ContractPart): void {
  describe("a change of the past", () => {
    test("is written with its head", async () => {
      const tenant = await aTenant(await shared());
      await append(tenant, say("Hello."));
      const batch = batchOf(await headOf(tenant), pinNote);
      matches(await tenant.append(SESSION, batch), { type: "appended", lastSeq: 2 });
      same((await tenant.findSession(SESSION))?.head, batch.head);
      same((await tenant.readView(SESSION))?.head, batch.head);
    });

    test("is stale when another writer has moved the epoch, and nothing is written", async () => {
      const tenant = await aTenant(await shared());
      const before = await headOf(tenant);
      await change(tenant, pinNote);
      const late = batchOf(before, pinNote, "late");
      const outcome = await tenant.append(SESSION, { ...late, entries: [say("Hello."), ...late.entries] });
      same(outcome, { type: "stale", epoch: 1 });
      same((await read(tenant)).length, 1);
      same((await tenant.findSession(SESSION))?.head.epoch, 1);
    });

    test("is stale without an expectation", async () => {
      const tenant = await aTenant(await shared());
      const { expect: _, ...blind } = batchOf(await headOf(tenant), pinNote);
      same(await tenant.append(SESSION, blind), { type: "stale", epoch: 0 });
    });

    test("that is stale is so before any of its entries conflicts", async () => {
      const tenant = await aTenant(await shared());
      const before = await headOf(tenant);
      await change(tenant, pinNote);
      same(await tenant.append(SESSION, batchOf(before, pinNote, "e1")), { type: "stale", epoch: 1 });
    });

    test("with an entry that is stored already writes neither the entry nor its head", async () => {
      const tenant = await aTenant(await shared());
      await change(tenant, pinNote);
      const again = batchOf(await headOf(tenant), pinNote, "e1");
      same(await tenant.append(SESSION, again), { type: "conflict", entryId: "e1" });
      same((await tenant.findSession(SESSION))?.head.epoch, 1);
    });

    test("composes with messages that came meanwhile", async () => {
      const tenant = await aTenant(await shared());
      await append(tenant, say("One."));
      const batch = batchOf(await headOf(tenant), truncate(1));
      await append(tenant, say("Two."));
      matches(await tenant.append(SESSION, batch), { type: "appended", lastSeq: 3 });
      same(await headOf(tenant), foldEntries(await read(tenant)));
    });

    test("comes with messages in its batch, in their order", async () => {
      const tenant = await aTenant(await shared());
      const batch = batchOf(await headOf(tenant), pinNote);
      await tenant.append(SESSION, { ...batch, entries: [...batch.entries, say("After it.")] });
      same(
        (await read(tenant)).map(({ type }) => type),
        ["pin", "message"],
      );
      same(await headOf(tenant), foldEntries(await read(tenant)));
    });

    test("of one of a hundred writers at once wins, the others are stale", async () => {
      const tenant = await aTenant(await shared());
      const head = await headOf(tenant);
      const writers = Array.from({ length: 100 }, (_, index) => batchOf(head, pinNote, `w${index}`));
      const outcomes = await Promise.all(writers.map((batch) => tenant.append(SESSION, batch)));
      same(outcomes.filter(({ type }) => type === "appended").length, 1);
      same(outcomes.filter(({ type }) => type === "stale").length, 99);
      same(await headOf(tenant), foldEntries(await read(tenant)));
    });

    test("under a lease that was granted again since is stale", async () => {
      const under = await shared();
      const tenant = await aTenant(under);
      const zombie = await tenant.lease(SESSION, 200);
      await under.passTime(250);
      const holder = await tenant.lease(SESSION, 60_000);
      const batch = batchOf(await headOf(tenant), pinNote);
      const write = (fence: number | undefined) => tenant.append(SESSION, { ...batch, expect: { epoch: 0, fence } });
      same(await write(zombie?.fence), { type: "stale", epoch: 0 });
      matches(await write(holder?.fence), { type: "appended" });
    });

    test("does not stand in the way of messages: they carry no expectation", async () => {
      const tenant = await aTenant(await shared());
      await change(tenant, pinNote);
      await tenant.lease(SESSION, 60_000);
      same(seqsOf(await append(tenant, say("Hello."))), [2]);
      const outcome = await tenant.append(SESSION, { entries: [say("Hello.")], expect: { epoch: 99, fence: 0 } });
      matches(outcome, { type: "appended", lastSeq: 3 });
    });
  });
}
