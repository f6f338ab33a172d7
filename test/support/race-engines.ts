/**
 * Several engines on one store, like processes on several machines: they see the same triggers, their summarizers
 * answer when the race requests it, and leases expire when the store's clock jumps. The commands determine everything,
 * so that a failed race can be repeated.
 */
import { setImmediate as nextTurn } from "node:timers/promises";
import fc from "fast-check";
import { PalimpsestError } from "../../src/core/errors.ts";
import type { Entry } from "../../src/core/log/entry.ts";
import type { Message } from "../../src/core/message/message.ts";
import type { Prompt } from "../../src/engine/prompt/prompt.ts";
import type { Session } from "../../src/engine/session/session.ts";
import type { Store, TenantStore } from "../../src/ports/store.ts";
import type { Summarizer, SummaryOutcome, SummaryRequest } from "../../src/ports/summarizer.ts";
import { createMemoryStore } from "../../src/stores/memory/memory-store.ts";
import { fractions } from "../../src/testing/generate-histories.ts";
import { scriptedClock } from "../../src/testing/scripted-clock.ts";
import { weighted } from "../../src/testing/weighted.ts";
import { type AnswerPlan, answerPlans, writeAnswer } from "./generate-answers.ts";
import { findAt } from "./generate-session-commands.ts";
import { longTalk } from "./long-talk.ts";
import { type OpenedEngine, openEngine } from "./open-engine.ts";

export type RaceCommand =
  /** Creates a prompt without waiting. */
  | { readonly type: "prompt"; readonly engine: number; readonly budgetTokens: number }
  | { readonly type: "append"; readonly engine: number; readonly turns: number }
  /** Changes the past without making it smaller. */
  | { readonly type: "pin"; readonly engine: number }
  | { readonly type: "answer"; readonly at: number }
  | { readonly type: "lose-leases" }
  /** Turns of the event loop. */
  | { readonly type: "pass"; readonly turns: number };

export interface Race {
  readonly engines: number;
  readonly turns: number;
  readonly plans: readonly AnswerPlan[];
  readonly commands: readonly RaceCommand[];
}

export interface RaceOptions {
  readonly budgets: readonly number[];
  readonly turns: readonly [least: number, most: number];
  /** Whether messages arrive during the race. */
  readonly grows: boolean;
}

export function generateRaces({ budgets, turns: [min, max], grows }: RaceOptions): fc.Arbitrary<Race> {
  const engine = fc.nat({ max: 2 });
  const growing: readonly (readonly [number, fc.Arbitrary<RaceCommand>])[] = [
    [3, fc.tuple(engine, fc.integer({ min: 1, max: 3 })).map(([at, turns]) => ({ type: "append", engine: at, turns }))],
    [1, engine.map((at) => ({ type: "pin", engine: at }))],
  ];
  const command = weighted<RaceCommand>([
    [
      6,
      fc
        .tuple(engine, fc.constantFrom(...budgets))
        .map(([at, budgetTokens]) => ({ type: "prompt", engine: at, budgetTokens })),
    ],
    [4, fractions().map((at) => ({ type: "answer", at }))],
    [2, fc.constant<RaceCommand>({ type: "lose-leases" })],
    [4, fc.integer({ min: 1, max: 12 }).map((turns) => ({ type: "pass", turns }))],
    ...(grows ? growing : []),
  ]);
  const plan = weighted<AnswerPlan>([
    [2, fc.constant<AnswerPlan>({ type: "partly-true", places: [0, 0.5], invented: [] })],
    [1, answerPlans()],
  ]);
  return fc.record(
    {
      engines: fc.constantFrom(2, 3, 1),
      turns: fc.integer({ min, max }),
      plans: fc.array(plan, { minLength: 1, maxLength: 3 }),
      commands: fc.array(command, { minLength: 1, maxLength: 16, size: "max" }),
    },
    { noNullPrototype: true },
  );
}

export interface FinishedRace {
  readonly engines: readonly OpenedEngine[];
  readonly prompts: readonly { readonly prompt: Prompt; readonly budgetTokens: number }[];
  readonly entries: readonly Entry[];
  readonly history: readonly Message[];
  /** Requests that reached a summarizer. */
  readonly calls: number;
  /** The largest number of concurrent requests under a valid lease. */
  readonly maxAtOnce: number;
}

interface PendingRequest {
  readonly engine: number;
  /** The period in which its lease was granted; a new period starts when leases expire. */
  readonly era: number;
  readonly answer: () => void;
}

/** The store of a race. */
export interface RaceMedium {
  readonly store: Store;
  /** Advances the clock of leases. */
  advance(milliseconds: number): void;
  /** Lets pending work continue for about this many turns. */
  pass(turns: number): Promise<void>;
}

function inMemory(): RaceMedium {
  const clock = scriptedClock({ startMs: 0 });
  return {
    store: createMemoryStore({ monotonicNow: clock.now }),
    advance: clock.advance,
    pass: async (turns) => {
      for (let turn = 0; turn < turns; turn += 1) await nextTurn();
    },
  };
}

const SESSION = "raced";
const UNLIMITED = 100_000_000;
const LEASE_LOST_MS = 31_000;
/** Limit after which pending work counts as stuck. */
const MAX_PENDING_MS = 60_000;

