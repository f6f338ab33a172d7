/**
 * Laws 4 and 7 over interleavings: two engines on one store use all their methods, and every call of the store and the
 * summarizer runs in a random order. The same calls in sequence have the same results on every store.
 */
import fc from "fast-check";
import { afterAll, expect, test } from "vitest";
import type { Store, TenantStore } from "../../src/ports/store.ts";
import type { Summarizer } from "../../src/ports/summarizer.ts";
import { scriptedClock } from "../../src/testing/scripted-clock.ts";
import { describeTenant } from "../../src/testing/store-contract/play-steps.ts";
import { expectSame } from "../../src/testing/store-contract/store-under-test.ts";
import { checkWritten } from "../stores/check-written.ts";
import { describePostgres } from "../support/describe-postgres.ts";
import { type AnswerPlan, answerPlans, writeAnswer } from "../support/generate-answers.ts";
import { type OpenedEngine, openEngine } from "../support/open-engine.ts";
import { propertyRuns } from "../support/property-runs.ts";
import { type Actor, type EngineAction, generateEngineActions, runAction } from "./engine-actions.ts";
import { type OpenStores, openStores, withNewTenants } from "./open-stores.ts";

/** A sequence takes ten milliseconds in memory and a second on a server. */
const RUNS = [
  ["memory", 60],
  ["jsonl", 10],
  ["sqlite", 10],
  ["postgres", 2],
] as const;
const RUNS_ON_ALL = 2;
const LEASE_LOST_MS = 31_000;
const MAX_COMMANDS = 25;
const UNLIMITED = 100_000_000;

interface Stage {
  turn: number;
}

/** One operation of an actor. */
class ActionCommand implements fc.AsyncCommand<Stage, Player> {
  readonly #action: EngineAction;

  constructor(action: EngineAction) {
    this.#action = action;
  }

  check(): boolean {
    return true;
  }

