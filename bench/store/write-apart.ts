/** Appends to a file that other processes append to, and prints the time of each append and the errors. */
import { setTimeout } from "node:timers/promises";
import { openSqliteStore } from "../../src/stores/sqlite/open-sqlite-store.ts";
import { messageAt } from "../turn-cost/conversation.ts";
import { draftMessage } from "./drafts.ts";
import { measureTime } from "./part.ts";

export interface WriterTask {
  readonly name: string;
  readonly path: string;
  /** Sessions to append to, in turn. */
  readonly sessionIds: readonly string[];
  readonly appends: number;
  readonly pauseMs: number;
}

export interface WriterFigures {
  readonly appendMs: readonly number[];
  readonly failures: readonly string[];
}

const WARMING = 20;

const { name, path, sessionIds, appends, pauseMs } = JSON.parse(process.argv[2] ?? "{}") as WriterTask;
const messages = Array.from({ length: 100 }, (_, index) => messageAt(index));
const store = await openSqliteStore(path);
const tenant = store.tenant("local");
const appendMs: number[] = [];
const failures: string[] = [];
for (let index = 0; index < WARMING + appends; index += 1) {
  const turnMessage = messages[index % messages.length] ?? messageAt(index);
  const draft = draftMessage({ id: `${name}-${index}`, at: index, ...turnMessage });
  const sessionId = sessionIds[index % sessionIds.length] ?? "shared";
  const { ms } = await measureTime(() => tenant.append(sessionId, { entries: [draft] }).catch(remember));
  if (index >= WARMING) appendMs.push(ms);
  await setTimeout(pauseMs);
}
await store.close();
process.stdout.write(JSON.stringify({ appendMs, failures } satisfies WriterFigures));

function remember(error: unknown): void {
  failures.push(error instanceof Error ? error.message : String(error));
}
