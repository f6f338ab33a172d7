/**
 * The cost of one turn when the conversation gets long: append a message and build the prompt, at 1,000 to 100,000
 * messages of sixty tokens, for Palimpsest and common alternatives. Contestants run one after the other, each in its
 * own process. It measures only time, not the value of the prompts.
 *
 * `--no-peers` runs only Palimpsest, `--no-ours` only the peers.
 */
import { fileURLToPath } from "node:url";
import type { BenchRequest } from "./bench.ts";
import { installPeers, sayAs } from "./shared/surroundings.ts";
import { messageTokens, writeConversation } from "./turn-cost/conversation.ts";
import { turnsFromSize } from "./turn-cost/figures.ts";
import { judgeTurnCost, type TurnCostResult } from "./turn-cost/judge-turn-cost.ts";
import { type ContestantResult, runContestant, type SizeRow } from "./turn-cost/run-contestant.ts";

const say = sayAs("turn-cost");
const sizes = [1_000, 2_000, 10_000, 100_000];
const budgets = [32_000, 200_000];
const peerLimitMs = 60_000;
/** Time for one size. Palimpsest is given every message, and one that needs longer misses its target anyway. */
const ourLimitMs = 600_000;

const ours = ["turn-cost/palimpsest-session.ts", "turn-cost/palimpsest-fit.ts"];
const peers = [
  "peers/langchain-trim-exact.mjs",
  "peers/langchain-trim-exact-destructive.mjs",
  "peers/langchain-trim-approximate.mjs",
  "peers/ai-sdk-prune-messages.mjs",
  "peers/mastra-token-limiter.mjs",
  "peers/strands-sliding-window.mjs",
];

export async function run({ args }: BenchRequest): Promise<TurnCostResult> {
  const asked = { ours: !args.includes("--no-ours"), peers: !args.includes("--no-peers") };
  if (asked.peers) installPeers(say);
  const contestants = [
    ...(asked.ours ? ours.map((module) => ({ module, limitMs: ourLimitMs })) : []),
    ...(asked.peers ? peers.map((module) => ({ module, limitMs: peerLimitMs })) : []),
  ];
  say("writing the conversation");
  const conversationFile = fileURLToPath(new URL("../.bench/turn-cost/conversation.jsonl", import.meta.url));
  await writeConversation(conversationFile, Math.max(...sizes) + turnsFromSize);
  const results: ContestantResult[] = [];
  for (const budgetTokens of budgets) {
    for (const { module, limitMs } of contestants) {
      const moduleUrl = new URL(module, import.meta.url).href;
      const task = { moduleUrl, conversationFile, budgetTokens, messageTokens, sizes };
      const onSize = (name: string, row: SizeRow) => say(`${name}, ${budgetTokens} tokens: ${sizeText(row)}`);
      results.push(await runContestant(task, { limitMs, onSize }));
    }
  }
  return judgeTurnCost(results, asked);
}

function sizeText({ messages, figures, stopped }: SizeRow): string {
  const time = figures && `p50 ${figures.p50Ms.toFixed(3)} ms, p99 ${figures.p99Ms.toFixed(3)} ms`;
  return [`at ${messages}`, time, stopped].filter((text) => text !== undefined).join(", ");
}
