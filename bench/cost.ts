/**
 * The cost of real agent sessions under prompt caching, request by request at their recorded times, under different
 * policies in windows of 40,000 and 100,000 tokens and with three price lists. All policies use the same summarizer,
 * once free and once priced.
 *
 * `--quick` replays a few sessions, `--model <id>` and `--window <tokens>` select one price list or window, and
 * `--policy '{"…": …}'` replaces settings of the default policy. `--own-prompt` sets which policies may request a
 * priced summary after the conversation's own cached prompt, if that is cheaper than a transcript: `ours` (as the
 * engine does and the others do not), `none` or `all`.
 */

import { openPalimpsest } from "../src/compose.ts";
import { loadCounter } from "../src/counters/load-counter.ts";
import { RecallJudge } from "../src/replay/judge-recall.ts";
import type { PolicyRun } from "../src/replay/policy-run.ts";
import type { PriceTag } from "../src/replay/prices.ts";
import { BlockBook } from "../src/replay/prompt-blocks.ts";
import { runPalimpsest } from "../src/replay/run-palimpsest.ts";
import { SharedSummarizer, type SummaryMode } from "../src/replay/shared-summarizer.ts";
import type { BenchRequest, BenchResult } from "./bench.ts";
import { checkSimulator } from "./cost/check-simulator.ts";
import { FIELD_POLICIES } from "./cost/field-policies.ts";
import { type CostCell, figuresOf, judgeCost, OUR_NAME, rowOf } from "./cost/judge-cost.ts";
import { loadPrices } from "./cost/load-prices.ts";
import { type CostOptions, readOptions } from "./cost/read-options.ts";
import { type ReplaySession, readSessions } from "./cost/read-sessions.ts";
import { addTotals, emptyTotals, replay, type Totals } from "./cost/replay.ts";
import { sayAs } from "./shared/surroundings.ts";

const say = sayAs("cost");

const MODES: readonly SummaryMode[] = ["free", "priced"];
/** With `--quick`, only every fourth session is replayed. */
const QUICK_STEP = 4;

interface Scene {
  readonly options: CostOptions;
  readonly book: BlockBook;
  readonly prices: readonly PriceTag[];
  readonly sessions: readonly { readonly session: ReplaySession; readonly judge: RecallJudge }[];
}

export async function run({ args }: BenchRequest): Promise<BenchResult> {
  const name = "cost";
  const recorded = readSessions();
  if (recorded === undefined)
    return { name, title: "Not measured: the folder with the real logs is missing.", rows: [] };
  const scene = await setScene(recorded, readOptions(args));
  const cells: CostCell[] = [];
  for (const mode of MODES) {
    const summarizer = new SharedSummarizer(mode, scene.book);
    for (const windowTokens of scene.options.windows)
      cells.push(...(await compare(scene, { windowTokens, summarizer })));
  }
  const check = await checkSimulator(recorded, scene.book);
  const judged = judgeCost(cells);
  return {
    name,
    title: titleOf(scene),
    rows: cells.map(rowOf),
    figures: figuresOf(judged, check),
    notes: NOTES,
    details: { judged, check },
  };
}

async function setScene(recorded: readonly ReplaySession[], options: CostOptions): Promise<Scene> {
  const book = new BlockBook(await loadCounter("o200k"));
  const chosen = recorded.filter((_, index) => !options.isQuick || index % QUICK_STEP === 0);
  say(`reading ${chosen.length} sessions`);
  const sessions = chosen.map((session) => ({ session, judge: new RecallJudge(session.messages, book) }));
  const prices = (await loadPrices()).filter(({ model }) => options.model === undefined || model === options.model);
  return { options, book, prices, sessions };
}

interface Setting {
  readonly windowTokens: number;
  readonly summarizer: SharedSummarizer;
}

/** Other policies send the same with every price list; ours depends on prices, so it runs once for each. */
async function compare(scene: Scene, { windowTokens, summarizer }: Setting): Promise<readonly CostCell[]> {
  const { book, prices, options } = scene;
  const { mode } = summarizer;
  const shared = { windowTokens, book, summarizer };
  const cells: CostCell[] = [];
  const add = async (name: string, tags: readonly PriceTag[], open: () => PolicyRun | Promise<PolicyRun>) => {
    const startedMs = performance.now();
    const totals = await replayAll(scene, { prices: tags, open });
    for (const [index, { model }] of tags.entries()) {
      cells.push({ policy: name, windowTokens, model, mode, totals: totals[index] ?? emptyTotals() });
    }
    say(`${windowTokens}, ${mode}: ${name}, ${Math.round(performance.now() - startedMs)} ms`);
  };
  const ttlMs = prices[0]?.cache.ttlMs ?? 0;
  for (const [name, open] of Object.entries(FIELD_POLICIES)) {
    await add(name, prices, () => open({ ...shared, ttlMs, reusesPrompt: options.reuse === "all" }));
  }
  const own = { open: openPalimpsest, budgetTokens: windowTokens, book, summarizer, provider: "anthropic" as const };
  const ours = { ...own, reusesPrompt: options.reuse !== "none", policy: options.policy };
  for (const price of prices) await add(OUR_NAME, [price], () => runPalimpsest({ ...ours, price }));
  return cells.toSorted((left, right) => left.model.localeCompare(right.model));
}

interface ReplayAllOptions {
  readonly prices: readonly PriceTag[];
  readonly open: () => PolicyRun | Promise<PolicyRun>;
}

async function replayAll(scene: Scene, { prices, open }: ReplayAllOptions): Promise<readonly Totals[]> {
  const { sessions, book } = scene;
  let totals = prices.map(emptyTotals);
  for (const { session, judge } of sessions) {
    const parts = await replay(session, { run: await open(), prices, book, judge });
    totals = totals.map((sum, index) => addTotals(sum, parts[index] ?? emptyTotals()));
  }
  return totals;
}

function titleOf({ sessions }: Scene): string {
  const requests = sessions.reduce((sum, { session }) => sum + session.requests.length, 0);
  return `Dollars for ${requests} requests of ${sessions.length} recorded agent sessions under prompt caching, by policy`;
}

const NOTES = [
  "The window contains only the conversation; system text and tool schemas, which cost every policy the same, are left out.",
  "usd is input, replies and summaries; replies are the same for all policies. Tokens are o200k for all price lists.",
  "recallAtCuts: identifiers of the next 30 tool calls that were mentioned before and are in the prompt, at the policy's own cuts; recallAtMarks: at every tenth request, the same for all. A ceiling on what a model could use.",
  "Full history keeps to no window; it is shown, and not compared with ours.",
  "The simulator's check replays the contexts that were recorded. In some sessions the recording tool changed its own prefix at a user's turn; the logs do not contain the change, so the simulation reads more there.",
];
