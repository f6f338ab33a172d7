/** All faults by name, each with the behavior that it tests and the number of rounds of a full run. */
import { type TemporaryFolder, temporaryFolder } from "../stores/temporary-folder.ts";
import { startD1 } from "../support/start-d1.ts";
import { type PostgresServer, startPostgres } from "../support/start-postgres.ts";
import { jumpClock } from "./clock-jumps.ts";
import { type CrashSite, crashProcesses, killMigrations } from "./crash.ts";
import { jsonlSite, postgresSite, sqliteSite } from "./crash-sites.ts";
import { DAMAGE_SITES, damageFiles } from "./damage.ts";
import { deleteWhenFull } from "./delete-when-full.ts";
import { fillDisk } from "./disk-full.ts";
import { type Fault, type FaultOptions, type FaultResult, untestedResult } from "./fault.ts";
import { d1Flips, jsonlFlips, postgresFlips, sqliteFlips } from "./flip-sites.ts";
import { flipValues } from "./flipped-values.ts";
import { playEqualBeginnings, playStrictSessions } from "./gateway-clients.ts";
import { importHugeSession, importLongMessages, readSessionsAtOnce } from "./huge-import.ts";
import { failCalls, killAtCalls } from "./inject-calls.ts";
import { killDeletions } from "./kill-deletions.ts";
import { killServer } from "./kill-server.ts";
import { killServerOverHttp } from "./kill-server-over-http.ts";
import { killWorkers } from "./kill-workers.ts";
import { playLongTexts } from "./long-texts.ts";
import { createRestartingPlace, runOnce } from "./once.ts";
import { openStores } from "./open-stores.ts";
import { FULL_PARTS, fillPostgres } from "./postgres-disk-full.ts";
import { CHAOS_SHARES, failProvider } from "./provider-chaos.ts";
import { stopServer } from "./stop-server.ts";
import { stormOnDisk, stormOnPostgres } from "./storm.ts";
import { wakeZombies } from "./zombies.ts";

export const FAULTS: Readonly<Record<string, Fault>> = {
  F1: {
    title: "kill -9 while appending, compacting, forking, erasing, migrating and opening: jsonl, sqlite, postgres",
    rounds: 300,
    run: (options) => onEverySite(options, crashProcesses),
  },
  F2: {
    title: "kill -9 at the n-th write or sync, injected by strace: jsonl, sqlite",
    rounds: 150,
    run: (options) => withFolder((folder) => onEach(FILES, (kind) => killAtCalls(kind, folder, options))),
  },
  F3: {
    title: "a failing sync or a full disk at the n-th call, once or from then on, injected by strace: jsonl, sqlite",
    rounds: 60,
    run: (options) => withFolder((folder) => onEach(FILES, (kind) => failCalls(kind, folder, options))),
  },
  F4: {
    title: "a disk that fills up and gets space again, with deletions over HTTP while full: jsonl, sqlite, postgres",
    rounds: 5,
    run: (options) =>
      withFolder(async (folder) => [
        ...(await onEach(FILES, (kind) => fillDisk(kind, folder, options))),
        ...(await onEach(FILES, (kind) => deleteWhenFull(kind, folder, options))),
        ...(await onEach(FULL_PARTS, (part) => fillPostgres(part, folder, options))),
      ]),
  },
  F5: {
    title: "kill -9 of PostgreSQL, and every second time also of a client: writes continue within five seconds",
    rounds: 50,
    run: (options) =>
      withPostgres(options, async (server) => [
        await killServer(server, options),
        await killServerOverHttp(server, options),
      ]),
  },
  F6: {
    title: "workers killed at six points of a compaction: every job is done, with exactly one record for each session",
    rounds: 50,
    run: (options) => withPostgres(options, async (server) => [await killWorkers(server, options)]),
  },
  F7: {
    title: "processes suspended in the middle of a compaction until their lease expires: their late writes are refused",
    rounds: 8,
    run: (options) =>
      withFolder(async (folder) => [
        await wakeZombies("sqlite", { kind: "sqlite", path: folder.newPath() }, options),
        ...(await withPostgres(options, async (server) => [
          await wakeZombies("postgres", { kind: "postgres", path: await server.newDatabase() }, options),
        ])),
      ]),
  },
  F8: {
    title: "a provider that fails in every way, for 10 %, 50 % or 100 % of calls: each chat gets an answer or a reason",
    rounds: 20,
    run: (options) => onEach(CHAOS_SHARES, (share) => failProvider(share, options)),
  },
  F10: {
    title: "migrations killed half-way: they continue, nothing is lost, and an older version is refused",
    rounds: 40,
    run: (options) => onEverySite(options, killMigrations),
  },
  F11: {
    title: "a clock that jumps a day ahead and back: order, prompts and leases stay the same",
    rounds: 20,
    run: (options) =>
      withPostgres(options, async (server) => {
        const { stores, close } = await openStores(server);
        const tallies = await onEach(stores, ({ kind, store }) => jumpClock(kind, store, options));
        await close();
        return tallies;
      }),
  },
  F12: {
    title: "100 random bytes changed, or a write-ahead log cut off or missing: detected or harmless, never a crash",
    rounds: 50,
    run: (options) => withFolder((folder) => onEach(DAMAGE_SITES, (site) => damageFiles(site, folder, options))),
  },
  F13: {
    title: "SIGTERM under load: the server exits within ten seconds, accepted requests succeed, nothing is lost",
    rounds: 50,
    run: (options) =>
      withFolder(async (folder) => [
        await stopServer("sqlite", { kind: "sqlite", path: folder.newPath() }, options),
        ...(await withPostgres(options, async (server) => [
          await stopServer("postgres", { kind: "postgres", path: await server.newDatabase() }, options),
        ])),
      ]),
  },
  F14: {
    title:
      "imports of three million short and 300,000 long messages, and six long sessions read at once: every route answers, memory and steps stay bounded",
    rounds: 3_000,
    run: (options) =>
      withFolder(async (folder) => [
        await importHugeSession(folder, options),
        await importLongMessages(folder, options),
        await readSessionsAtOnce(folder, options),
      ]),
  },
  F15: {
    title:
      "one bit of a stored message, summary, recall, head, count or session changed: detected or harmless, never shown unnoticed",
    rounds: 200,
    run: (options) =>
      withFolder(async (folder) => [
        await flipValues(await sqliteFlips(folder), options),
        await flipValues(await jsonlFlips(folder), options),
        ...(await withPostgres(options, async (server) => [await flipValues(await postgresFlips(server), options)])),
        await flipD1(options),
      ]),
  },
  F16: {
    title: "kill -9 while a long session is deleted: it stays deleted, and the next process removes the rest",
    rounds: 20,
    run: (options) =>
      withFolder(async (folder) => {
        const size = { ...options, messages: DOOMED_MESSAGES };
        return [
          ...(await onEach(FILES, (kind) => killDeletions({ kind, path: folder.newPath() }, size))),
          ...(await withPostgres(options, async (server) => [
            await killDeletions({ kind: "postgres", path: await server.newDatabase() }, size),
          ])),
        ];
      }),
  },
  F17: {
    title: "clients of every kind for ten minutes a store, while storage fails and the server is killed or shut down",
    rounds: 20,
    run: (options) =>
      withFolder(async (folder) => [
        ...(await onEach(FILES, (kind) => stormOnDisk(kind, folder, options))),
        ...(await withPostgres(options, async (server) => [await stormOnPostgres(server, folder, options)])),
      ]),
  },
  F18: {
    title: "a megabyte of text of every kind, through every call: no step over 50 ms, no call over 2 s (not postgres)",
    rounds: 1,
    run: (options) => withFolder((folder) => onEach(TEXT_STORES, (store) => playLongTexts(store, folder, options))),
  },
  F20: {
    title: "generated clients of the gateway that change, repeat and edit their lists, against a strict upstream",
    rounds: 1_000,
    run: (options) => withFolder(async (folder) => [await playStrictSessions(folder, options)]),
  },
  F21: {
    title: "overlapping conversations with equal beginnings at the gateway, by pairs: no text of another one",
    rounds: 10_000,
    run: (options) => withFolder(async (folder) => [await playEqualBeginnings(folder, options)]),
  },
  once: {
    title:
      "8 processes with the same triggers on shared sessions, PostgreSQL restarted half-way: one record per trigger",
    rounds: 200,
    run: ({ rounds: triggers, ...options }) =>
      withFolder(async (folder) => {
        const size = { ...options, processes: PROCESSES, triggers };
        return [
          await runOnce({ ...size, name: "sqlite", place: { kind: "sqlite", path: folder.newPath() } }),
          ...(await withPostgres(options, async (server) => [
            await runOnce({ ...size, ...(await createRestartingPlace(server)), name: "postgres" }),
          ])),
        ];
      }),
  },
};

