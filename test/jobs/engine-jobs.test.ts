/** Background work of sessions: run by jobs, found again after a restart, and reported to other processes. */
import { setTimeout } from "node:timers/promises";
import { describe, expect, test } from "vitest";
import { type OpenOptions, openPalimpsest } from "../../src/compose.ts";
import { PalimpsestError } from "../../src/core/errors.ts";
import { MAX_WAIT_MS } from "../../src/engine/background/background.ts";
import type { EngineEvents } from "../../src/engine/context/events.ts";
import { createInProcessJobs } from "../../src/jobs/in-process-jobs.ts";
import type { Job, Jobs } from "../../src/ports/jobs.ts";
import type { AppendBatch, Store, TenantStore } from "../../src/ports/store.ts";
import { createMemoryStore } from "../../src/stores/memory/memory-store.ts";
import { createLocalNotifications } from "../../src/stores/shared/local-channels.ts";
import { patientSummarizer } from "../support/patient-summarizer.ts";

/** Sentences that all differ, because a summary that repeats itself is rejected. */
const tellOf = (name: string) =>
  Array.from(
    { length: 6 },
    (_, part) => `the quick fox ${name} jumps over lazy dog ${part} of yard ${name}${part} `,
  ).join("");
const exchanges = (count: number) =>
  Array.from({ length: count }, (_, index) => [
    { role: "user", content: `Question ${index}: ${tellOf(`q${index}`)}` },
    { role: "assistant", content: `Answer ${index}: ${tellOf(`a${index}`)}` },
  ]).flat();

/** Compacts after a reply, above ten rounds. */
const AFTER_REPLY = { policy: "rolling-chat", windowTokens: 100_000, counter: "estimate" } as const;
/** Compacts before requests, when that pays off. */
const BEFORE_REQUEST = { budgetTokens: 6_000, counter: "estimate" } as const;

const open = (options: OpenOptions) => openPalimpsest({ counter: "estimate", ...options });

/** Jobs that are submitted and never run, because there is no worker. */
function idleJobs(): Jobs & { readonly submitted: Job[] } {
  const submitted: Job[] = [];
  return {
    submitted,
    submit: async (job) => void submitted.push(job),
    work: () => new Promise(() => undefined),
    settle: async () => undefined,
    readDeadLetters: async () => [],
    drain: async () => undefined,
    close: async () => undefined,
  };
}

/** Jobs as seen by a server while another process runs them. */
function submitOnly(jobs: Jobs): Jobs {
  return { ...idleJobs(), submit: (job) => jobs.submit(job) };
}

async function summariesOf(store: Store, id = "s") {
  return store.tenant("local").readEntries(id, { types: ["summary"] });
}

describe("a server that only submits jobs", () => {
  test("leaves the compaction after a reply to a worker, and does not wait for it", async () => {
    const store = createMemoryStore();
    const jobs = idleJobs();
    const server = await open({ store, jobs, ...AFTER_REPLY });
    const session = await server.session("s");
    await session.append(exchanges(12));
    await session.settle();
    expect(jobs.submitted).toEqual([{ tenantId: "local", sessionId: "s", kind: "compact" }]);
    expect(await summariesOf(store)).toEqual([]);
    const worker = await open({ store, ...AFTER_REPLY });
    await worker.work({ once: true });
    expect(await summariesOf(store)).toHaveLength(1);
    const { messages } = await session.prompt({ next: { role: "user", content: "Go on." } });
    expect(messages.length).toBeLessThan(24);
  });

  test("leaves preparations to a worker", async () => {
    const jobs = idleJobs();
    const summarizer = patientSummarizer();
    const server = await open({ jobs, summarizer, clock: { now: () => 1_000 }, ...BEFORE_REQUEST });
    const session = await server.session("s");
    for (const message of exchanges(40)) {
      await session.append(message);
      if (message.role === "assistant") continue;
      await session.prompt();
      if (jobs.submitted.length > 0) break;
    }
    await session.settle();
    expect(jobs.submitted).toEqual([{ tenantId: "local", sessionId: "s", kind: "compact" }]);
    expect(summarizer.asked).toEqual([]);
  });

  test("a worker runs the jobs of every tenant", async () => {
    const store = createMemoryStore();
    const jobs = createInProcessJobs();
    for (const tenant of ["one", "two"]) {
      const server = await open({ store, jobs: submitOnly(jobs), tenant, ...AFTER_REPLY });
      const session = await server.session("s");
      await session.append(exchanges(12));
      await session.settle();
    }
    const worker = await open({ store, jobs, tenant: "nobody", ...AFTER_REPLY, policy: { ...WITHOUT_PAUSE } });
    const ended: EngineEvents["job-end"][] = [];
    worker.on("job-end", (event) => ended.push(event));
    await worker.work({ once: true });
    for (const tenantId of ["one", "two"]) await jobs.settle({ tenantId, sessionId: "s" });
    expect(ended.map(({ tenantId, outcome }) => [tenantId, outcome]).sort()).toEqual([
      ["one", "done"],
      ["two", "done"],
    ]);
    for (const tenant of ["one", "two"]) {
      expect(await store.tenant(tenant).readEntries("s", { types: ["summary"] })).toHaveLength(1);
    }
  });
});

