/**
 * F1: processes that append, compact, fork, erase, migrate or create a store are killed (kill -9) at random instants.
 * Acknowledged writes are stored at their seq, once; unfinished ones are whole or absent.
 */
import { setTimeout } from "node:timers/promises";
import { PalimpsestError } from "../../src/core/errors.ts";
import { type SeededRandom, seededRandom } from "../../src/testing/seeded-random.ts";
import { checkWritten, type Findings } from "../stores/check-written.ts";
import { type RunningWriter, startWriter } from "../stores/start-writer.ts";
import type { WriterLine, WriterTask } from "../stores/writer-task.ts";
import type { FaultOptions, FaultResult } from "./fault.ts";
import { migrateToLaterSchema, removeLaterSteps } from "./later-schema.ts";
import { openPlace, type Place } from "./place.ts";

/** The operations on a kind of store that a crash test needs. */
export interface CrashSite {
  readonly name: string;
  /** Creates an empty place. */
  newPlace(): Promise<Place>;
  /** Copies a store in its current state. */
  copy(place: Place): Promise<Place>;
  /** How many processes may write concurrently. */
  readonly writers: number;
  /** Returns the problem that the storage's own check finds, or undefined. */
  examine?(place: Place): Promise<string | undefined>;
}

/** A process is killed after at most this many lines of output, plus a random delay. */
const MAX_LINES = 30;
const LAST_MOMENT_MS = 20;
const MAX_WAIT_MS = 10_000;
/** A migration is killed at most this long after it started. */
const MAX_LIFE_MS = 150;
const MAX_OPENING_MS = 600;
/** After this many kills a new place is used, because every check reads the whole log. */
const KILLS_A_PLACE = 40;
/** The processes to kill, one in each round; the first three are one of each kind. */
const ROUNDS = [
  "write",
  "migrate",
  "open",
  "write",
  "write",
  "write",
  "write",
  "migrate",
  "write",
  "write",
  "write",
  "write",
] as const;

interface WrittenPlace {
  readonly place: Place;
  readonly reports: readonly WriterLine[];
}

interface Scene extends WrittenPlace {
  readonly reports: WriterLine[];
}

export async function crashProcesses(site: CrashSite, options: FaultOptions): Promise<FaultResult> {
  const random = seededRandom(options.seed);
  const until = performance.now() + options.longestMs;
  const record = new Record(site.name);
  let round = 0;
  for (let killed = 0; killed < options.rounds && performance.now() < until; ) {
    const scene: Scene = { place: await site.newPlace(), reports: [] };
    const last = Math.min(options.rounds, killed + KILLS_A_PLACE);
    while (killed < last && performance.now() < until) {
      killed += await killOnce(scene, { site, random, round, record });
      round += 1;
      record.rounds = killed;
      options.onProgress(`${site.name}: ${killed} of ${options.rounds} kills`);
    }
    record.close(scene.reports.length === 0 ? undefined : await examinePlace(scene, record));
    record.hear(scene.reports);
    const damage = await site.examine?.(scene.place);
    if (damage !== undefined) record.violations.push(damage);
  }
  record.missWork();
  return record.tally();
}

/** F10: kills only migrations, each on a copy of a store with data. */
export async function killMigrations(site: CrashSite, options: FaultOptions): Promise<FaultResult> {
  const random = seededRandom(options.seed);
  const until = performance.now() + options.longestMs;
  const record = new Record(site.name);
  const place = await site.newPlace();
  const writer = startWriter({ type: "endless", place, name: "before", seed: options.seed, count: FIRST_ACTIONS });
  const { complaint } = await writer.ended;
  if (complaint !== "") throw new Error(`A writer complained: ${complaint}`);
  const died = new Set<number>();
  while (record.rounds < options.rounds && performance.now() < until) {
    const copied = { place: await site.copy(place), reports: writer.lines };
    const name = `k${record.rounds}`;
    const lines = await killWriter(
      { type: "migrate", place: copied.place, name },
      random.integer(MAX_LIFE_MS),
      "ready",
    );
    for (const line of lines) if (line.type === "migrated") died.add(line.version);
    await resume(copied, record);
    record.rounds += 1;
    options.onProgress(`${site.name}: ${record.rounds} of ${options.rounds} migrations killed`);
  }
  record.close(await examinePlace({ place, reports: writer.lines }, record));
  return { ...record.tally(), remarks: `killed after steps up to ${Math.max(0, ...died)}, in ${died.size} places` };
}

const FIRST_ACTIONS = 120;

interface Round {
  readonly site: CrashSite;
  readonly random: SeededRandom;
  readonly round: number;
  readonly record: Record;
}

