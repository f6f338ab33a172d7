/**
 * Compares acknowledgements with the store after any crash: every acknowledged entry is in place with its text, nothing
 * is duplicated, no seq is missing, batches are whole, a head is the fold of its log, forks can be read, and erased
 * text stays erased.
 */
import { isDeepStrictEqual } from "node:util";
import type { Entry } from "../../src/core/log/entry.ts";
import { foldEntries } from "../../src/core/log/fold-entry.ts";
import type { Head } from "../../src/core/log/head.ts";
import type { SessionHeader, TenantStore } from "../../src/ports/store.ts";
import { headOf, viewOf } from "../../src/testing/store-contract/contract-log.ts";
import { expectSame } from "../../src/testing/store-contract/store-under-test.ts";
import { type WriterLine, wordsOf } from "./writer-task.ts";

export interface Findings {
  /** Entries found. */
  readonly entries: number;
  readonly acknowledged: number;
  /** Acknowledged entries that are missing or changed. */
  readonly lost: readonly string[];
  readonly duplicated: readonly string[];
  /** All other violations. */
  readonly violations: readonly string[];
}

const MAX_SESSIONS = 100_000;

export async function checkWritten(tenant: TenantStore, reports: readonly WriterLine[]): Promise<Findings> {
  const record = buildRecord(reports);
  const logs = await readLogs(tenant);
  const lost: string[] = [];
  const duplicated: string[] = [];
  const violations: string[] = [];
  for (const [session, acknowledged] of record.acknowledged) {
    const log = logs.get(session);
    if (log !== undefined) lost.push(...findLost(log.entries, acknowledged, record));
    else if (!record.mayBeGone.has(session)) lost.push(`the session ${session}`);
  }
  for (const [id, { header, entries }] of logs) {
    duplicated.push(...findDuplicates(entries).map((entry) => `${id}: ${entry}`));
    violations.push(...(await findViolations(tenant, { header, entries, logs })).map((text) => `${id}: ${text}`));
    violations.push(...findRestoredTexts(entries, record.erased).map((entry) => `${id}: ${entry} is there again`));
  }
  for (const id of record.gone) if (logs.has(id)) violations.push(`the deleted session ${id} is there`);
  const acknowledged = [...record.acknowledged.values()].reduce((sum, each) => sum + each.size, 0);
  const entries = [...logs.values()].reduce((sum, log) => sum + log.entries.length, 0);
  return { entries, acknowledged, lost, duplicated, violations };
}

interface WriterRecord {
  /** The id of each entry by session, with its seq if it was acknowledged. */
  readonly acknowledged: ReadonlyMap<string, ReadonlyMap<string, number | undefined>>;
  readonly mayBeErased: ReadonlySet<string>;
  readonly erased: ReadonlySet<string>;
  readonly mayBeGone: ReadonlySet<string>;
  readonly gone: ReadonlySet<string>;
}

function buildRecord(reports: readonly WriterLine[]): WriterRecord {
  const acknowledged = new Map<string, Map<string, number | undefined>>();
  const of = (session: string) => {
    const known = acknowledged.get(session) ?? new Map<string, number | undefined>();
    acknowledged.set(session, known);
    return known;
  };
  const sets = { erasing: new Set<string>(), erased: new Set<string>() };
  const sessions = { deleting: new Set<string>(), deleted: new Set<string>() };
  for (const line of reports) {
    if (line.type === "appended") for (const [at, id] of line.ids.entries()) of(line.session).set(id, line.seqs[at]);
    else if (line.type === "changed") for (const id of line.ids) of(line.session).set(id, undefined);
    else if (line.type === "forked") of(line.session);
    else if (line.type === "erasing" || line.type === "erased") for (const id of line.ids) sets[line.type].add(id);
    else if (line.type === "deleting" || line.type === "deleted") sessions[line.type].add(line.session);
  }
  return {
    acknowledged,
    mayBeErased: sets.erasing,
    erased: sets.erased,
    mayBeGone: sessions.deleting,
    gone: sessions.deleted,
  };
}

interface Log {
  readonly header: SessionHeader;
  readonly entries: readonly Entry[];
}

async function readLogs(tenant: TenantStore): Promise<ReadonlyMap<string, Log>> {
  const logs = new Map<string, Log>();
  for (const { id } of await tenant.listSessions({ limit: MAX_SESSIONS })) {
    const session = await tenant.findSession(id);
    if (session !== undefined) logs.set(id, { header: session.header, entries: await tenant.readEntries(id, {}) });
  }
  return logs;
}