const WITHOUT_PAUSE = { preset: "rolling-chat", pauseMs: 0 } as const;

describe("after a restart", () => {
  test("a compaction missed before a restart runs when the session is opened", async () => {
    const store = createMemoryStore();
    const ended = await open({ store, jobs: idleJobs(), ...AFTER_REPLY });
    await (await ended.session("s")).append(exchanges(12));
    const next = await open({ store, ...AFTER_REPLY });
    const session = await next.session("s");
    await expect.poll(async () => (await summariesOf(store)).length).toBe(1);
    await session.settle();
    // A second open finds nothing to do.
    await (await (await open({ store, ...AFTER_REPLY })).session("s")).settle();
    expect(await summariesOf(store)).toHaveLength(1);
  });

  test("a worker finds due work among the newest sessions only", async () => {
    const store = createMemoryStore();
    let now = 0;
    const ended = await open({ store, jobs: idleJobs(), clock: { now: () => now++ }, ...AFTER_REPLY });
    for (const [id, count] of [
      ["oldest", 12],
      ["short", 2],
      ["due", 12],
    ] as const) {
      await (await ended.session(id)).append(exchanges(count));
    }
    const jobs = createInProcessJobs();
    const worker = await open({ store, jobs, ...AFTER_REPLY, policy: WITHOUT_PAUSE });
    await worker.work({ once: true, newestSessions: 2 });
    expect(await summariesOf(store, "due")).toHaveLength(1);
    expect(await summariesOf(store, "oldest")).toEqual([]);
    await worker.work({ once: true });
    expect(await summariesOf(store, "oldest")).toHaveLength(1);
    expect(await summariesOf(store, "short")).toEqual([]);
  });

  test("a worker compacts before a request if that pays off", async () => {
    const store = createMemoryStore();
    let now = 0;
    const clock = { now: () => now };
    const server = await open({ store, clock, ...BEFORE_REQUEST });
    const session = await server.session("s");
    await session.append(exchanges(8));
    await session.prompt();
    await session.append(exchanges(11).map((message) => ({ ...message, content: `Later. ${message.content}` })));
    now = 3_600_000;
    const before = await summariesOf(store);
    const worker = await open({ store, clock, ...BEFORE_REQUEST });
    await worker.work({ once: true });
    const after = await summariesOf(store);
    expect([before.length, after.length]).toEqual([0, 1]);
    await worker.work({ once: true });
    expect(await summariesOf(store)).toHaveLength(1);
  });

  test("a worker that is stopped finishes running jobs", async () => {
    const store = createMemoryStore();
    const ended = await open({ store, jobs: idleJobs(), ...AFTER_REPLY });
    await (await ended.session("s")).append(exchanges(12));
    const worker = await open({ store, jobs: createInProcessJobs(), ...AFTER_REPLY, policy: WITHOUT_PAUSE });
    const ending = new AbortController();
    worker.on("compaction-start", () => ending.abort());
    await worker.work({ signal: ending.signal });
    expect(await summariesOf(store)).toHaveLength(1);
    await worker.close();
  });
});

test("a worker survives an outage of the store", async () => {
  const store = createMemoryStore();
  await (await (await open({ store, jobs: idleJobs(), ...AFTER_REPLY })).session("s")).append(exchanges(12));
  let away = 2;
  const leaving = new Proxy(store.tenant("local"), {
    get(target, name) {
      const value: unknown = Reflect.get(target, name);
      if (name === "listSessions" && away-- > 0) {
        return async () => {
          throw new PalimpsestError("store-unavailable", "The server is away.");
        };
      }
      return typeof value === "function" ? value.bind(target) : value;
    },
  });
  const worker = await open({ store: { ...store, tenant: () => leaving }, ...AFTER_REPLY, policy: WITHOUT_PAUSE });
  const warnings: string[] = [];
  worker.on("warning", ({ text }) => warnings.push(text));
  const ending = new AbortController();
  worker.on("job-end", () => ending.abort());
  await worker.work({ everyMs: 1, signal: ending.signal });
  expect(await summariesOf(store)).toHaveLength(1);
  expect(warnings).toEqual(Array.from({ length: 2 }, () => expect.stringContaining("The server is away.")));
});

