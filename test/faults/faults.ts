/** All faults by name, each with the behavior that it tests and the number of rounds of a full run. */
import { type TemporaryFolder, temporaryFolder } from "../stores/temporary-folder.ts";
import { type PostgresServer, startPostgres } from "../support/start-postgres.ts";
import { jumpClock } from "./clock-jumps.ts";
import { type CrashSite, crash, killMigrations } from "./crash.ts";
import { jsonlSite, postgresSite, sqliteSite } from "./crash-sites.ts";
import { DAMAGE_SITES, damage } from "./damage.ts";
import { deleteWhenFull } from "./delete-when-full.ts";
import { fillDisk } from "./disk-full.ts";
import { type Fault, type FaultOptions, notShown, type Tally } from "./fault.ts";
import { flipValues, jsonlFlips, postgresFlips, sqliteFlips } from "./flipped-values.ts";
import { importTooMuch } from "./huge-import.ts";
import { failCalls, killAtCalls } from "./inject-calls.ts";
import { killDeletions } from "./kill-deletions.ts";
import { killServer } from "./kill-server.ts";
import { killServerOverHttp } from "./kill-server-over-http.ts";
import { killWorkers } from "./kill-workers.ts";
import { playLongTexts } from "./long-texts.ts";
import { once, restartedOnce } from "./once.ts";
import { openStores } from "./open-stores.ts";
import { FULL_PARTS, fillPostgres } from "./postgres-disk-full.ts";
import { CHAOS_SHARES, provokeChaos } from "./provider-chaos.ts";
import { stopServer } from "./stop-server.ts";
import { stormOnDisk, stormOnPostgres } from "./storm.ts";
import { wakeZombies } from "./zombies.ts";

export const FAULTS: Readonly<Record<string, Fault>> = {
  F1: {
    title: "kill -9 while appending, compacting, forking, erasing, migrating and opening: jsonl, sqlite, postgres",
    rounds: 300,
    run: (options) => onEverySite(options, crash),
  },
  F2: {
    title: "kill -9 at the n-th write or sync of the disk, by strace: jsonl, sqlite",
    rounds: 150,
    run: (options) => withFolder((folder) => onEach(FILES, (kind) => killAtCalls(kind, folder, options))),
  },
  F3: {
    title: "a sync that fails and a disk that is full at the n-th call, once or for good, by strace: jsonl, sqlite",
    rounds: 60,
    run: (options) => withFolder((folder) => onEach(FILES, (kind) => failCalls(kind, folder, options))),
  },
  F4: {
    title: "a disk that is full, and then is not; deletions over HTTP while it is full: jsonl, sqlite, postgres",
    rounds: 5,
    run: (options) =>
      withFolder(async (folder) => [
        ...(await onEach(FILES, (kind) => fillDisk(kind, folder, options))),
        ...(await onEach(FILES, (kind) => deleteWhenFull(kind, folder, options))),
        ...(await onEach(FULL_PARTS, (part) => fillPostgres(part, folder, options))),
      ]),
  },
  F5: {
    title: "kill -9 of PostgreSQL, and every second time of a client: back within five seconds",
    rounds: 50,
    run: (options) =>
      withPostgres(options, async (server) => [
        await killServer(server, options),
        await killServerOverHttp(server, options),
      ]),
  },
  F6: {
    title: "workers killed at six points of a compaction: exactly one record, every job done",
    rounds: 50,
    run: (options) => withPostgres(options, async (server) => [await killWorkers(server, options)]),
  },
  F7: {
    title: "processes stopped past their lease in the middle of a compaction: refused when they wake up",
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
    title: "a provider that fails in every way, a tenth of the time, half of it and always: chats answer or say why",
    rounds: 20,
    run: (options) => onEach(CHAOS_SHARES, (share) => provokeChaos(share, options)),
  },
  F10: {
    title: "migrations killed half-way: gone on with, nothing lost, and an older version refused",
    rounds: 40,
    run: (options) => onEverySite(options, killMigrations),
  },
  F11: {
    title: "a clock that leaps a day ahead and back: the same order, the same prompts, the same leases",
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
    title: "100 random bytes changed, a log of changes cut off or missing: noticed or harmless, never a crash",
    rounds: 50,
    run: (options) => withFolder((folder) => onEach(DAMAGE_SITES, (site) => damage(site, folder, options))),
  },
  F13: {
    title: "SIGTERM under load: ends by itself within ten seconds, nothing that was accepted fails, nothing is lost",
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
    title: "an import of three million messages into a server: every surface answers, the process stays small",
    rounds: 3_000,
    run: (options) => withFolder(async (folder) => [await importTooMuch(folder, options)]),
  },
  F15: {
    title: "one bit of a stored message, summary, head or count changed: noticed or harmless, never served in silence",
    rounds: 200,
    run: (options) =>
      withFolder(async (folder) => [
        await flipValues(await sqliteFlips(folder), options),
        await flipValues(await jsonlFlips(folder), options),
        ...(await withPostgres(options, async (server) => [await flipValues(await postgresFlips(server), options)])),
      ]),
  },
  F16: {
    title: "kill -9 in the middle of the deletion of a long session: it stays deleted, and the next process finishes",
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
    title: "everything at once for ten minutes a store, the server killed or shut down every half minute",
    rounds: 20,
    run: (options) =>
      withFolder(async (folder) => [
        ...(await onEach(FILES, (kind) => stormOnDisk(kind, folder, options))),
        ...(await withPostgres(options, async (server) => [await stormOnPostgres(server, folder, options)])),
      ]),
  },
  F18: {
    title:
      "a megabyte of text of every kind, through every call: no step over 50 ms, no call over 2 s: all but postgres",
    rounds: 1,
    run: (options) => withFolder((folder) => onEach(TEXT_STORES, (store) => playLongTexts(store, folder, options))),
  },
  once: {
    title: "8 processes see the same triggers on shared sessions, PostgreSQL restarted in the middle: one record each",
    rounds: 200,
    run: ({ rounds: triggers, ...options }) =>
      withFolder(async (folder) => {
        const size = { ...options, processes: PROCESSES, triggers };
        return [
          await once({ ...size, name: "sqlite", place: { kind: "sqlite", path: folder.newPath() } }),
          ...(await withPostgres(options, async (server) => [
            await once({ ...size, ...(await restartedOnce(server)), name: "postgres" }),
          ])),
        ];
      }),
  },
};

const PROCESSES = 8;
const DOOMED_MESSAGES = 20_000;
const FILES = ["jsonl", "sqlite"] as const;
const TEXT_STORES = ["memory", ...FILES] as const;

async function onEach<Item>(items: readonly Item[], run: (item: Item) => Promise<Tally>): Promise<readonly Tally[]> {
  const tallies: Tally[] = [];
  for (const item of items) tallies.push(await run(item));
  return tallies;
}

/** Runs a test on files with and without syncing, and on a PostgreSQL server. */
function onEverySite(
  options: FaultOptions,
  run: (site: CrashSite, options: FaultOptions) => Promise<Tally>,
): Promise<readonly Tally[]> {
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
  work: (server: PostgresServer) => Promise<readonly Tally[]>,
): Promise<readonly Tally[]> {
  onProgress("starting PostgreSQL");
  const server = await startPostgres({ isDurable: true });
  if ("reason" in server) return [notShown("postgres", `PostgreSQL cannot be started here: ${server.reason}`)];
  try {
    return await work(server);
  } finally {
    await server.close();
  }
}