/** Returns how many processes were killed. */
async function killOnce(scene: Scene, { site, random, round, record }: Round): Promise<number> {
  const kind = ROUNDS[round % ROUNDS.length];
  const task = (type: WriterTask["type"], place: Place): WriterTask => ({
    type,
    place,
    name: `k${round}-${random.integer(1_000_000)}`,
    seed: random.integer(1_000_000),
  });
  if (kind === "open") {
    const place = await site.newPlace();
    const reports = await killWriter(task("endless", place), random.integer(MAX_OPENING_MS), "start");
    await examinePlace({ place, reports }, record);
    return 1;
  }
  if (kind === "migrate") {
    const copied = { place: await site.copy(scene.place), reports: scene.reports };
    await killWriter(task("migrate", copied.place), random.integer(MAX_LIFE_MS), "ready");
    await resume(copied, record);
    return 1;
  }
  const kills = Array.from({ length: site.writers }, () =>
    killWriter(task("endless", scene.place), random.integer(LAST_MOMENT_MS), 1 + random.integer(MAX_LINES)),
  );
  for (const lines of await Promise.all(kills)) scene.reports.push(...lines);
  await examinePlace(scene, record);
  return site.writers;
}

/** A busy machine does less in the same time, so the lifetime is measured in lines of output. */
async function waitForLines({ lines }: RunningWriter, count: number): Promise<void> {
  const until = performance.now() + MAX_WAIT_MS;
  while (lines.length < count && performance.now() < until) await setTimeout(1);
}

/** Kills a writer after a delay, counted from its start, from its readiness, or from a number of lines. */
async function killWriter(task: WriterTask, afterMs: number, since: "start" | "ready" | number) {
  const writer = startWriter(task);
  if (since !== "start") await writer.first("ready");
  if (typeof since === "number") await waitForLines(writer, since);
  await setTimeout(afterMs);
  writer.process.kill("SIGKILL");
  const { complaint } = await writer.ended;
  if (complaint !== "") throw new Error(`A writer complained: ${complaint}`);
  const failed = writer.lines.find((line) => line.type === "failed" && line.code !== "does-not-fit");
  if (failed !== undefined) throw new Error(`A writer was refused: ${JSON.stringify(failed)}`);
  return writer.lines;
}

/** Continues an interrupted migration; then an older version is refused, and all data is still there. */
async function resume(scene: WrittenPlace, record: Record): Promise<void> {
  await migrateToLaterSchema(scene.place, () => undefined);
  if (scene.place.kind !== "jsonl") {
    const refused = await openPlace(scene.place).then(
      async (store) => void (await store.close()),
      (error: unknown) => error,
    );
    if (!(refused instanceof PalimpsestError && refused.code === "config-invalid")) {
      record.violations.push("An older version opened a newer schema.");
    }
  }
  await removeLaterSteps(scene.place);
  await examinePlace(scene, record);
}

async function examinePlace({ place, reports }: WrittenPlace, record: Record): Promise<Findings> {
  const store = await openPlace(place);
  try {
    const findings = await checkWritten(store.tenant("local"), reports);
    record.note(findings);
    return findings;
  } finally {
    await store.close();
  }
}

const KINDS = ["appended", "changed", "erased", "forked", "deleted"] as const;
/** After this many acknowledgements, every kind of work must have been done. */
const ENOUGH = 200;

/** The findings so far. */
class Record {
  readonly violations: string[] = [];
  rounds = 0;
  readonly #name: string;
  readonly #lost = new Set<string>();
  readonly #duplicated = new Set<string>();
  readonly #done = { appended: 0, changed: 0, erased: 0, forked: 0, deleted: 0 };
  #acknowledged = 0;
  #entries = 0;

  constructor(name: string) {
    this.#name = name;
  }

  note({ lost, duplicated, violations }: Findings): void {
    for (const each of lost) this.#lost.add(each);
    for (const each of duplicated) this.#duplicated.add(each);
    this.violations.push(...violations);
  }

  /** Counts acknowledged work by kind. */
  hear(reports: readonly WriterLine[]): void {
    for (const kind of KINDS) this.#done[kind] += reports.filter(({ type }) => type === kind).length;
  }

  /** Reports kinds of work that the run did not do. */
  missWork(): void {
    if (this.#acknowledged < ENOUGH) return;
    for (const kind of KINDS) if (this.#done[kind] === 0) this.violations.push(`Nothing was ${kind}.`);
  }

  /** Adds the counts of the last check of a place. */
  close(findings: Findings | undefined): void {
    this.#acknowledged += findings?.acknowledged ?? 0;
    this.#entries += findings?.entries ?? 0;
  }

  tally(): FaultResult {
    return {
      name: this.#name,
      rounds: this.rounds,
      acknowledged: this.#acknowledged,
      lost: this.#lost.size,
      duplicated: this.#duplicated.size,
      violations: [...[...this.#lost].map((each) => `lost: ${each}`), ...this.violations],
      remarks: `${this.#entries} entries; ${KINDS.map((kind) => `${this.#done[kind]} ${kind}`).join(", ")}`,
    };
  }
}
