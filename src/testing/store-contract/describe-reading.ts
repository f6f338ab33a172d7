/** Reading a log: by range, by id, page by page, and the counts that are stored with it. */

import { EMPTY_HEAD } from "../../core/log/head.ts";
import type { TenantStore } from "../../ports/store.ts";
import { shows } from "../shows.ts";
import {
  append,
  aTenant,
  batchOf,
  fork,
  headOf,
  isMessage,
  note,
  pinNote,
  read,
  SESSION,
  say,
  seqsOf,
  truncate,
} from "./contract-log.ts";
import { describeTenant } from "./play-steps.ts";
import { type ContractPart, expectError, expectMatch, expectSame } from "./store-under-test.ts";

const ranges: readonly (readonly [string, Parameters<TenantStore["readEntries"]>[1], readonly number[]])[] = [
  ["all entries", {}, [1, 2, 3, 4, 5]],
  ["newer entries", { afterSeq: 3 }, [4, 5]],
  ["entries up to a seq, inclusive", { throughSeq: 2 }, [1, 2]],
  ["entries between two seqs", { afterSeq: 1, throughSeq: 4 }, [2, 3, 4]],
  ["entries of one type", { types: ["message"] }, [1, 3, 5]],
  ["entries of several types", { types: ["message", "note"], afterSeq: 1 }, [2, 3, 4, 5]],
  ["nothing for an empty list of types", { types: [] }, []],
  ["the oldest entries up to a limit", { limit: 2 }, [1, 2]],
  ["nothing for a limit of 0", { limit: 0 }, []],
  ["the newest entries up to a limit, newest first", { limit: 2, newestFirst: true }, [5, 4]],
  ["the newest entry of a type", { types: ["note"], limit: 1, newestFirst: true }, [4]],
  ["nothing for an empty range", { afterSeq: 9 }, []],
  ["all entries for a range that begins before the log", { afterSeq: -100, throughSeq: 100 }, [1, 2, 3, 4, 5]],
];

async function filled(tenant: TenantStore): Promise<TenantStore> {
  await append(tenant, say("One."), note("n2"), say("Three."), note("n4"), say("Five."));
  return tenant;
}

export function describeReading({ describe, test, testTenant, shared }: ContractPart): void {
  describe("reading entries", () => {
    for (const [name, range, seqs] of ranges) {
      test(`returns ${name}`, async () => {
        const tenant = await filled(await aTenant(await shared()));
        expectSame(seqsOf(await tenant.readEntries(SESSION, range)), seqs);
      });
      test(`returns ${name}, also from a fork`, async () => {
        const tenant = await filled(await aTenant(await shared()));
        await fork(tenant, { id: "f", atSeq: 3 });
        await tenant.append("f", { entries: [note("n4f"), say("Five.")] });
        expectSame(seqsOf(await tenant.readEntries("f", range)), seqs);
      });
    }

    testTenant("reads backwards page by page from a fork into inherited entries", async (tenant) => {
      await append(tenant, ...Array.from({ length: 7 }, (_, index) => say(`Message ${index}.`)));
      await fork(tenant, { id: "f", atSeq: 5 });
      await tenant.append("f", { entries: [say("Six."), say("Seven."), say("Eight.")] });
      const pages: (readonly number[])[] = [];
      for (let throughSeq = 8; throughSeq > 0; throughSeq -= 3) {
        pages.push(seqsOf(await tenant.readEntries("f", { throughSeq, limit: 3, newestFirst: true })));
      }
      expectSame(pages, [
        [8, 7, 6],
        [5, 4, 3],
        [2, 1],
      ]);
    });

    test("finds entries and messages by id", async () => {
      const tenant = await filled(await aTenant(await shared()));
      const [first] = (await read(tenant)).filter(isMessage);
      expectMatch(await tenant.findEntry(SESSION, "n2"), { seq: 2, type: "note" });
      expectSame(await tenant.findMessage(SESSION, "n2"), undefined);
      expectSame(await tenant.findMessage(SESSION, first?.id ?? ""), first);
      expectSame(await tenant.findEntry(SESSION, "nowhere"), undefined);
    });

    test("returns ids and hashes of all messages in order", async () => {
      const tenant = await filled(await aTenant(await shared()));
      const messages = (await read(tenant)).filter(isMessage);
      expectSame(
        await tenant.readMessageKeys(SESSION),
        messages.map(({ seq, id, hash }) => ({ seq, id, hash })),
      );
    });

    testTenant(shows("S3-121", "returns nothing for a session that does not exist or is empty"), async (tenant) => {
      for (const id of ["nowhere", SESSION]) {
        expectSame([await read(tenant, id), await tenant.readMessageKeys(id)], [[], []]);
        expectSame(await tenant.findMessage(id, "m1"), undefined);
        expectSame(await tenant.listForks(id), []);
      }
      expectSame(await tenant.readView("nowhere"), undefined);
    });

    testTenant("returns counts that were added later together with those of the append", async (tenant) => {
      await append(tenant, say("One.", { tokens: { a: 1 } }), note("n2"));
      await tenant.addCounts(SESSION, "b", new Map([[1, 7]]));
      await tenant.addCounts(
        SESSION,
        "b",
        new Map([
          [1, 7],
          [2, 8],
          [99, 9],
        ]),
      );
      await tenant.addCounts(SESSION, "c", new Map([[1, 0]]));
      const [first, second] = await read(tenant);
      expectMatch(first, { tokens: { a: 1 }, recounts: { b: 7, c: 0 } });
      expectSame(second, { ...note("n2"), seq: 2 });
      expectSame((await tenant.readView(SESSION))?.entries[0], first);
      await expectError("session-not-found", () => tenant.addCounts("nowhere", "b", new Map([[1, 7]])));
    });
  });
}

