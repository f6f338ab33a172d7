/** Jobs in a database: once for each session, retried after a failure or a dead worker, and never lost. */
import { setTimeout } from "node:timers/promises";
import { afterAll, expect, test } from "vitest";
import { EMPTY_HEAD } from "../../src/core/log/head.ts";
import { openPgBossJobs, type PgBossJobsOptions } from "../../src/jobs/pg-boss-jobs.ts";
import type { Job, Jobs } from "../../src/ports/jobs.ts";
import { openPostgresStore } from "../../src/stores/postgres/open-postgres-store.ts";
import { batchOf, headOf, pinNote, SESSION } from "../../src/testing/store-contract/contract-log.ts";
import { describePostgres } from "../support/describe-postgres.ts";

const job = (sessionId: string, tenantId = "local"): Job => ({ tenantId, sessionId, kind: "compact" });
const opened: Jobs[] = [];

async function open(url: string, options: Partial<PgBossJobsOptions> = {}): Promise<Jobs> {
  const jobs = await openPgBossJobs(url, {
    onError: () => undefined,
    firstPauseSeconds: 1,
    heartbeatSeconds: 10,
    superviseSeconds: 1,
    ...options,
  });
  opened.push(jobs);
  return jobs;
}

await describePostgres("jobs by pg-boss", (server) => {
  afterAll(async () => {
    for (const jobs of opened) await jobs.close();
    await server.close();
  });

  test("pg-boss jobs run once for each session, from any submitting process, with all characters of their ids", async () => {
    const url = await server.newDatabase();
    const [first, second] = [await open(url), await open(url)];
    const names = ["s", "t", "\u0000\ud83d 文件"];
    for (const jobs of [first, second, first]) for (const name of names) await jobs.submit(job(name));
    const ran: Job[] = [];
    const run = async (each: Job) => void ran.push(each);
    void first.work(run);
    void second.work(run);
    for (const name of names) await second.settle(job(name));
    expect(ran.toSorted((left, right) => (left.sessionId < right.sessionId ? -1 : 1))).toEqual(
      names.toSorted().map((name) => job(name)),
    );
  });

  test("jobs of one session do not run concurrently, and at most one of them waits", async () => {
    const url = await server.newDatabase();
    const workers = [await open(url), await open(url)];
    let running = 0;
    let most = 0;
    let ran = 0;
    const submitted = Promise.withResolvers<void>();
    for (const jobs of workers) {
      void jobs.work(async () => {
        running += 1;
        most = Math.max(most, running);
        await submitted.promise;
        await setTimeout(300);
        running -= 1;
        ran += 1;
      });
    }
    await workers[0]?.submit(job("s"));
    await expect.poll(() => running).toBe(1);
    for (let count = 0; count < 4; count += 1) await workers[count % 2]?.submit(job("s"));
    submitted.resolve();
    await workers[0]?.settle(job("s"));
    expect([most, ran]).toEqual([1, 2]);
  });

  test("settle ignores another tenant's session with the same id, and close cancels all jobs", async () => {
    const jobs = await open(await server.newDatabase());
    const aborted = Promise.withResolvers<string>();
    let began = 0;
    void jobs.work(async ({ tenantId }, signal) => {
      began += 1;
      if (tenantId !== "slow") return;
      signal.addEventListener("abort", () => aborted.resolve("told"));
      await aborted.promise;
    });
    await jobs.submit({ ...job("s"), tenantId: "slow" });
    await jobs.submit(job("s"));
    await expect.poll(() => began).toBe(2);
    await jobs.settle(job("s"));
    expect(await Promise.race([aborted.promise, setTimeout(50, "running")])).toBe("running");
    await jobs.close();
    expect(await aborted.promise).toBe("told");
  });

  test("failing pg-boss jobs are retried and become dead letters", async () => {
    const url = await server.newDatabase();
    const jobs = await open(url, { attempts: 2 });
    let tries = 0;
    void jobs.work(async () => {
      tries += 1;
      throw new Error("Not today.");
    });
    await jobs.submit(job("s"));
    await jobs.settle(job("s"));
    expect(tries).toBe(2);
    expect((await jobs.readDeadLetters()).map((letter) => letter.job)).toEqual([job("s")]);
  });

  test("jobs of a dead worker go to another one, and late writes of the dead one are refused", async () => {
    const url = await server.newDatabase();
    const store = await openPostgresStore(url);
    const tenant = store.tenant("local");
    await tenant.createSession({ id: SESSION, createdAt: 0 }, EMPTY_HEAD);
    const zombie = await open(url, { attempts: 3, concurrency: 1 });
    const outcomes: string[] = [];
    const compact = async (beforeWriting: () => Promise<unknown>) => {
      const lease = await tenant.lease(SESSION, 200);
      const batch = batchOf(await headOf(tenant), pinNote, `by-${lease?.fence}`);
      await beforeWriting();
      const outcome = await tenant.append(SESSION, { ...batch, expect: { epoch: 0, fence: lease?.fence } });
      outcomes.push(outcome.type);
    };
    const [leased, woken] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    void zombie.work(() =>
      compact(() => {
        leased.resolve();
        return woken.promise;
      }),
    );
    await zombie.submit(job(SESSION));
    await leased.promise;
    await setTimeout(300);
    // Simulates a worker that has sent no heartbeat for a minute.
    const age = () =>
      server.run(
        "UPDATE palimpsest_jobs.job SET heartbeat_on = now() - interval '1 minute' WHERE state = 'active'",
        url,
      );
    const other = await open(url, { attempts: 3 });
    void other.work(() => compact(async () => undefined));
    await expect
      .poll(async () => (outcomes.length === 0 ? await age() : []) && outcomes, { timeout: 180_000, interval: 500 })
      .toEqual(["appended"]);
    woken.resolve();
    await expect.poll(() => outcomes).toEqual(["appended", "stale"]);
    expect((await tenant.readEntries(SESSION, {})).length).toBe(1);
    await store.close();
  });
});
