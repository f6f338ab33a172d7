/**
 * Compares what an append costs in a session whose words are indexed with one that has no index, in alternating rounds,
 * so that a busy moment of the machine affects both. Also shows that opening a session and appending to it use no table
 * of the index: both work while the tables have another name.
 */
import { EMPTY_HEAD } from "../../src/core/log/head.ts";
import type { Store } from "../../src/ports/store.ts";
import { draftMessage } from "../store/drafts.ts";
import { spokenText } from "../store/spoken-texts.ts";

const ROUNDS = 30;
const APPENDS = 100;
const PLAIN = "without an index";
const TABLES = ["word_places", "word_progress"];

export interface AppendCost {
  /** CPU time of an append to the indexed session, relative to the other. Median of the rounds. */
  readonly ratio: number;
  readonly opensWithoutIndex: boolean;
}

interface IndexedSession {
  readonly store: Store;
  readonly sessionId: string;
  /** Runs a statement; `{}` is the prefix of the tables' names. */
  run(text: string): Promise<unknown>;
}

export async function measureAppends({ store, sessionId, run }: IndexedSession): Promise<AppendCost> {
  const tenant = store.tenant("local");
  await tenant.createSession({ id: PLAIN, createdAt: 0 }, EMPTY_HEAD);
  let made = 0;
  const append = async (id: string): Promise<number> => {
    const before = process.cpuUsage();
    for (let count = 0; count < APPENDS; count += 1) {
      made += 1;
      await tenant.append(id, { entries: [draftMessage({ id: `more-${made}`, at: made, ...spokenText(made) })] });
    }
    const { user, system } = process.cpuUsage(before);
    return user + system;
  };
  await append(PLAIN);
  const ratios: number[] = [];
  for (let round = 0; round < ROUNDS; round += 1) {
    const plain = await append(PLAIN);
    ratios.push((await append(sessionId)) / plain);
  }
  const ratio = ratios.toSorted((left, right) => left - right)[Math.floor(ROUNDS / 2)] ?? 0;
  const check = async (): Promise<boolean> => {
    const session = await tenant.findSession(sessionId);
    const newest = await tenant.readEntries(sessionId, { limit: 10, newestFirst: true });
    await append(sessionId);
    return session !== undefined && newest.length === 10;
  };
  return { ratio, opensWithoutIndex: await runWithoutTables(check, run) };
}

async function runWithoutTables(check: () => Promise<boolean>, run: IndexedSession["run"]): Promise<boolean> {
  for (const table of TABLES) await run(`ALTER TABLE {}${table} RENAME TO hidden_${table}`);
  try {
    return await check();
  } catch {
    return false;
  } finally {
    for (const table of TABLES) await run(`ALTER TABLE {}hidden_${table} RENAME TO ${table}`);
  }
}
