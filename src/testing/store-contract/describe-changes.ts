/** Changes to the past: guarded by epoch and fence, written with their head. */
import { foldEntries } from "../../core/log/fold-entry.ts";
import {
  append,
  appendChange,
  batchOf,
  headOf,
  pinNote,
  read,
  SESSION,
  say,
  seqsOf,
  truncate,
} from "./contract-log.ts";
import { type ContractPart, expectMatch, expectSame } from "./store-under-test.ts";

export function describeChanges({ describe, testTenant }: ContractPart): void {
  describe("append of an entry that moves the epoch", () => {
    testTenant("stores the entry together with its head", async (tenant) => {
      await append(tenant, say("Hello."));
      const batch = batchOf(await headOf(tenant), pinNote);
      expectMatch(await tenant.append(SESSION, batch), { type: "appended", lastSeq: 2 });
      expectSame((await tenant.findSession(SESSION))?.head, batch.head);
      expectSame((await tenant.readView(SESSION))?.head, batch.head);
    });

    testTenant("returns stale and writes nothing if another writer has moved the epoch", async (tenant) => {
      const before = await headOf(tenant);
      await appendChange(tenant, pinNote);
      const late = batchOf(before, pinNote, "late");
      const outcome = await tenant.append(SESSION, { ...late, entries: [say("Hello."), ...late.entries] });
      expectSame(outcome, { type: "stale", epoch: 1 });
      expectSame((await read(tenant)).length, 1);
      expectSame((await tenant.findSession(SESSION))?.head.epoch, 1);
    });

    testTenant("returns stale if the batch has no expectation", async (tenant) => {
      const { expect: _, ...blind } = batchOf(await headOf(tenant), pinNote);
      expectSame(await tenant.append(SESSION, blind), { type: "stale", epoch: 0 });
    });

    testTenant("returns stale rather than a conflict if a batch is both stale and in conflict", async (tenant) => {
      const before = await headOf(tenant);
      await appendChange(tenant, pinNote);
      expectSame(await tenant.append(SESSION, batchOf(before, pinNote, "e1")), { type: "stale", epoch: 1 });
    });

    testTenant("writes neither the entry nor its head if the entry's id is already stored", async (tenant) => {
      await appendChange(tenant, pinNote);
      const again = batchOf(await headOf(tenant), pinNote, "e1");
      expectSame(await tenant.append(SESSION, again), { type: "conflict", entryId: "e1" });
      expectSame((await tenant.findSession(SESSION))?.head.epoch, 1);
    });

    testTenant("keeps messages that were appended since the head was read", async (tenant) => {
      await append(tenant, say("One."));
      const batch = batchOf(await headOf(tenant), truncate(1));
      await append(tenant, say("Two."));
      expectMatch(await tenant.append(SESSION, batch), { type: "appended", lastSeq: 3 });
      expectSame(await headOf(tenant), foldEntries(await read(tenant)));
    });

    testTenant("stores the entry and the messages of its batch in order", async (tenant) => {
      const batch = batchOf(await headOf(tenant), pinNote);
      await tenant.append(SESSION, { ...batch, entries: [...batch.entries, say("After it.")] });
      expectSame(
        (await read(tenant)).map(({ type }) => type),
        ["pin", "message"],
      );
      expectSame(await headOf(tenant), foldEntries(await read(tenant)));
    });

    testTenant("accepts one of a hundred parallel writers and returns stale to the others", async (tenant) => {
      const head = await headOf(tenant);
      const writers = Array.from({ length: 100 }, (_, index) => batchOf(head, pinNote, `w${index}`));
      const outcomes = await Promise.all(writers.map((batch) => tenant.append(SESSION, batch)));
      expectSame(outcomes.filter(({ type }) => type === "appended").length, 1);
      expectSame(outcomes.filter(({ type }) => type === "stale").length, 99);
      expectSame(await headOf(tenant), foldEntries(await read(tenant)));
    });

    testTenant("returns stale if another writer has been granted the lease since", async (tenant, under) => {
      const zombie = await tenant.lease(SESSION, 200);
      await under.passTime(250);
      const holder = await tenant.lease(SESSION, 60_000);
      const batch = batchOf(await headOf(tenant), pinNote);
      const write = (fence: number | undefined) => tenant.append(SESSION, { ...batch, expect: { epoch: 0, fence } });
      expectSame(await write(zombie?.fence), { type: "stale", epoch: 0 });
      expectMatch(await write(holder?.fence), { type: "appended" });
    });

    testTenant("does not prevent appends of messages, which need no expectation", async (tenant) => {
      await appendChange(tenant, pinNote);
      await tenant.lease(SESSION, 60_000);
      expectSame(seqsOf(await append(tenant, say("Hello."))), [2]);
      const outcome = await tenant.append(SESSION, { entries: [say("Hello.")], expect: { epoch: 99, fence: 0 } });
      expectMatch(outcome, { type: "appended", lastSeq: 3 });
    });
  });
}