async function flipD1(options: FaultOptions): Promise<FaultResult> {
  const server = await startD1(1);
  try {
    return await flipValues(await d1Flips(server), options);
  } finally {
    await server.close();
  }
}

const PROCESSES = 8;
const DOOMED_MESSAGES = 20_000;
const FILES = ["jsonl", "sqlite"] as const;
const TEXT_STORES = ["memory", ...FILES] as const;

async function onEach<Item>(
  items: readonly Item[],
  run: (item: Item) => Promise<FaultResult>,
): Promise<readonly FaultResult[]> {
  const tallies: FaultResult[] = [];
  for (const item of items) tallies.push(await run(item));
  return tallies;
}

/** Runs a test on files with and without syncing, and on a PostgreSQL server. */
function onEverySite(
  options: FaultOptions,
  run: (site: CrashSite, options: FaultOptions) => Promise<FaultResult>,
): Promise<readonly FaultResult[]> {
  return withFolder(async (folder) => [
    ...(await onEach([jsonlSite(folder), sqliteSite(folder, "full"), sqliteSite(folder, "normal")], (site) =>
      run(site, options),
    )),
    ...(await withPostgres(options, async (server) => [await run(postgresSite(server), options)])),
  ]);
}

async function withFolder<Result>(work: (folder: TemporaryFolder) => Promise<Result>): Promise<Result> {
  const folder = temporaryFolder();
  try {
    return await work(folder);
  } finally {
    folder.remove();
  }
}

/** Without a server, the result has the reason and counts as a violation, because nothing was tested. */
async function withPostgres(
  { onProgress }: Pick<FaultOptions, "onProgress">,
  work: (server: PostgresServer) => Promise<readonly FaultResult[]>,
): Promise<readonly FaultResult[]> {
  onProgress("starting PostgreSQL");
  const server = await startPostgres({ isDurable: true });
  if ("reason" in server) return [untestedResult("postgres", `PostgreSQL cannot be started here: ${server.reason}`)];
  try {
    return await work(server);
  } finally {
    await server.close();
  }
}
