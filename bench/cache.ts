/**
 * Measures how much of every prompt a provider reads from its cache, and what the input costs. Generated conversations
 * (a chat, an agent's loop, an agent that edits files, work on a repository) and two recorded ones are replayed with
 * the cache rules of three providers, in tiers, flat, and in fixed orders. It also measures the assembly of a prompt of
 * 200,000 tokens.
 *
 * `--quick` replays a quarter of each, `--only orders` or `--only assembly` runs one part, `--conversation <name>` and
 * `--model <id>` one of each, `--seed <number>` other conversations, and `--moves` lists what moved in requests that
 * read little.
 */
import { loadCounter } from "../src/counters/load-counter.ts";
import type { BenchRequest, BenchResult } from "./bench.ts";
import { writeAgentLoop, writeAgentWithFiles } from "./cache/agent-loop.ts";
import { measureAssembly } from "./cache/assembly.ts";
import { writeChat } from "./cache/chat.ts";
import type { Conversation } from "./cache/conversation.ts";
import { FIXED_ORDERS } from "./cache/fixed-orders.ts";
import { type CacheCell, judgeCache, noteOf, rowOf, TIERED } from "./cache/judge-cache.ts";
import { LANE_MODELS, type ModelLane, openLanes } from "./cache/lanes.ts";
import { playFixedOrders } from "./cache/play-fixed.ts";
import { type OurRequest, playOurs } from "./cache/play-ours.ts";
import { type CacheOptions, readOptions } from "./cache/read-options.ts";
import { readRecorded } from "./cache/recorded.ts";
import { WireReader } from "./cache/sent-block.ts";
import { writeWorkspaceEdits } from "./cache/workspace-edits.ts";

const WRITERS = [writeChat, writeAgentLoop, writeAgentWithFiles, writeWorkspaceEdits];

export async function run({ args }: BenchRequest): Promise<BenchResult> {
  const options = readOptions(args);
  const cells = options.only === "assembly" ? [] : await replayAll(options);
  const assembly = options.only === "orders" ? undefined : await measureAssembly(options);
  const musts = [...judgeCache(cells), ...(assembly?.musts ?? [])];
  return {
    name: "cache",
    title:
      "Share of prompt tokens read from the provider's cache and dollars of input, by conversation, model and order",
    rows: [...cells.map(rowOf), ...(assembly?.rows ?? [])],
    notes: [...musts.map(noteOf), ...(options.isQuick ? [QUICK_NOTE] : []), ...NOTES],
    details: { musts },
  };
}

async function replayAll(options: CacheOptions): Promise<readonly CacheCell[]> {
  const lanes = await openLanes(options.model === undefined ? LANE_MODELS : [options.model]);
  const reader = new WireReader(await loadCounter("o200k"));
  const conversations = [...WRITERS.map((write) => write(options)), ...readRecorded(options)].filter(
    ({ name }) => options.conversation === undefined || name === options.conversation,
  );
  const cells: CacheCell[] = [];
  for (const conversation of conversations) {
    for (const lane of lanes) cells.push(...(await replay(conversation, { lane, reader, options })));
  }
  return cells;
}

interface ReplayOptions {
  readonly lane: ModelLane;
  readonly reader: WireReader;
  readonly options: CacheOptions;
}

async function replay(
  conversation: Conversation,
  { lane, reader, options }: ReplayOptions,
): Promise<readonly CacheCell[]> {
  const startedMs = performance.now();
  const track = { conversation: conversation.name, model: lane.model };
  const onRequest = options.tellsMoves ? printMoves : undefined;
  const tiered = await playOurs(conversation, { lane, reader, onRequest });
  const flat = await playOurs(conversation, { lane, reader, policy: { cacheTiers: "off" } });
  const fixed = await playFixedOrders(conversation, FIXED_ORDERS, { lane, reader });
  process.stderr.write(
    `cache: ${track.conversation}, ${lane.model}, ${Math.round(performance.now() - startedMs)} ms\n`,
  );
  return [
    { ...track, order: TIERED, isFixed: false, totals: tiered },
    { ...track, order: "flat", isFixed: true, totals: flat },
    ...[...fixed].map(([order, totals]) => ({ ...track, order, isFixed: true, totals })),
  ];
}

function printMoves({ step, promptTokens, readTokens, changes }: OurRequest): void {
  const described = changes.map(({ section, reason }) => `${section} (${reason})`).join(", ");
  process.stderr.write(
    `cache: request ${step} read ${readTokens} of ${promptTokens}${described === "" ? "" : `: ${described}`}\n`,
  );
}

const QUICK_NOTE =
  "The checks apply to whole conversations: in a quarter of one, the beginning, which cannot be read from a cache, weighs more.";

const NOTES = [
  "Tokens are o200k for all models. read is a share of all prompt tokens; readBetween is the share in requests that are neither the first nor changed by a compaction; readOfSentBefore relates the same tokens to the previous request's.",
  "usd is input only, by the prices in the catalogue: read, written and plain tokens. Replies cost the same in every order.",
  "The check of orders allows a share that is lower by .0005, for the tokens of headings.",
  "Every order shows the same texts and folds by the same policy. A provider may forget earlier than it documents; one session is one prompt_cache_key.",
];