function findLost(
  entries: readonly Entry[],
  acknowledged: ReadonlyMap<string, number | undefined>,
  { mayBeErased }: WriterRecord,
): readonly string[] {
  const found = new Map(entries.map((entry) => [entry.id, entry]));
  return [...acknowledged].flatMap(([id, seq]) => {
    const entry = found.get(id);
    if (entry === undefined) return mayBeErased.has(id) ? [] : [id];
    if (seq !== undefined && entry.seq !== seq) return [`${id} at ${seq}, found at ${entry.seq}`];
    const isWhole = entry.type !== "message" || mayBeErased.has(id) || JSON.stringify(entry).includes(wordsOf(id));
    return isWhole || isFolded(entry, entries) ? [] : [`the words of ${id}`];
  });
}

/**
 * Another writer may have folded the message in the meantime: then its summary was written in the transaction that
 * erased the text.
 */
function isFolded({ seq }: Entry, entries: readonly Entry[]): boolean {
  return entries.some(
    (entry) => entry.type === "summary" && entry.erases === true && seq <= entry.record.coverage.lastSeq,
  );
}

function findDuplicates(entries: readonly Entry[]): readonly string[] {
  const seen = new Set<string>();
  return entries.flatMap(({ id }) => (seen.size < seen.add(id).size ? [] : [id]));
}

function findRestoredTexts(entries: readonly Entry[], erased: ReadonlySet<string>): readonly string[] {
  const suspects = entries.filter(({ id }) => erased.has(id));
  return suspects.filter((entry) => JSON.stringify(entry).includes(wordsOf(entry.id))).map(({ id }) => id);
}

interface ExaminedLog extends Log {
  readonly logs: ReadonlyMap<string, Log>;
}

async function findViolations(tenant: TenantStore, examined: ExaminedLog): Promise<readonly string[]> {
  const { header, entries } = examined;
  const violations = [...findGaps(entries), ...findHalfBatches(examined)];
  await viewOf(tenant, header.id);
  if (header.fork !== undefined) return [...violations, ...findWrongParents(examined)];
  const [head, folded] = [await headOf(tenant, header.id), foldEntries(entries)];
  const keys = Object.keys({ ...head, ...folded }) as (keyof Head)[];
  const differing = keys.filter((key) => !isSame(head[key], folded[key]));
  return [...violations, ...differing.map((key) => describeDifference(key, head[key], folded[key]))];
}

const SHOWN_CHARACTERS = 300;

function describeDifference(key: string, found: unknown, expected: unknown): string {
  const show = (value: unknown) => (JSON.stringify(value) ?? "nothing").slice(0, SHOWN_CHARACTERS);
  return `its head is not the fold of its log: ${key} is ${show(found)}, and should be ${show(expected)}`;
}

function isSame(left: unknown, right: unknown): boolean {
  try {
    expectSame(left, right);
    return true;
  } catch {
    return false;
  }
}

function findGaps(entries: readonly Entry[]): readonly string[] {
  const gap = entries.findIndex(({ seq }, index) => seq !== index + 1);
  return gap < 0 ? [] : [`place ${gap + 1} holds ${entries[gap]?.seq}`];
}

/** Writers' messages state the size of their batch: all of it must be present, or none. */
function findHalfBatches({ header, entries }: Log): readonly string[] {
  const own = entries.filter(({ seq, type }) => type === "message" && seq > (header.fork?.atSeq ?? 0));
  const counted = own.filter(({ id }) => id.split("/").length === 3);
  const batches = Map.groupBy(counted, ({ id }) => id.split("/")[0]);
  return [...batches].flatMap(([name, batch]) => {
    const expected = batch[0]?.id.split("/")[2];
    return expected === `${batch.length}` ? [] : [`${batch.length} of the ${expected} messages of ${name}`];
  });
}

/** A fork must inherit what its parent has. */
function findWrongParents({ header, entries, logs }: ExaminedLog): readonly string[] {
  const { parentId = "", atSeq = 0 } = header.fork ?? {};
  const parent = logs.get(parentId);
  if (parent === undefined) return [`its parent ${parentId} is not there`];
  const idsOf = (all: readonly Entry[]) => all.filter(({ seq }) => seq <= atSeq).map(({ id }) => id);
  return isDeepStrictEqual(idsOf(entries), idsOf(parent.entries)) ? [] : ["its parent has other entries"];
}
