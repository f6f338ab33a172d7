/**
 * The server under load: two hundred sessions that append and prompt on SQLite and on PostgreSQL with two servers and a
 * worker, compared with a server of LangGraph's packages; five hundred event streams; clients that disconnect in the
 * middle of a stream; the time until the server is ready; one session of a hundred thousand messages. Everything runs
 * in its own process, with stores in a folder that is removed at the end. It does not judge the answers.
 *
 * `--quick` takes seconds instead of minutes, `--long` minutes for each part, `--no-peers` leaves out LangGraph,
 * `--turns 0,500,2000` loads sessions that have so many turns (default 0; the peers run up to 500),
 * `--folder <path>` measures the disk of the path, `--only sqlite,postgres,streams,drops,start,long-session` runs only
 * those parts.
 */
import { startPostgres } from "../test/support/start-postgres.ts";
import type { BenchRequest, BenchResult } from "./bench.ts";
import { measureColdStart } from "./server/cold-start.ts";
import { measureDrops } from "./server/drops.ts";
import { measurePostgres, measureSqlite } from "./server/load-part.ts";
import { measureLongSession } from "./server/long-session.ts";
import type { MeasureServer, ServerRequest } from "./server/part.ts";
import { measureStreams } from "./server/streams.ts";
import { findValue, installPeers, loadText, machineText, makeFolder, sayAs } from "./shared/surroundings.ts";
import type { StorePart } from "./store/part.ts";
import type { RequiredFigure } from "./turn-cost/judge-turn-cost.ts";

const say = sayAs("server");

const PARTS: Readonly<Record<string, MeasureServer>> = {
  sqlite: measureSqlite,
  postgres: measurePostgres,
  streams: measureStreams,
  drops: measureDrops,
  start: measureColdStart,
  "long-session": measureLongSession,
};

export interface ServerResult extends BenchResult {
  readonly musts: readonly RequiredFigure[];
}

export async function run({ args }: BenchRequest): Promise<ServerResult> {
  const names = namesOf(args);
  const hasPeers = !args.includes("--no-peers") && names.some((name) => name === "sqlite" || name === "postgres");
  if (hasPeers) installPeers(say);
  const folder = makeFolder(args);
  const started = names.includes("postgres") ? await startPostgres({ isDurable: true }) : undefined;
  const postgres = started === undefined || "reason" in started ? undefined : started;
  const request: ServerRequest = { folder, size: sizeOf(args), hasPeers, turns: turnsOf(args), postgres, say };
  const loads = [loadText()];
  try {
    const measured: StorePart[] = [];
    for (const name of names) {
      say(`${name}, load average ${loadText()}`);
      measured.push((await PARTS[name]?.(request)) ?? { rows: [], musts: [], notes: [] });
    }
    loads.push(loadText());
    return judge(measured, `load average at the start ${loads[0]}, at the end ${loads[1]}`);
  } finally {
    await postgres?.close();
  }
}

function judge(parts: readonly StorePart[], load: string): ServerResult {
  const musts = parts.flatMap((part) => part.musts);
  return {
    name: "server",
    title: "The server under load from outside: requests a second, milliseconds, megabytes of memory",
    rows: parts.flatMap((part) => part.rows),
    notes: [
      ...musts.map(
        ({ text, target, measured, holds }) => `must: ${text} ${target}: ${measured}, ${holds ? "holds" : "MISSES"}`,
      ),
      ...parts.flatMap((part) => part.notes),
      load,
      `Node ${process.version}, ${machineText()}`,
    ],
    musts,
  };
}

function namesOf(args: readonly string[]): readonly string[] {
  const only = findValue(args, "--only")?.split(",") ?? Object.keys(PARTS);
  const unknown = only.find((name) => !Object.hasOwn(PARTS, name));
  if (unknown !== undefined) throw new Error(`--only: there is no part ${unknown}`);
  return Object.keys(PARTS).filter((name) => only.includes(name));
}

function turnsOf(args: readonly string[]): readonly number[] {
  return (findValue(args, "--turns") ?? "0").split(",").map((text) => {
    if (!/^\d{1,5}$/.test(text)) throw new Error(`--turns: expected numbers such as 0,500,2000, found ${text}`);
    return Number(text);
  });
}

function sizeOf(args: readonly string[]): ServerRequest["size"] {
  if (args.includes("--quick")) return "quick";
  return args.includes("--long") ? "long" : "usual";
}
