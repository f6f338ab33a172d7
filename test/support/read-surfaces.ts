/**
 * Reads every surface of the server about one state of a session: view, plan, strip, budget and explanations, over HTTP
 * in sequence or at once, and finds contradictions between them.
 */
import type { Explanation, Fate, Plan, PlanRun } from "../../src/core/plan/plan.ts";
import type { PromptReport } from "../../src/engine/prompt/prompt.ts";
import type { Strip } from "../../src/engine/session/make-strip.ts";
import type { TestServer } from "./start-server.ts";

export interface Surfaces {
  /** Undefined if the server answered that no prompt fits. */
  readonly view: { readonly prompt: unknown; readonly report: PromptReport } | undefined;
  readonly plan: Plan;
  readonly strip: Strip;
  readonly budget: Readonly<Record<string, unknown>>;
  readonly explanations: readonly Explanation[];
  /** Seqs of all messages, in order. */
  readonly seqs: readonly number[];
}

export interface SurfaceRequest {
  readonly id: string;
  readonly query?: Readonly<Record<string, string | number>> | undefined;
  /** Requests everything at once instead of in sequence. */
  readonly atOnce?: boolean | undefined;
}

/** Number of messages explained, spread over the log, with the first and the last. */
const EXPLAINED = 12;

/** Reads again if the session changed in the meantime, for example by a compaction after a reply. */
export async function readSurfaces(server: TestServer, request: SurfaceRequest): Promise<Surfaces> {
  for (;;) {
    const before = await readNewestSeq(server, request.id);
    const surfaces = await readOnce(server, request);
    if ((await readNewestSeq(server, request.id)) === before) return surfaces;
  }
}

async function readNewestSeq({ ask }: TestServer, id: string): Promise<unknown> {
  return (await ask("GET", `/api/sessions/${id}/entries?limit=1&newestFirst=true`)).body.entries[0]?.seq;
}

async function readOnce(server: TestServer, request: SurfaceRequest): Promise<Surfaces> {
  const { id, query = {}, atOnce = false } = request;
  const search = Object.entries(query)
    .map((pair) => pair.join("="))
    .join("&");
  const get = async (path: string) => server.ask("GET", `/api/sessions/${id}/${path}?${search}`);
  const entries = await readMessages(server, id);
  const paths = ["strip", "view", "budget", "plan", ...spread(entries).map((each) => explanationOf(each.id))];
  const answers: Awaited<ReturnType<typeof get>>[] = atOnce ? await Promise.all(paths.map(get)) : [];
  if (!atOnce) for (const path of paths) answers.push(await get(path));
  const [strip, view, budget, plan, ...explanations] = answers;
  return {
    view: view?.status === 200 ? view.body : undefined,
    plan: plan?.body,
    strip: strip?.body,
    budget: budget?.body,
    explanations: explanations.map(({ body }) => body),
    seqs: entries.map(({ seq }) => seq),
  };
}

interface PlacedMessage {
  readonly id: string;
  readonly seq: number;
}

async function readMessages({ ask }: TestServer, id: string): Promise<readonly PlacedMessage[]> {
  const found: PlacedMessage[] = [];
  for (let afterSeq: number | undefined = 0; afterSeq !== undefined; ) {
    const { body } = await ask("GET", `/api/sessions/${id}/messages?limit=1000&afterSeq=${afterSeq}`);
    for (const { message, seq } of body.entries) found.push({ id: message.id, seq });
    afterSeq = body.nextSeq;
  }
  return found;
}

function spread(entries: readonly PlacedMessage[]): readonly PlacedMessage[] {
  const step = Math.max(1, Math.ceil(entries.length / EXPLAINED));
  return entries.filter((_, index) => index % step === 0 || index === entries.length - 1);
}

function explanationOf(messageId: string): string {
  return `messages/${encodeURIComponent(messageId)}/explanation`;
}

const SHOWN: ReadonlySet<Fate> = new Set(["verbatim", "pinned", "pruned", "cut"]);

/** Lists contradictions as sentences; empty if all surfaces agree. */
export function findContradictions({ view, plan, strip, budget, explanations, seqs }: Surfaces): readonly string[] {
  const found: string[] = [];
  const compare = (what: string, actual: unknown, expected: unknown): void => {
    const [left, right] = [JSON.stringify(actual), JSON.stringify(expected)];
    if (left !== right) found.push(`${what}: ${left} and ${right}`);
  };
  compare("fates by strip and plan", countByStrip(strip), countByPlan(plan, seqs));
  compare("tokens shown by strip and plan", strip.shownTokens, sum(plan.runs.map(({ tokens }) => tokens)));
  compare("epoch of strip and plan", strip.epoch, plan.epoch);
  for (const { seq, fate, reason, entryId, isShown } of explanations) {
    const run = runAt(plan.runs, seq);
    compare(`whether #${seq} is shown, which is ${fate}`, isShown, SHOWN.has(fate));
    compare(`explanation and plan of #${seq}`, [fate, reason, entryId], [run?.fate, run?.reason, run?.entryId]);
  }
  compare("whether a prompt fits, by budget and view", budget.promptTokens !== undefined, view !== undefined);
  if (view === undefined) return found;
  const { report } = view;
  compare("plan and the view's plan", plan, report.plan);
  compare("tokens by budget and view", budget.promptTokens, report.tokens);
  for (const [name, expected] of Object.entries({
    maxInputTokens: report.limitTokens,
    windowTokens: report.windowTokens,
    reserveTokens: report.reserveTokens,
  })) {
    compare(`${name} by budget and view`, budget[name], expected);
  }
  const [, covered] = /\[Summary of the (\d+) earlier messages\]/.exec(JSON.stringify(view.prompt)) ?? [];
  // A summary may cover messages that are also shown with their own fate.
  const { summarised = 0, verbatim = 0, pinned = 0, pruned = 0, cut = 0 } = Object.fromEntries(countByPlan(plan, seqs));
  const most = summarised + verbatim + pinned + pruned + cut;
  if (covered !== undefined && (Number(covered) < summarised || Number(covered) > most))
    found.push(`messages covered by the view's summary and by the plan: ${covered} and ${summarised}`);
  return found;
}

type FateCounts = readonly (readonly [Fate, number])[];

function countByStrip({ buckets }: Strip): FateCounts {
  const counts = new Map<Fate, number>();
  for (const { fate, messages } of buckets.flatMap(({ fates }) => fates))
    counts.set(fate, (counts.get(fate) ?? 0) + messages);
  return sorted(counts);
}

function countByPlan({ runs }: Plan, seqs: readonly number[]): FateCounts {
  const counts = new Map<Fate, number>();
  for (const seq of seqs) {
    const fate = runAt(runs, seq)?.fate ?? "verbatim";
    counts.set(fate, (counts.get(fate) ?? 0) + 1);
  }
  return sorted(counts);
}

function runAt(runs: readonly PlanRun[], seq: number): PlanRun | undefined {
  return runs.find(({ firstSeq, lastSeq }) => firstSeq <= seq && seq <= lastSeq);
}

function sorted(counts: ReadonlyMap<Fate, number>): FateCounts {
  return [...counts].toSorted(([left], [right]) => (left < right ? -1 : 1));
}

function sum(tokens: readonly number[]): number {
  return tokens.reduce((total, each) => total + each, 0);
}
