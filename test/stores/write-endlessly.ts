/**
 * Changes a store in every way through the real engine, until killed: appends, compactions, changes of the past,
 * deletions, retention, forks and deleted sessions. Each result is printed before the next operation starts. A failing
 * store is retried.
 */
import { setTimeout } from "node:timers/promises";
import { openPalimpsest } from "../../src/compose.ts";
import { PalimpsestError } from "../../src/core/errors.ts";
import type { Message } from "../../src/core/message/message.ts";
import type { Palimpsest } from "../../src/engine/palimpsest.ts";
import type { Session } from "../../src/engine/session/session.ts";
import type { Store, TenantStore } from "../../src/ports/store.ts";
import { type SeededRandom, seededRandom } from "../../src/testing/seeded-random.ts";
import { printLine, type WriterTask, wordsOf } from "./writer-task.ts";

/** One session keeps everything; the other erases what a summary covers. */
export const KEEPING_SESSION = "kept";
export const ERASING_SESSION = "retained";

const BUDGET_TOKENS = 900;
const PAUSE_AFTER_FAILURE_MS = 20;
/** Larger than a row of any store. */
const LARGE_TEXT = "more ".repeat(60_000);

interface Work {
  readonly tenant: TenantStore;
  readonly kept: Session;
  readonly retained: Session;
  readonly random: SeededRandom;
  /** Prefix of the ids that this turn creates. */
  readonly name: string;
}

export async function writeEndlessly(store: Store, task: WriterTask): Promise<void> {
  const random = seededRandom(task.seed ?? 1);
  const keeping = await openEngine(store, "keep");
  const erasing = await openEngine(store, random.integer(2) === 0 ? "delete" : "tombstone");
  const [kept, retained] = [await keeping.session(KEEPING_SESSION), await erasing.session(ERASING_SESSION)];
  printLine({ type: "ready" });
  const { count = Number.POSITIVE_INFINITY } = task;
  for (let turn = 0; turn < count; turn += 1) {
    const work = { tenant: store.tenant("local"), kept, retained, random, name: `${task.name}-${turn}` };
    await runRandomWork(work).catch(reportFailure);
  }
}

function openEngine(store: Store, retention: "keep" | "tombstone" | "delete"): Promise<Palimpsest> {
  return openPalimpsest({ store, counter: "estimate", budgetTokens: BUDGET_TOKENS, policy: { retention } });
}

async function reportFailure(error: unknown): Promise<void> {
  if (!(error instanceof PalimpsestError)) throw error;
  printLine({ type: "failed", code: error.code, message: error.message });
  await setTimeout(PAUSE_AFTER_FAILURE_MS);
}

type Action = readonly [weight: number, run: (work: Work) => Promise<void>];

const ACTIONS: readonly Action[] = [
  [8, (work) => say(work, work.kept, 1)],
  [3, (work) => say(work, work.kept, 2 + work.random.integer(12))],
  [4, (work) => compact(work.kept)],
  [4, retain],
  [2, changePast],
  [1, eraseOne],
  [2, forkAndDelete],
];

async function runRandomWork(work: Work): Promise<void> {
  let left = work.random.integer(ACTIONS.reduce((sum, [weight]) => sum + weight, 0));
  for (const [weight, run] of ACTIONS) {
    left -= weight;
    if (left < 0) return run(work);
  }
}

async function say({ name, random }: Work, session: Session, count: number): Promise<void> {
  const messages = Array.from({ length: count }, (_, index): Message => {
    const id = `${name}/${index}/${count}`;
    const more = count === 1 && random.integer(50) === 0 ? LARGE_TEXT : `It was said in ${name}. `.repeat(6);
    return {
      id,
      role: index % 2 === 0 ? "user" : "assistant",
      parts: [{ type: "text", text: `${wordsOf(id)} ${more}` }],
    };
  });
  const { messages: stored } = await session.append(messages, { format: "palimpsest" });
  printLine({
    type: "appended",
    session: session.id,
    ids: stored.map(({ id }) => id),
    seqs: stored.map(({ seq }) => seq),
  });
}

/** Requests a prompt, which folds the past if it does not fit, and prints the changes. */
async function compact(session: Session): Promise<void> {
  const { report } = await session.prompt({ instructions: "Be brief." });
  const ids = report.compactions.flatMap(({ entryIds }) => entryIds);
  if (ids.length > 0) printLine({ type: "changed", session: session.id, ids });
}

/** Appends to the session that erases, compacts it, and prints which messages were erased. */
async function retain(work: Work): Promise<void> {
  const { tenant, retained } = work;
  await say(work, retained, 4);
  const before = await readWhole(tenant, retained.id);
  printLine({ type: "erasing", session: retained.id, ids: before });
  await compact(retained);
  const whole = new Set(await readWhole(tenant, retained.id));
  const gone = before.filter((id) => !whole.has(id));
  if (gone.length > 0) printLine({ type: "erased", session: retained.id, ids: gone });
}

/** Returns the ids of the messages whose text was not erased. */
async function readWhole(tenant: TenantStore, session: string): Promise<readonly string[]> {
  const entries = await tenant.readEntries(session, { types: ["message"] });
  return entries.filter((entry) => JSON.stringify(entry).includes(wordsOf(entry.id))).map(({ id }) => id);
}

async function changePast({ kept, random }: Work): Promise<void> {
  const chance = random.integer(10);
  if (chance < 6) {
    const pinned = await kept.pin({ note: "Ana decides." });
    if (pinned.type === "pinned") printLine({ type: "changed", session: kept.id, ids: [pinned.pinId] });
  } else if (chance < 9) {
    const undone = await kept.undo();
    if (undone.type === "undone") printLine({ type: "changed", session: kept.id, ids: [undone.entryId] });
  } else await kept.clear();
}

async function eraseOne({ tenant, kept, random }: Work): Promise<void> {
  const newest = await tenant.readEntries(kept.id, { types: ["message"], limit: 30, newestFirst: true });
  const whole = newest.filter((entry) => entry.type === "message" && entry.erased !== true);
  if (whole.length === 0) return;
  const ids = [random.pick(whole).id];
  printLine({ type: "erasing", session: kept.id, ids });
  await kept.delete(ids[0] ?? "").catch(ignoreErased);
  printLine({ type: "erased", session: kept.id, ids });
}

/** Two writers may choose the same message: the second finds it erased. */
function ignoreErased(error: unknown): void {
  if (!(error instanceof PalimpsestError) || error.code !== "message-not-found") throw error;
}

async function forkAndDelete(work: Work): Promise<void> {
  const { tenant, random } = work;
  const parent = random.integer(4) === 0 ? work.retained : work.kept;
  const lastSeq = (await tenant.findSession(parent.id))?.lastSeq ?? 0;
  const atSeq = random.integer(lastSeq + 1);
  const fork = await parent.fork(atSeq);
  printLine({ type: "forked", session: fork.id, parent: parent.id, atSeq });
  await say(work, fork, 1 + random.integer(3));
  if (random.integer(3) === 0) return;
  printLine({ type: "deleting", session: fork.id });
  await tenant.deleteSession(fork.id);
  printLine({ type: "deleted", session: fork.id });
}
