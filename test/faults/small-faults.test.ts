/** Fault tests small enough for every change; `npm run faults` lists the full ones. */
import { afterAll, describe, expect, test } from "vitest";
import { EMPTY_HEAD } from "../../src/core/log/head.ts";
import { createMemoryStore } from "../../src/stores/memory/memory-store.ts";
import {
  aUserMessage,
  batchOf,
  draftOf,
  headOf,
  pinNote,
  SESSION,
} from "../../src/testing/store-contract/contract-log.ts";
import { checkWritten } from "../stores/check-written.ts";
import { temporaryFolder } from "../stores/temporary-folder.ts";
import { type WriterLine, wordsOf } from "../stores/writer-task.ts";
import { readSources } from "../support/read-repository.ts";
import { jumpClock } from "./clock-jumps.ts";
import { DAMAGE_SITES, damageFiles } from "./damage.ts";
import { describeFailedTally } from "./fault.ts";
import { FAULTS } from "./faults.ts";
import { openStores } from "./open-stores.ts";
import { CHAOS_SHARES, failProvider } from "./provider-chaos.ts";
import { expectNoViolations, smallSize } from "./small-size.ts";
import { stopServer } from "./stop-server.ts";

const folder = temporaryFolder();
afterAll(() => folder.remove());

describe("a clock that jumps a day ahead and back", () => {
  test("changes no order, no prompt and no lease in memory, in JSONL files and on SQLite", async () => {
    const { stores, close } = await openStores();
    for (const { kind, store } of stores) {
      expectNoViolations(await jumpClock(kind, store, smallSize({ rounds: 1, longestMs: 120_000 })));
    }
    await close();
  });
});

describe("changed bytes in files", () => {
  test.each(DAMAGE_SITES)("are detected or harmless, and all readable entries are recovered: $kind", async (site) => {
    expectNoViolations(await damageFiles(site, folder, smallSize({ rounds: 5, longestMs: 120_000 })));
  });
});

describe("a server that is stopped under load", () => {
  test("F13: exits by itself, answers requests that it accepted, and keeps what it acknowledged", async () => {
    const place = { kind: "sqlite", path: folder.newPath() } as const;
    expectNoViolations(await stopServer("sqlite", place, smallSize({ rounds: 1, longestMs: 120_000 })));
  });
});

describe("a provider that fails", () => {
  test.each(CHAOS_SHARES)(
    "F8: leaves every chat with an answer or a reason, and chats continue: %f of requests fail",
    async (share) => {
      expectNoViolations(await failProvider(share, smallSize({ rounds: 2, longestMs: 120_000 })));
    },
  );
});

describe("the check of written entries", () => {
  async function aTenantWith(...ids: readonly string[]) {
    const tenant = createMemoryStore().tenant("local");
    await tenant.createSession({ id: SESSION, createdAt: 0 }, EMPTY_HEAD);
    for (const id of ids) await tenant.append(SESSION, { entries: [draftOf(aUserMessage(wordsOf(id), { id }))] });
    return tenant;
  }
  const appended = (id: string, seq: number): WriterLine => ({
    type: "appended",
    session: SESSION,
    ids: [id],
    seqs: [seq],
  });

  test("finds missing entries, moved entries, and entries without their text", async () => {
    const tenant = await aTenantWith("a/0/1", "b/0/1");
    const other = draftOf(aUserMessage("Other words.", { id: "c/0/1" }));
    await tenant.append(SESSION, { entries: [other] });
    const reports = [appended("a/0/1", 1), appended("b/0/1", 3), appended("c/0/1", 3), appended("d/0/1", 4)];
    const { lost } = await checkWritten(tenant, reports);
    expect(lost).toEqual(["b/0/1 at 3, found at 2", "the words of c/0/1", "d/0/1"]);
  });

  test("finds half a batch, erased entries that are present, and unexpected or missing sessions", async () => {
    const tenant = await aTenantWith("a/0/2");
    const { lost, violations } = await checkWritten(tenant, [
      { type: "erased", session: SESSION, ids: ["a/0/2"] },
      { type: "deleted", session: SESSION },
      { type: "forked", session: "nowhere", parent: SESSION, atSeq: 1 },
    ]);
    expect(lost).toEqual(["the session nowhere"]);
    expect(violations).toEqual([
      `${SESSION}: 1 of the 2 messages of a`,
      `${SESSION}: a/0/2 is there again`,
      `the deleted session ${SESSION} is there`,
    ]);
  });

  test("finds a head that is not the fold of its log", async () => {
    const tenant = await aTenantWith("a/0/1");
    const batch = batchOf(await headOf(tenant), pinNote);
    await tenant.append(SESSION, { ...batch, head: { ...batch.head, messageCount: 7 } });
    const { violations } = await checkWritten(tenant, []);
    expect(violations).toEqual([`${SESSION}: its head is not the fold of its log: messageCount is 7, and should be 1`]);
  });
});

describe("the report of a fault", () => {
  test("counts lost entries, duplicates and every other violation as a failure", () => {
    const well = { name: "x", rounds: 1, acknowledged: 1, lost: 0, duplicated: 0, violations: [] };
    expect(describeFailedTally(well)).toBeUndefined();
    expect(describeFailedTally({ ...well, lost: 1 })).toContain("1 lost");
    expect(describeFailedTally({ ...well, duplicated: 2 })).toContain("2 duplicated");
    expect(describeFailedTally({ ...well, violations: ["a gap"] })).toContain("a gap");
  });

  test("exists for exactly the faults in the table of docs/faults.md", () => {
    const page = readSources("docs/faults.md").get("docs/faults.md") ?? "";
    const named = [...page.matchAll(/^\| (F\d+|once) +\|/gm)].map(([, name]) => name);
    expect(Object.keys(FAULTS)).toEqual(named);
  });
});
