/**
 * The cost of storing conversations: bytes and time for each turn and for opening as a conversation grows, compared
 * with common alternatives; durable appends compared with the bare medium; several processes on one file; with `--long`
 * also a hundred thousand sessions, searches in a million messages and deletions of long sessions. Stores are written
 * to a folder that is removed at the end. It judges no summary and no prompt.
 *
 * `--quick` leaves out the largest sizes, `--no-peers` and `--no-ours` leave out one side of the part growth, `--folder
 * <path>` measures the disk of the path, `--only growth,open,append,postgres,processes,sessions,search,delete` runs
 * only those parts.
 */
import { fileURLToPath } from "node:url";
import { type PostgresServer, startPostgres } from "../test/support/start-postgres.ts";
import type { BenchRequest, BenchResult } from "./bench.ts";
import { findValue, installPeers, loadText, machineText, makeFolder, sayAs } from "./shared/surroundings.ts";
import { measureAppends } from "./store/append.ts";
import { measureDeletions } from "./store/delete.ts";
import { largestSize, measureGrowth } from "./store/growth.ts";
import { measureSessions } from "./store/many-sessions.ts";
import { measureOpening } from "./store/open.ts";
import { NOTHING_MEASURED, type StorePart, type StoreRequest } from "./store/part.ts";
import { measurePostgresAppends } from "./store/postgres-append.ts";
import { measureProcesses } from "./store/processes.ts";
import { measureSearch } from "./store/search.ts";
import { messageTokens, writeConversation } from "./turn-cost/conversation.ts";
import type { RequiredFigure } from "./turn-cost/judge-turn-cost.ts";

const say = sayAs("store");

type Measure = (request: StoreRequest, server: PostgresServer | undefined) => Promise<StorePart>;

interface Part {
  readonly name: string;
  readonly isLong?: boolean | undefined;
  readonly measure: Measure;
}

const PARTS: readonly Part[] = [
  { name: "growth", measure: measureGrowth },
  { name: "open", measure: measureOpening },
  { name: "append", measure: measureAppends },
  { name: "postgres", measure: measurePostgresAppends },
  { name: "processes", measure: measureProcesses },
  { name: "sessions", measure: measureSessions, isLong: true },
  { name: "search", measure: measureSearch, isLong: true },
  { name: "delete", measure: measureDeletions, isLong: true },
];
const NEEDS_POSTGRES: ReadonlySet<string> = new Set(["growth", "postgres"]);
const NEEDS_CONVERSATION: ReadonlySet<string> = new Set(["growth", "append"]);

export interface StoreResult extends BenchResult {
  readonly musts: readonly RequiredFigure[];
}

export async function run({ args }: BenchRequest): Promise<StoreResult> {
  const parts = partsOf(args);
  const hasPeers = !args.includes("--no-peers") && parts.some(({ name }) => name === "growth");
  if (hasPeers) installPeers(say);
  const folder = makeFolder(args);
  const conversationFile = fileURLToPath(new URL("../.bench/store/conversation.jsonl", import.meta.url));
  const hasOurs = !args.includes("--no-ours");
  const request = { folder, hasOurs, hasPeers, conversationFile, isQuick: args.includes("--quick"), say };
  const server = parts.some(({ name }) => NEEDS_POSTGRES.has(name)) ? await startServer() : undefined;
  const load = [`load average at the start ${loadText()}`];
  try {
    if (parts.some(({ name }) => NEEDS_CONVERSATION.has(name))) {
      say("writing the conversation");
      await writeConversation(conversationFile, largestSize(request));
    }
    const measured: StorePart[] = [];
    for (const { name, measure } of parts) {
      say(`${name}, load average ${loadText()}`);
      measured.push(await measure(request, server));
    }
    load.push(`at the end ${loadText()}`);
    return judge(measured, [
      load.join(", "),
      ...(server === undefined ? ["PostgreSQL was not requested or cannot be started: its rows are missing"] : []),
    ]);
  } finally {
    await server?.close();
  }
}

function judge(parts: readonly StorePart[], notes: readonly string[]): StoreResult {
  const all = parts.reduce(
    (sum, part) => ({
      rows: [...sum.rows, ...part.rows],
      musts: [...sum.musts, ...part.musts],
      figures: { ...sum.figures, ...part.figures },
      notes: [...sum.notes, ...part.notes],
    }),
    NOTHING_MEASURED,
  );
  return {
    name: "store",
    title: `Storing conversations: messages of ${messageTokens} tokens, milliseconds, bytes on disk`,
    rows: all.rows,
    figures: all.figures,
    notes: [
      ...all.musts.map(
        ({ text, target, measured, holds }) => `must: ${text} ${target}: ${measured}, ${holds ? "holds" : "MISSES"}`,
      ),
      ...all.notes,
      ...notes,
      `Node ${process.version}, SQLite ${process.versions.sqlite ?? "unknown"}, ${machineText()}`,
    ],
    musts: all.musts,
  };
}

function partsOf(args: readonly string[]): readonly Part[] {
  const only = findValue(args, "--only")?.split(",");
  const unknown = only?.find((name) => PARTS.every((part) => part.name !== name));
  if (unknown !== undefined) throw new Error(`--only: there is no part ${unknown}`);
  if (only !== undefined) return PARTS.filter(({ name }) => only.includes(name));
  return PARTS.filter(({ isLong }) => isLong !== true || args.includes("--long"));
}

async function startServer(): Promise<PostgresServer | undefined> {
  const server = await startPostgres({ isDurable: true });
  return "reason" in server ? undefined : server;
}
