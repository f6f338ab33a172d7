/**
 * kill -9 at any instant, of a client that writes and of the server: what was acknowledged is there, in its place, once;
 * what was under way is whole or absent.
 */
import { setTimeout } from "node:timers/promises";
import { afterAll, expect, test } from "vitest";
import { openPostgresStore } from "../../src/stores/postgres/open-postgres-store.ts";
import { seededRandom } from "../../src/testing/seeded-random.ts";
import { describePostgres, requireOwn } from "../support/describe-postgres.ts";
import { checkWritten } from "./check-written.ts";
import { type RunningWriter, startWriter } from "./start-writer.ts";
import type { WriterLine } from "./store-writer.ts";

/** Kills; fewer where the machine is too busy for them. */
const ROUNDS = Number(process.env.PALIMPSEST_CRASH_ROUNDS ?? 40);
const LONGEST_MS = 30_000 * Math.max(1, ROUNDS / 40);
const SERVER_ROUNDS = Math.ceil(ROUNDS / 10);

await describePostgres(
  "a database",
  (server) => {
    afterAll(() => server.close());
    const random = seededRandom(Date.now() % 1_000_000);

    async function check(path: string, said: readonly WriterLine[]): Promise<number> {
      const store = await openPostgresStore(path, { patienceMs: 30_000 });
      const found = await checkWritten(store.tenant("local"), said);
      await store.close();
      return found;
    }

    async function kill(writer: RunningWriter): Promise<readonly WriterLine[]> {
      writer.process.kill("SIGKILL");
      expect((await writer.ended).complaint).toBe("");
      return writer.lines;
    }

    test(`loses nothing of what it acknowledged to clients that are killed, in ${ROUNDS} rounds`, async () => {
      const path = await server.newDatabase();
      const said: WriterLine[] = [];
      const until = performance.now() + LONGEST_MS;
      let rounds = 0;
      for (; rounds < ROUNDS && performance.now() < until; rounds += 2) {
        // Two at once; most while they write, some while they make or open the schema.
        const kills = [0, 1].map(async (at) => {
          const writer = startWriter({ type: "endless", path, name: `r${rounds + at}` });
          if (rounds % 8 !== 0) await writer.first("appended");
          await setTimeout(random.integer(rounds % 8 === 0 ? 600 : 120));
          return kill(writer);
        });
        said.push(...(await Promise.all(kills)).flat());
        if (rounds % 8 === 0) await check(path, said);
      }
      const found = await check(path, said);
      expect(found).toBeGreaterThan(0);
      process.stdout.write(`killed ${rounds} clients; ${said.length} acknowledgements, ${found} entries\n`);
    });

    test(`loses nothing when the server is killed, in ${SERVER_ROUNDS} rounds`, async (context) => {
      const own = requireOwn(server, context);
      const path = await server.newDatabase();
      const said: WriterLine[] = [];
      const writer = startWriter({ type: "endless", path, name: "patient" });
      await writer.first("appended");
      for (let round = 0; round < SERVER_ROUNDS; round += 1) {
        await setTimeout(random.integer(300));
        await own.stop("kill");
        const before = writer.lines.length;
        await own.start();
        // The same process goes on by itself.
        await expect.poll(() => writer.lines.length, { timeout: 20_000 }).toBeGreaterThan(before);
      }
      said.push(...(await kill(writer)));
      expect(await check(path, said)).toBeGreaterThan(0);
    });
  },
  { isDurable: true },
);
