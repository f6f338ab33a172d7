/** Optional folds by code in an engine with a thread for summaries: they are prepared in the background. */
import { subscribe, unsubscribe } from "node:diagnostics_channel";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { type OpenOptions, openPalimpsest, type Palimpsest, type Session } from "../src/index.ts";
import { createMemoryStore } from "../src/stores/memory/memory-store.ts";

const BUDGET_TOKENS = 3_000;
/** A prompt above this share of the budget is worth a fold. */
const SOFT_TOKENS = 0.6 * BUDGET_TOKENS;
const MAX_TURNS = 100;
const WORDS =
  "The harbor crane lifts forty containers before noon, and the night shift counts them again at gate seven.";

const OPTIONS: OpenOptions = { counter: "estimate", budgetTokens: BUDGET_TOKENS };

async function openEngine(options: OpenOptions = {}): Promise<Palimpsest> {
  const palimpsest = await openPalimpsest({ ...OPTIONS, ...options });
  onTestFinished(() => palimpsest.close());
  return palimpsest;
}

/** More sessions than folds are prepared at a time. */
const MANY = Array.from({ length: 40 }, (_, index) => `other-${index}`);

/** Adds turns until the prompt is large enough for an optional fold, and returns that prompt. */
async function fillUntilSoft(session: Session) {
  for (let turn = 0; turn < MAX_TURNS; turn += 1) {
    const prompt = await session.prompt({ next: { role: "user", content: `${turn}. ${WORDS} ${WORDS}` } });
    if (prompt.report.tokens > SOFT_TOKENS) return prompt;
    await session.append({ role: "assistant", content: `Noted as number ${turn}. ${WORDS}` });
  }
  throw new Error("No prompt was large enough for an optional fold.");
}

function countFolds(palimpsest: Palimpsest): { readonly phases: string[] } {
  const phases: string[] = [];
  palimpsest.on("compaction", ({ phase }) => phases.push(phase));
  return { phases };
}

// With its own modules, because all engines of a process share the thread, and other tests may have started it.
test("the thread for summaries is started some turns before the first fold", async () => {
  const started: unknown[] = [];
  const listener = (message: unknown) => started.push(message);
  subscribe("worker_threads", listener);
  onTestFinished(() => {
    unsubscribe("worker_threads", listener);
  });
  vi.resetModules();
  const own = await import("../src/index.ts");
  const palimpsest = await own.openPalimpsest({ ...OPTIONS, summaryThread: true });
  onTestFinished(() => palimpsest.close());
  const { phases } = countFolds(palimpsest);
  const session = await palimpsest.session("early");
  const sizes: number[] = [];
  for (let turn = 0; turn < MAX_TURNS && started.length === 0; turn += 1) {
    const prompt = await session.prompt({ next: { role: "user", content: `${turn}. ${WORDS} ${WORDS}` } });
    sizes.push(prompt.report.tokens);
  }
  expect(started).toHaveLength(1);
  expect(sizes.length).toBeGreaterThan(1);
  expect(sizes.at(-1)).toBeLessThan(SOFT_TOKENS);
  expect(phases).toEqual([]);
});

describe("an optional fold by code", () => {
  test("is prepared in the background and written without a prompt, if there is a thread for summaries", async () => {
    const palimpsest = await openEngine({ summaryThread: true });
    const { phases } = countFolds(palimpsest);
    const session = await palimpsest.session("ahead");
    const prompt = await fillUntilSoft(session);
    expect(prompt.report.plan.held).toBe("A compaction is still being prepared.");
    await session.settle();
    expect(phases).toEqual(["background"]);
    const next = await session.prompt({ next: { role: "user", content: "Which gate?" } });
    expect(next.report.tokens).toBeLessThan(SOFT_TOKENS);
    expect(next.report.summary?.text).toContain("gate seven");
    expect(phases).toHaveLength(1);
  });

  test("is written by the prompt itself without such a thread", async () => {
    const palimpsest = await openEngine();
    const { phases } = countFolds(palimpsest);
    const session = await palimpsest.session("inline");
    for (let turn = 0; phases.length === 0 && turn < MAX_TURNS; turn += 1) {
      await session.prompt({ next: { role: "user", content: `${turn}. ${WORDS} ${WORDS}` } });
      await session.append({ role: "assistant", content: `Noted as number ${turn}. ${WORDS}` });
    }
    expect(phases).toEqual(["pre-request"]);
  });

  test("leaves a message and its prompt one write while it is prepared", async () => {
    const store = createMemoryStore();
    let writes = 0;
    const counting: typeof store = {
      ...store,
      tenant(id) {
        const tenant = store.tenant(id);
        const append: typeof tenant.append = (...args) => {
          writes += 1;
          return tenant.append(...args);
        };
        return Object.assign(Object.create(tenant), { append });
      },
    };
    const palimpsest = await openEngine({ store: counting, summaryThread: true });
    const session = await palimpsest.session("writes");
    const { phases } = countFolds(palimpsest);
    await fillUntilSoft(session);
    writes = 0;
    await session.prompt({ next: { role: "user", content: "And the other gates?" } });
    expect([writes, phases]).toEqual([1, []]);
    await session.settle();
    expect(phases).toEqual(["background"]);
  });

  test("is dropped if it waits when the engine is closed", async () => {
    const palimpsest = await openEngine({ summaryThread: true });
    const { phases } = countFolds(palimpsest);
    const sessions = await Promise.all(MANY.map((id) => palimpsest.session(id)));
    await Promise.all(sessions.map(fillUntilSoft));
    await palimpsest.close();
    const written = phases.length;
    expect(written).toBeLessThan(MANY.length);
    await new Promise((resolve) => setImmediate(resolve));
    expect(phases).toHaveLength(written);
  });
});

test("an unavoidable fold does not wait until the optional folds of other sessions are prepared", async () => {
  const palimpsest = await openEngine({ summaryThread: true });
  const folded: string[] = [];
  palimpsest.on("compaction", ({ sessionId }) => folded.push(sessionId));
  const others = await Promise.all(MANY.map((id) => palimpsest.session(id)));
  const urgent = await palimpsest.session("urgent");
  // The optional fold of the last session is planned behind those of the others.
  await Promise.all([...others, urgent].map(fillUntilSoft));
  const prompt = await urgent.prompt({ next: { role: "user", content: "Which gate?" }, budgetTokens: 1_500 });
  expect(prompt.report.tokens).toBeLessThanOrEqual(1_500);
  expect(folded).toContain("urgent");
  // Eight may be prepared at a time; with the plan of the session itself, it would be the last.
  expect(folded.indexOf("urgent")).toBeLessThan(MANY.length - 8);
  await Promise.all([urgent, ...others].map((session) => session.settle()));
  expect(folded).toHaveLength(MANY.length + 1);
});