describe("a summary that is being written", () => {
  test("a summary in progress keeps other engines from requesting the same one", async () => {
    const store = createMemoryStore();
    let gate: Promise<void> | undefined;
    const slow: Store = {
      ...store,
      tenant: (id) =>
        new Proxy(store.tenant(id), {
          get(target, name) {
            const value: unknown = Reflect.get(target, name);
            if (typeof value !== "function") return value;
            const call = value.bind(target);
            if (name !== "readEntries") return call;
            return async (...args: readonly unknown[]) => {
              await gate;
              return call(...args);
            };
          },
        }),
    };
    const [ours, theirs] = [patientSummarizer(), patientSummarizer()];
    const options = { ...AFTER_REPLY, policy: WITHOUT_PAUSE };
    const engine = await open({ store: slow, summarizer: ours, ...options });
    const session = await engine.session("s");
    await session.append(exchanges(12));
    await expect.poll(() => ours.waiting).toBe(1);
    const opened = Promise.withResolvers<void>();
    gate = opened.promise;
    // Reads wait for the gate, so the answer cannot be written yet.
    const reading = session.entries();
    const answered = new Promise((resolve) => engine.on("summary", resolve));
    ours.answer();
    await answered;
    await setTimeout(20);
    const other = await open({ store, summarizer: theirs, ...options });
    const looked: unknown[] = [];
    other.on("job-end", (event) => looked.push(event));
    await other.session("s");
    await expect.poll(() => looked.length + theirs.asked.length).toBe(1);
    expect([theirs.asked.length, (await summariesOf(store)).length]).toEqual([0, 0]);
    opened.resolve();
    await reading;
    await session.settle();
    expect([theirs.asked.length, ours.asked.length, (await summariesOf(store)).length]).toEqual([0, 1, 1]);
  });
});

describe("a job that fails", () => {
  test("a failing job is retried with pauses and becomes a visible dead letter", async () => {
    const memory = createMemoryStore();
    const failing = (tenant: TenantStore): TenantStore =>
      new Proxy(tenant, {
        get(target, name) {
          const value: unknown = Reflect.get(target, name);
          if (name === "append") return (id: string, batch: AppendBatch) => append(target, id, batch);
          return typeof value === "function" ? value.bind(target) : value;
        },
      });
    const append = async (tenant: TenantStore, id: string, batch: AppendBatch) => {
      if (batch.expect === undefined) return tenant.append(id, batch);
      throw new PalimpsestError("store-unavailable", "The disk is full.");
    };
    const store: Store = { name: "full", tenant: (id) => failing(memory.tenant(id)), close: () => memory.close() };
    const jobs = createInProcessJobs({ attempts: 3, firstPauseMs: 1 });
    const palimpsest = await open({ store, jobs, ...AFTER_REPLY, policy: WITHOUT_PAUSE });
    const received: EngineEvents["job-end"][] = [];
    palimpsest.on("job-end", (event) => received.push(event));
    void palimpsest.work();
    const session = await palimpsest.session("s");
    await session.append(exchanges(12));
    await session.settle();
    expect(received.map(({ outcome, reason }) => [outcome, reason])).toEqual(
      Array.from({ length: 3 }, () => ["failed", "The disk is full."]),
    );
    expect(await palimpsest.deadLetters()).toMatchObject([
      { job: { tenantId: "local", sessionId: "s" }, reason: "The disk is full." },
    ]);
    expect(await session.history()).toHaveLength(24);
    await palimpsest.close();
  });

  test("a job of a deleted session ends", async () => {
    const jobs = createInProcessJobs({ attempts: 3, firstPauseMs: 1 });
    const palimpsest = await open({ jobs, ...AFTER_REPLY });
    void palimpsest.work();
    await jobs.submit({ tenantId: "local", sessionId: "gone", kind: "compact" });
    await jobs.settle({ tenantId: "local", sessionId: "gone" });
    expect(await palimpsest.deadLetters()).toEqual([]);
    await palimpsest.close();
  });
});

