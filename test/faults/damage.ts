/**
 * F12: damaged files: a hundred random bytes in each copy, a write-ahead log that was cut off or is missing. Every
 * later read returns what was written, or the damage is detected; nothing crashes; and readable entries can be
 * exported.
 */
import { cpSync, existsSync, globSync, readFileSync, rmSync, statSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type SeededRandom, seededRandom } from "../../src/testing/seeded-random.ts";
import { startWriter } from "../stores/start-writer.ts";
import type { TemporaryFolder } from "../stores/temporary-folder.ts";
import type { FaultOptions, FaultResult } from "./fault.ts";
import type { Place } from "./place.ts";
import type { SalvageLine } from "./salvage.ts";
import { startChild } from "./start-child.ts";

const FLIPPED_BYTES = 100;
/** Copies that one process reads. */
const AT_ONCE = 5;
const FIRST_ACTIONS = 150;
/** Flips bytes in all files, or cuts off or removes the write-ahead log, if there is one. */
type DamageKind = "flip" | "cut-log" | "no-log";

export interface DamageSite {
  readonly kind: "sqlite" | "jsonl";
  readonly harms: readonly DamageKind[];
}

export const DAMAGE_SITES: readonly DamageSite[] = [
  { kind: "sqlite", harms: ["flip", "flip", "flip", "cut-log", "no-log"] },
  { kind: "jsonl", harms: ["flip"] },
];

export async function damageFiles(
  site: DamageSite,
  folder: TemporaryFolder,
  options: FaultOptions,
): Promise<FaultResult> {
  const random = seededRandom(options.seed);
  const until = performance.now() + options.longestMs;
  const original: Place = { kind: site.kind, path: folder.newPath() };
  await fillAndKill(original, options.seed);
  const [whole] = await salvage([original]);
  const violations: string[] = whole?.type === "read" ? [] : ["The undamaged original cannot be read."];
  const counts = { harmless: 0, noticed: 0, refused: 0, unnoticed: 0, crashed: 0 };
  let readable = 0;
  let rounds = 0;
  // At least one batch of copies is tested, however slow the machine is.
  while (rounds < options.rounds && (rounds === 0 || performance.now() < until)) {
    const hurtOnes = Array.from({ length: Math.min(AT_ONCE, options.rounds - rounds) }, (_, index) => {
      const harm = site.harms[(rounds + index) % site.harms.length] ?? "flip";
      return { harm, place: damageCopy(original, { path: folder.newPath(), harm, random }) };
    });
    const found = await salvage(hurtOnes.map(({ place }) => place));
    for (const [index, { harm, place }] of hurtOnes.entries()) {
      remove(place);
      const verdict = judge(found[index], { whole, harm });
      // The reading process crashed on an earlier copy, so this one has no result.
      if (verdict === undefined) break;
      rounds += 1;
      counts[verdict.type] += 1;
      readable += verdict.readable;
      if (verdict.fault !== undefined) violations.push(`${harm}: ${verdict.fault}`);
    }
    options.onProgress(`${site.kind}: ${rounds} of ${options.rounds} damaged`);
  }
  const remarks =
    `${counts.harmless} harmless, ${counts.noticed} noticed, ${counts.refused} refused, ` +
    `${counts.unnoticed} unnoticed; ${readable} entries read`;
  const acknowledged = whole?.type === "read" ? whole.entries.length : 0;
  return { name: site.kind, rounds, acknowledged, lost: 0, duplicated: 0, violations, remarks };
}

type SalvageResult = SalvageLine | { readonly type: "crashed"; readonly complaint: string };
type ReadEntryLine = Extract<SalvageLine, { readonly type: "read" }>;

interface Verdict {
  readonly type: "harmless" | "noticed" | "refused" | "unnoticed" | "crashed";
  /** Number of readable entries. */
  readonly readable: number;
  readonly fault?: string | undefined;
}

