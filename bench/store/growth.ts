/**
 * The bytes that a turn adds and the cost of opening as a conversation grows, for Palimpsest and for common
 * alternatives. Contestants run one after the other, each in its own process. Our two files at the largest size are
 * kept for the part that opens them.
 */
import { join } from "node:path";
import type { PostgresServer } from "../../test/support/start-postgres.ts";
import type { BenchValue } from "../bench.ts";
import type { Medium } from "./contestant.ts";
import type { GrownSize, Growth, SizeFigures } from "./growth-reports.ts";
import { isOnDisk } from "./growth-reports.ts";
import { mustBe, roundFigure, type StorePart, type StoreRequest, type StoreRow } from "./part.ts";
import { runGrowth } from "./run-growth.ts";

const SIZES = [100, 1_000, 10_000, 100_000];
const OUR_LIMIT_MS = 1_200_000;
const PEER_LIMIT_MS = 90_000;
const MAX_GROWTH = 1.2;

/** The budgets whose views have required limits. */
export const VIEW_BUDGETS = [32_000, 200_000] as const;

interface Candidate {
  readonly module: string;
  readonly medium: Medium;
  readonly budgetTokens: number;
  readonly isPeer?: boolean | undefined;
}

const CANDIDATES: readonly Candidate[] = [
  ...VIEW_BUDGETS.map((budgetTokens) => ({
    module: "palimpsest-sqlite.ts",
    medium: "sqlite" as const,
    budgetTokens,
  })),
  { module: "palimpsest-postgres.ts", medium: "postgres", budgetTokens: VIEW_BUDGETS[0] },
  { module: "../peers/store-langgraph-sqlite.mjs", medium: "sqlite", budgetTokens: 0, isPeer: true },
  { module: "../peers/store-langgraph-postgres.mjs", medium: "postgres", budgetTokens: 0, isPeer: true },
  { module: "../peers/store-openai-memory.mjs", medium: "memory", budgetTokens: 0, isPeer: true },
];

export function largestSize({ isQuick }: StoreRequest): number {
  return sizesFor(isQuick).at(-1) ?? 0;
}

/** Path of our conversation of the largest size. */
export function grownFile({ folder }: StoreRequest, budgetTokens: number): string {
  return join(folder, `grown-${budgetTokens}.db`);
}

export async function measureGrowth(request: StoreRequest, server: PostgresServer | undefined): Promise<StorePart> {
  const growths: Growth[] = [];
  for (const candidate of CANDIDATES) {
    if (candidate.isPeer === true ? !request.hasPeers : !request.hasOurs) continue;
    if (candidate.medium === "postgres" && server === undefined) continue;
    growths.push(await grow(candidate, { request, server }));
  }
  return {
    rows: growths.flatMap((growth) => growth.sizes.map((size) => rowOf(growth, size))),
    musts: growths.filter(isJudged).map(flatness),
    figures: Object.fromEntries(growths.filter(({ medium }) => isOnDisk(medium)).flatMap(growthFigure)),
    notes: [
      "growth: a turn is a question and its answer, 60 tokens each; bytesPerTurn is the mean of the turns since the previous size; for preloaded contestants, of the turns at the size (at most 20)",
      "growth: p50 and p99 of turns are over the last 300 of them; openMs is the median of 15 openings by a fresh handle in the same process, of fewer if they take over 10 s",
      ...growths.map(({ name, version, note, feeding }) => `${name} (${version}; ${feeding}): ${note}`),
    ],
  };
}

async function grow(
  { module, medium, budgetTokens, isPeer }: Candidate,
  { request, server }: { readonly request: StoreRequest; readonly server: PostgresServer | undefined },
): Promise<Growth> {
  const file = isPeer === true ? join(request.folder, "peer.db") : grownFile(request, budgetTokens);
  const place = medium === "postgres" && server !== undefined ? await server.newDatabase() : file;
  const growth = await runGrowth(
    {
      moduleUrl: new URL(module, import.meta.url).href,
      place,
      budgetTokens,
      conversationFile: request.conversationFile,
      sizes: sizesFor(request.isQuick),
    },
    {
      limitMs: isPeer === true ? PEER_LIMIT_MS : OUR_LIMIT_MS,
      onSize: (name, size) => request.say(`${named({ name, budgetTokens })}: ${sizeText(size)}`),
    },
  );
  return { ...growth, name: named(growth) };
}

function named({ name, budgetTokens }: Pick<Growth, "name" | "budgetTokens">): string {
  return budgetTokens === 0 ? name : `${name}, ${budgetTokens / 1_000}k view`;
}

function sizesFor(isQuick: boolean): readonly number[] {
  return isQuick ? SIZES.slice(0, -1) : SIZES;
}

/** In the larger view nothing is folded at 1,000 messages; later summaries look like growth, so it is only reported. */
function isJudged({ budgetTokens }: Growth): boolean {
  return budgetTokens === VIEW_BUDGETS[0];
}

function rowOf({ name }: Growth, { messages, figures, missingReason }: GrownSize): StoreRow {
  return {
    part: "growth",
    case: name,
    messages,
    p50Ms: roundFigure(figures?.turn.p50Ms),
    p99Ms: roundFigure(figures?.turn.p99Ms),
    openMs: roundFigure(figures?.open.p50Ms),
    bytesPerTurn: figures?.bytesPerTurn === undefined ? null : Math.round(figures.bytesPerTurn),
    remark: missingReason ?? (figures === undefined ? null : `opened ${figures.openedMessages} messages`),
  };
}

function flatness(growth: Growth) {
  return mustBe({
    text: `${growth.name}: bytes a turn at the largest size over those at 1,000`,
    value: growthOf(growth),
    unit: "x",
    atMost: MAX_GROWTH,
  });
}

function growthFigure(growth: Growth): readonly (readonly [string, BenchValue])[] {
  const times = growthOf(growth);
  const [last] = growth.sizes.filter(({ figures }) => figures !== undefined).slice(-1);
  if (times === undefined || last === undefined) return [];
  return [[`${growth.name}: bytes a turn at ${last.messages} over those at 1,000`, roundFigure(times)]];
}

/** Returns the bytes of a turn at the largest measured size over those at 1,000 messages. */
function growthOf({ sizes }: Growth): number | undefined {
  const bytesAt = ({ figures }: { readonly figures?: SizeFigures | undefined }) => figures?.bytesPerTurn;
  const last = sizes.filter((size) => bytesAt(size) !== undefined).at(-1);
  const base = sizes.find(({ messages }) => messages === 1_000);
  if (last === undefined || base === undefined || last.messages <= base.messages) return undefined;
  const [over, under] = [bytesAt(last), bytesAt(base)];
  return over === undefined || under === undefined ? undefined : over / under;
}

function sizeText({ messages, figures, missingReason }: GrownSize): string {
  if (figures === undefined) return `at ${messages}, ${missingReason}`;
  const { turn, open, bytesPerTurn } = figures;
  const bytes = bytesPerTurn === undefined ? "nothing on disk" : `${Math.round(bytesPerTurn)} bytes a turn`;
  return `at ${messages}, turn ${turn.p50Ms.toFixed(2)} ms, open ${open.p50Ms.toFixed(2)} ms, ${bytes}`;
}