describe("notifications", () => {
  test("report entries of other engines, which a session then reads, and not those of the engine itself", async () => {
    const store = createMemoryStore();
    const notifications = createLocalNotifications({ onError: () => undefined });
    let reads = 0;
    const watched: Store = {
      ...store,
      tenant: (id) =>
        new Proxy(store.tenant(id), {
          get(target, name) {
            const value: unknown = Reflect.get(target, name);
            if (name === "readEntries") reads += 1;
            return typeof value === "function" ? value.bind(target) : value;
          },
        }),
    };
    const [here, there] = [await open({ store, notifications }), await open({ store: watched, notifications })];
    const received: EngineEvents["session-grown"][] = [];
    there.on("session-grown", (event) => received.push(event));
    const theirs = await there.session("s");
    await theirs.history();
    const session = await here.session("s");
    await session.append([{ role: "user", content: "Hello." }]);
    await session.append([{ role: "assistant", content: "Yes." }]);
    await session.pin({ note: "Kept." });
    expect(received).toEqual([1, 2, 3].map((seq) => ({ sessionId: "s", seq })));
    await theirs.settle();
    expect(reads).toBeGreaterThan(0);
    expect((await theirs.entries({ afterSeq: 1 })).map(({ seq }) => seq)).toEqual([2, 3]);
    reads = 0;
    // An engine gets no notification of its own appends.
    await theirs.append([{ role: "user", content: "Mine." }]);
    await theirs.settle();
    expect(reads).toBe(0);
  });

  test("of other tenants are ignored", async () => {
    const store = createMemoryStore();
    const notifications = createLocalNotifications({ onError: () => undefined });
    const [one, two] = [
      await open({ store, notifications, tenant: "one" }),
      await open({ store, notifications, tenant: "two" }),
    ];
    const received: unknown[] = [];
    two.on("session-grown", (event) => received.push(event));
    await (await one.session("s")).append([{ role: "user", content: "Hello." }]);
    expect(received).toEqual([]);
  });
});

describe("an engine that is closed", () => {
  /** Opens an engine with a job that never ends and ignores its signal. */
  async function deaf() {
    const jobs = createInProcessJobs();
    const begun = Promise.withResolvers<void>();
    const store = createMemoryStore();
    const deafJobs: Jobs = {
      submit: (job) => jobs.submit(job),
      settle: (session) => jobs.settle(session),
      readDeadLetters: () => jobs.readDeadLetters(),
      drain: () => jobs.drain(),
      close: () => jobs.close(),
      work: () =>
        jobs.work(() => {
          begun.resolve();
          return new Promise(() => undefined);
        }),
    };
    const palimpsest = await open({ store, jobs: deafJobs, ...AFTER_REPLY });
    void palimpsest.work();
    await (await palimpsest.session("s")).append(exchanges(12));
    await begun.promise;
    const warnings: string[] = [];
    palimpsest.on("warning", ({ text }) => warnings.push(text));
    return { palimpsest, warnings, store };
  }

  test("close waits for a job that ignores its signal only as long as allowed, and warns", async () => {
    const { palimpsest, warnings, store } = await deaf();
    const startedAt = performance.now();
    await palimpsest.close({ withinMs: 60 });
    expect(performance.now() - startedAt).toBeLessThan(30_000);
    expect(warnings).toEqual([expect.stringMatching(/did not stop within 60 ms/)]);
    expect(() => store.tenant("local")).toThrow(/closed/);
  });

  test("close waits for at most 30 seconds, and refuses a longer time", async () => {
    const { palimpsest } = await deaf();
    for (const withinMs of [30_001, -1, 1.5, Number.POSITIVE_INFINITY]) {
      await expect(palimpsest.close({ withinMs })).rejects.toThrow(
        "close: withinMs: expected a whole number from 0 to 30000",
      );
    }
    expect(MAX_WAIT_MS).toBe(30_000);
    await palimpsest.close({ withinMs: 0 });
  });

  test("close does not warn when everything stops in time", async () => {
    const palimpsest = await open({ store: createMemoryStore(), ...AFTER_REPLY });
    const warnings: string[] = [];
    palimpsest.on("warning", ({ text }) => warnings.push(text));
    await (await palimpsest.session("s")).append(exchanges(12));
    await palimpsest.close();
    expect(warnings).toEqual([]);
  });
});