const UNNOTICED = "the data differed from what was written, without an error.";

function judge(
  found: SalvageResult | undefined,
  { whole, harm }: { readonly whole: SalvageResult | undefined; readonly harm: DamageKind },
): Verdict | undefined {
  if (found === undefined) return undefined;
  if (found.type === "crashed") return { type: "crashed", readable: 0, fault: found.complaint };
  if (found.type === "refused") return { type: "refused", readable: 0 };
  const type = compare(found, { whole, harm });
  return { type, readable: found.entries.length, fault: type === "unnoticed" ? UNNOTICED : undefined };
}

/** Without the write-ahead log, the newest entries are missing and earlier ones have their earlier state. */
function compare(
  found: ReadEntryLine,
  { whole, harm }: { readonly whole: SalvageResult | undefined; readonly harm: DamageKind },
): Verdict["type"] {
  const written = new Map((whole?.type === "read" ? whole.entries : []).map(({ key, print }) => [key, print]));
  const changed = found.entries.filter(({ key, print }) => written.get(key) !== print);
  if (changed.length === 0 && found.entries.length === written.size) return "harmless";
  if (found.complaints.length > 0 || changed.some(({ isTrue }) => !isTrue)) return "noticed";
  // Without the end of the log, an entry that was erased later still has its text, which is no damage.
  return harm === "flip" ? "unnoticed" : "harmless";
}

/** Kills the writer, so that the write-ahead log remains. */
async function fillAndKill(place: Place, seed: number): Promise<void> {
  const writer = startWriter({ type: "endless", place, name: "w", seed });
  await writer.first("appended");
  while (writer.lines.length < FIRST_ACTIONS) await new Promise((resolve) => setTimeout(resolve, 10));
  writer.process.kill("SIGKILL");
  await writer.ended;
}

async function salvage(places: readonly Place[]): Promise<readonly SalvageResult[]> {
  const script = join(import.meta.dirname, "salvage.ts");
  const child = startChild<SalvageLine>({ script, task: places });
  const { code, signal, complaint } = await child.ended;
  if (code === 0) return child.lines;
  return [...child.lines, { type: "crashed", complaint: `${signal ?? code}: ${complaint.slice(0, 500)}` }];
}

const ENDINGS = ["", "-wal"];

interface DamageOptions {
  readonly path: string;
  readonly harm: DamageKind;
  readonly random: SeededRandom;
}

function damageCopy({ kind, path: from }: Place, { path, harm, random }: DamageOptions): Place {
  for (const ending of ENDINGS) {
    if (existsSync(from + ending)) cpSync(from + ending, path + ending, { recursive: true });
  }
  hurt({ kind, path }, harm, random);
  return { kind, path };
}

function remove({ path }: Place): void {
  for (const ending of [...ENDINGS, "-shm"]) rmSync(path + ending, { recursive: true, force: true });
}

function hurt({ kind, path }: Place, harm: DamageKind, random: SeededRandom): void {
  const log = `${path}-wal`;
  if (harm === "no-log") rmSync(log, { force: true });
  else if (harm === "flip") flip(kind === "sqlite" ? [path, log].filter(existsSync) : findLines(path), random);
  else if (existsSync(log)) truncateSync(log, random.integer(statSync(log).size + 1));
}

function findLines(folder: string): readonly string[] {
  return globSync("**/*.{jsonl,db,db-wal}", { cwd: folder }).map((name) => join(folder, name));
}

function flip(files: readonly string[], random: SeededRandom): void {
  const bytes = files
    .map((file) => ({ file, content: readFileSync(file) }))
    .filter(({ content }) => content.length > 0);
  for (let count = 0; count < FLIPPED_BYTES; count += 1) {
    const { content } = random.pick(bytes);
    const at = random.integer(content.length);
    content[at] = (content[at] ?? 0) ^ (1 + random.integer(255));
  }
  for (const { file, content } of bytes) writeFileSync(file, content);
}