  async run(stage: Stage, player: Player): Promise<void> {
    stage.turn += 1;
    await player.play(this.#action, stage.turn);
  }

  toString(): string {
    return JSON.stringify(this.#action);
  }
}

interface Player {
  play(action: EngineAction, turn: number): Promise<void>;
}

const commands = () =>
  fc.commands([generateEngineActions().map((action) => new ActionCommand(action))], {
    maxCommands: MAX_COMMANDS,
    size: "max",
  });

interface PlayedRun {
  readonly actor: Actor;
  readonly engines: readonly OpenedEngine[];
  readonly calls: () => number;
}

interface PlayOptions {
  readonly store: Store;
  readonly plans: readonly AnswerPlan[];
  readonly loseLeases: () => void;
  /** Waits until it is this call's turn. */
  readonly inTurn?: ((label: string) => Promise<void>) | undefined;
}

/** Starts an actor with two engines that share only the store. */
async function startActor({
  store,
  plans,
  loseLeases,
  inTurn = async () => undefined,
}: PlayOptions): Promise<PlayedRun> {
  let calls = 0;
  const summarizer: Summarizer = {
    name: "planned",
    estimateCost: () => 0.01,
    summarize: async (request, signal) => {
      const plan = plans[calls++ % plans.length] ?? { type: "useless", text: "" };
      await inTurn("summarize");
      return writeAnswer(signal.aborted ? { type: "failed", kind: "aborted" } : plan, request);
    },
  };
  const clock = scriptedClock({ startMs: 1_700_000_000_000 });
  const watch = (tenant: TenantStore) => takeTurns(tenant, inTurn);
  const engines = ["1", "2"].map((name) => openEngine({ store, summarizer, clock, name, watch }));
  const [first, second] = engines.map(({ engine }) => engine);
  if (first === undefined || second === undefined) throw new TypeError("There are two.");
  const tenant = store.tenant("local");
  const actor: Actor = {
    engines: [first, second],
    tenant,
    reports: [],
    sessions: ["first"],
    loseLeases,
    held: new Set(),
  };
  return { actor, engines, calls: () => calls };
}

/** Wraps a store so that every call waits for its turn. */
function takeTurns(tenant: TenantStore, inTurn: (label: string) => Promise<void>): TenantStore {
  return new Proxy(tenant, {
    get(target, key) {
      const value: unknown = Reflect.get(target, key);
      if (typeof value !== "function") return value;
      return async (...args: unknown[]) => {
        await inTurn(String(key));
        return value.apply(target, args);
      };
    },
  });
}

/** Law 4: every acknowledged write is stored. */
async function expectNothingLost({ actor }: PlayedRun): Promise<void> {
  const { lost, duplicated, violations } = await checkWritten(actor.tenant, actor.reports);
  expect({ lost, duplicated, violations }).toEqual({ lost: [], duplicated: [], violations: [] });
}

/** Law 7: every record and every call is accounted for. */
async function expectCounted({ actor, engines, calls }: PlayedRun): Promise<void> {
  const received = engines.flatMap(({ of }) => of("summary"));
  const written = engines.flatMap(({ of }) => of("compaction"));
  const ended = engines.flatMap(({ of }) => of("compaction-end"));
  expect(received).toHaveLength(calls());
  expect([...written, ...ended].flatMap(({ attempts }) => attempts)).toHaveLength(received.length);
  const logs = await Promise.all(actor.sessions.map((id) => actor.tenant.readEntries(id, { types: ["summary"] })));
  const stored = new Set(logs.flat().map(({ id }) => id));
  const records = written.flatMap(({ record }) => record?.id ?? []);
  expect(new Set(records).size).toBe(records.length);
  expect(records.toSorted()).toEqual([...stored].toSorted());
}

await describePostgres("two engines on one store", (server) => {
  let opened: OpenStores | undefined;
  const open = async () => {
    opened ??= await openStores(server);
    return opened;
  };
  afterAll(async () => {
    await opened?.close();
    await server.close();
  });

  test.each(RUNS)("two engines lose nothing and count every call in any order: %s", async (kind, runs) => {
    const { stores, clock } = await open();
    const store = stores.find((each) => each.kind === kind)?.store;
    if (store === undefined) throw new TypeError(`There is no ${kind}.`);
    const plans = fc.array(answerPlans(), { minLength: 1, maxLength: 3 });
    await fc.assert(
      fc.asyncProperty(commands(), plans, fc.scheduler(), async (sequence, answers, scheduler) => {
        const inTurn = (label: string) => scheduler.schedule(Promise.resolve(), label);
        const loseLeases = () => clock.advance(LEASE_LOST_MS);
        const played = await startActor({ store: withNewTenants(store), plans: answers, loseLeases, inTurn });
        const begun: Promise<unknown>[] = [];
        const player: Player = { play: async (action, turn) => void begun.push(runAction(played.actor, action, turn)) };
        await fc.scheduledModelRun(scheduler, () => ({ model: { turn: 0 }, real: player }), sequence);
        await scheduler.waitFor(Promise.all(begun));
        await scheduler.waitFor(settle(played));
        await expectNothingLost(played);
        await scheduler.waitFor(finish(played));
        await expectNothingLost(played);
        await expectCounted(played);
      }),
      { numRuns: propertyRuns(runs) },
    );
  });

  test("two engines return the same results on every store", async () => {
    const { stores, clock } = await open();
    const plans = fc.array(answerPlans(), { minLength: 1, maxLength: 3 });
    await fc.assert(
      fc.asyncProperty(commands(), plans, async (sequence, answers) => {
        const options = { plans: answers, loseLeases: () => undefined };
        const all = await Promise.all(
          stores.map(({ store }) => startActor({ ...options, store: withNewTenants(store) })),
        );
        const play = async (action: EngineAction, turn: number) => {
          if (action.type === "lose-leases") return clock.advance(LEASE_LOST_MS);
          const given: unknown[] = [];
          for (const played of all) {
            given.push(await runAction(played.actor, action, turn));
            await settle(played);
          }
          for (const [index, answer] of given.entries()) expectSame(answer, given[0], stores[index]?.kind);
        };
        await fc.asyncModelRun(() => ({ model: { turn: 0 }, real: { play } }), sequence);
        const described = await Promise.all(all.map(({ actor }) => describeTenant(actor.tenant)));
        for (const [index, each] of described.entries()) expectSame(each, described[0], stores[index]?.kind);
        for (const played of all) {
          await expectNothingLost(played);
          await finish(played);
          await expectCounted(played);
        }
      }),
      { numRuns: propertyRuns(RUNS_ON_ALL) },
    );
  });
});

/** Waits until the background work of the sessions has ended. */
async function settle({ actor }: PlayedRun): Promise<void> {
  for (const engine of actor.engines) {
    for (const id of actor.sessions) await (await engine.session(id)).settle();
  }
}

/** Changes the past once more, so that each engine reports that its preparation for the old past is stale. */
async function finish(played: PlayedRun): Promise<void> {
  const { actor } = played;
  await settle(played);
  for (const id of actor.sessions) {
    await (await actor.engines[0].session(id)).clear();
    for (const engine of actor.engines) await (await engine.session(id)).prompt({ budgetTokens: UNLIMITED });
  }
  await settle(played);
}