async function fill(tenant: TenantStore): Promise<void> {
  await tenant.createSession({ id: SESSION, createdAt: 1, title: "Rockets" }, EMPTY_HEAD);
  await tenant.append(SESSION, { entries: [say("Launch one."), say("Launch two.")] });
  await tenant.append(SESSION, batchOf(await headOf(tenant), truncate(1)));
  await tenant.addCounts(SESSION, "b", new Map([[2, 9]]));
  await fork(tenant, { id: "f", atSeq: 2 });
}

export function describeReopening({ describe, test, make }: ContractPart): void {
  describe("a reopened store", () => {
    test(shows("S3-117", "returns everything that was acknowledged"), async () => {
      const under = await make();
      await fill(under.store.tenant("a"));
      await fill(under.store.tenant("b"));
      const before = await describeTenant(under.store.tenant("a"));
      if (under.reopen === undefined) return;
      const store = await under.reopen();
      expectSame(await describeTenant(store.tenant("a")), before);
      expectSame((await store.tenant("b").listSessions({ limit: 9 })).length, 2);
      expectSame(await store.tenant("c").listSessions({ limit: 9 }), []);
      await store.close();
    });

    test("continues seqs, epochs and fences, and recognizes stored ids", async () => {
      const under = await make();
      const draft = say("Hello.");
      const old = under.store.tenant("a");
      await fill(old);
      await old.append(SESSION, { entries: [draft] });
      const lease = await old.lease(SESSION, 60_000);
      if (under.reopen === undefined) return;
      const store = await under.reopen();
      const tenant = store.tenant("a");
      const outcome = await tenant.append(SESSION, { entries: [draft, say("Next.")] });
      expectSame(outcome.type === "appended" && seqsOf(outcome.entries), [4, 5]);
      expectSame(await tenant.lease(SESSION, 60_000), undefined);
      if (lease !== undefined) await tenant.release(SESSION, lease);
      expectMatch(await tenant.lease(SESSION, 60_000), { fence: 2 });
      expectSame(await tenant.append(SESSION, batchOf(EMPTY_HEAD, pinNote)), { type: "stale", epoch: 1 });
      await store.close();
    });
  });
}