export async function runRace(
  { engines: count, turns, plans, commands }: Race,
  medium: RaceMedium = inMemory(),
): Promise<FinishedRace> {
  const course = createCourse(medium, count, plans);
  const sessions = await Promise.all(course.engines.map(({ engine }) => engine.session(SESSION)));
  const at = (index: number): Session => sessions[index % count] as Session;
  const history: Message[] = [];
  const prompts: { prompt: Prompt; budgetTokens: number }[] = [];
  const open = new Set<Promise<unknown>>();
  const faults: unknown[] = [];
  const start = (work: Promise<unknown>): void => {
    const done = work
      .catch((error: unknown) => {
        if (!isFloor(error)) faults.push(error);
      })
      .finally(() => open.delete(done));
    open.add(done);
  };
  const append = async (engine: number, more: number): Promise<void> => {
    const messages = longTalk({ turns: more, from: history.length });
    history.push(...messages);
    await at(engine).append(messages, { format: "palimpsest" });
  };
  const ask = async (engine: number, budgetTokens: number): Promise<void> => {
    prompts.push({ prompt: await at(engine).prompt({ budgetTokens }), budgetTokens });
  };
  const run = async (command: RaceCommand): Promise<void> => {
    switch (command.type) {
      case "prompt":
        return start(ask(command.engine, command.budgetTokens));
      case "append":
        return start(append(command.engine, command.turns));
      case "pin":
        return start(at(command.engine).pin({ note: `Noted by ${command.engine}.` }));
      case "answer":
        return findAt([...course.waiting], command.at)?.answer();
      case "lose-leases":
        return course.loseLeases();
      case "pass":
        return medium.pass(command.turns);
      default:
        return command satisfies never;
    }
  };
  await append(0, turns);
  for (const command of commands) await run(command);
  const finish = async (): Promise<void> => {
    for (const session of sessions) start(session.settle());
    for (const until = performance.now() + MAX_PENDING_MS; open.size > 0; ) {
      if (performance.now() > until) throw new Error(`${open.size} are still waiting.`);
      for (const waiting of [...course.waiting]) waiting.answer();
      await nextTurn();
    }
    if (faults.length > 0) throw faults[0];
  };
  await finish();
  // Changes the past once more, so that prepared work has to be discarded.
  await at(0).pin({ note: "The race is over." });
  for (const index of sessions.keys()) await ask(index, UNLIMITED);
  await finish();
  const entries = await course.tenant.readEntries(SESSION, {});
  return { engines: course.engines, prompts, entries, history, calls: course.calls, maxAtOnce: course.maxAtOnce };
}

function createCourse({ store, advance }: RaceMedium, count: number, plans: readonly AnswerPlan[]) {
  const state = { era: 0, calls: 0, maxAtOnce: 0 };
  const waiting = new Set<PendingRequest>();
  const granted: number[] = [];
  const summarizerOf = (engine: number): Summarizer => ({
    name: `engine-${engine}`,
    estimateCost: () => 0.01,
    summarize: (request: SummaryRequest, signal: AbortSignal) => {
      const plan = plans[state.calls++ % plans.length] ?? { type: "useless", text: "" };
      return new Promise<SummaryOutcome>((resolve) => {
        const entered: PendingRequest = {
          engine,
          era: granted[engine] ?? -1,
          answer: () => {
            waiting.delete(entered);
            resolve(writeAnswer(signal.aborted ? { type: "failed", kind: "aborted" } : plan, request));
          },
        };
        waiting.add(entered);
        state.maxAtOnce = Math.max(state.maxAtOnce, [...waiting].filter(({ era }) => era === state.era).length);
      });
    },
  });
  const watch = (engine: number) => (tenant: TenantStore) =>
    watchLeases(tenant, {
      // The store grants the lease at once, but its answer may arrive after the lease has expired.
      readEra: () => state.era,
      onGranted: (era) => {
        granted[engine] = era;
      },
    });
  const engines = Array.from({ length: count }, (_, index) =>
    openEngine({ store, summarizer: summarizerOf(index), name: `${index + 1}`, watch: watch(index) }),
  );
  return {
    engines,
    waiting,
    tenant: store.tenant("local"),
    loseLeases: () => {
      advance(LEASE_LOST_MS);
      state.era += 1;
    },
    get calls() {
      return state.calls;
    },
    get maxAtOnce() {
      return state.maxAtOnce;
    },
  };
}

interface LeaseWatch {
  readonly readEra: () => number;
  readonly onGranted: (era: number) => void;
}

/** Wraps a store to report every granted lease. */
function watchLeases(tenant: TenantStore, { readEra, onGranted }: LeaseWatch): TenantStore {
  return new Proxy(tenant, {
    get(target, key) {
      const value: unknown = Reflect.get(target, key);
      if (typeof value !== "function") return value;
      if (key !== "lease") return value.bind(target);
      return async (id: string, ttlMs: number) => {
        const era = readEra();
        const lease = await target.lease(id, ttlMs);
        if (lease !== undefined) onGranted(era);
        return lease;
      };
    },
  });
}

/** A budget that cannot be met is refused, which another law checks. */
function isFloor(error: unknown): boolean {
  return error instanceof PalimpsestError && error.code === "does-not-fit";
}
