import { setTimeout } from "node:timers/promises";
import { describe, expect, test } from "vitest";
import type { Job } from "../ports/jobs.ts";
import { createInProcessJobs } from "./in-process-jobs.ts";

const job = (sessionId: string, tenantId = "local"): Job => ({ tenantId, sessionId, kind: "compact" });

/** Creates a `run` whose jobs end only when `end` is called. */
function heldRuns() {
  const started: string[] = [];
  const held = new Map<string, () => void>();
  const run = ({ sessionId }: Job) => {
    started.push(sessionId);
    return new Promise<void>((resolve) => held.set(sessionId, resolve));
  };
  return { started, run, end: (sessionId: string) => held.get(sessionId)?.() };
}

describe("createInProcessJobs", () => {
  test("a job for a session that has a waiting job is combined with it", async () => {
    const jobs = createInProcessJobs();
    const { started, run, end } = heldRuns();
    for (let count = 0; count < 5; count += 1) await jobs.submit(job("s"));
    const working = jobs.work(run);
    await jobs.submit(job("s"));
    await jobs.submit(job("s"));
    expect(started).toEqual(["s"]);
    end("s");
    await setTimeout(5);
    expect(started).toEqual(["s", "s"]);
    end("s");
    await jobs.settle(job("s"));
    expect(started).toEqual(["s", "s"]);
    await jobs.close();
    await working;
  });

  test("jobs of different sessions run concurrently up to the limit, and tenants are kept apart", async () => {
    const jobs = createInProcessJobs({ concurrency: 2 });
    const { started, run, end } = heldRuns();
    void jobs.work(run);
    for (const each of [job("a"), job("b"), job("c"), job("b", "other")]) await jobs.submit(each);
    expect(started).toEqual(["a", "b"]);
    end("a");
    await jobs.settle(job("a"));
    expect(started).toEqual(["a", "b", "c"]);
    end("b");
    end("c");
    await jobs.settle(job("c"));
    expect(started).toEqual(["a", "b", "c", "b"]);
    end("b");
    await jobs.close();
  });

  test("settle ignores another tenant's session with the same id", async () => {
    const jobs = createInProcessJobs();
    const held = Promise.withResolvers<void>();
    void jobs.work(({ tenantId }) => (tenantId === "slow" ? held.promise : Promise.resolve()));
    await jobs.submit(job("s", "slow"));
    await jobs.submit(job("s"));
    await jobs.settle(job("s"));
    const settled = jobs.settle(job("s", "slow")).then(() => "settled");
    expect(await Promise.race([settled, setTimeout(20, "running")])).toBe("running");
    held.resolve();
    expect(await settled).toBe("settled");
    await jobs.close();
  });

  test("a failed job is retried with growing pauses and becomes a dead letter", async () => {
    const jobs = createInProcessJobs({ attempts: 4, firstPauseMs: 8 });
    const times: number[] = [];
    void jobs.work(async () => {
      times.push(performance.now());
      throw new Error("Not today.");
    });
    await jobs.submit(job("s"));
    await jobs.settle(job("s"));
    const failed = { job: job("s"), failedAt: expect.any(Number), reason: "Not today." };
    expect(await jobs.readDeadLetters()).toEqual([failed]);
    const pauses = times.slice(1).map((time, index) => time - (times[index] ?? 0));
    expect(pauses.length).toBe(3);
    for (const [index, atLeast] of [4, 8, 16].entries()) expect(pauses[index]).toBeGreaterThan(atLeast - 2);
    await jobs.close();
  });

  test("jobs continue to run after one has failed", async () => {
    const jobs = createInProcessJobs({ attempts: 1, concurrency: 1 });
    const done: string[] = [];
    void jobs.work(async ({ sessionId }) => {
      if (sessionId === "bad") throw new Error("Not today.");
      done.push(sessionId);
    });
    await jobs.submit(job("bad"));
    await jobs.submit(job("good"));
    await jobs.settle(job("good"));
    expect(done).toEqual(["good"]);
  });

  test("close cancels running jobs, waits for them and accepts no more", async () => {
    const jobs = createInProcessJobs();
    const ended: string[] = [];
    const working = jobs.work(async ({ sessionId }, signal) => {
      await new Promise<void>((resolve) => signal.addEventListener("abort", () => resolve()));
      await setTimeout(5);
      ended.push(sessionId);
    });
    await jobs.submit(job("s"));
    await jobs.close();
    expect(ended).toEqual(["s"]);
    await working;
    await expect(jobs.submit(job("t"))).rejects.toMatchObject({ code: "closed" });
    await jobs.settle(job("t"));
  });

  test("close does not wait for a retry", async () => {
    const jobs = createInProcessJobs({ firstPauseMs: 60_000 });
    void jobs.work(async () => {
      throw new Error("Not today.");
    });
    await jobs.submit(job("s"));
    await setTimeout(5);
    await jobs.close();
    expect(await jobs.readDeadLetters()).toEqual([]);
  });

  test("drain finishes running jobs without canceling them", async () => {
    const jobs = createInProcessJobs({ concurrency: 1 });
    const ended: string[] = [];
    const working = jobs.work(async ({ sessionId }, signal) => {
      await setTimeout(10);
      ended.push(`${sessionId} ${signal.aborted}`);
    });
    await jobs.submit(job("s"));
    await jobs.submit(job("waits"));
    await jobs.drain();
    await working;
    expect(ended).toEqual(["s false"]);
    await expect(jobs.submit(job("t"))).rejects.toMatchObject({ code: "closed" });
  });
});
