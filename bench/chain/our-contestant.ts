/**
 * Palimpsest through its public API, as an agent loop uses it: append messages, request a prompt before every model
 * call. Once with the default policy and a budget as large as the peers' trigger, once with a policy of the peers'
 * sizes. Summaries by a model are requested over the same socket as the peers'.
 */
import { createOpenAI } from "@ai-sdk/openai";
import { type OpenOptions, openPalimpsest } from "../../src/index.ts";
import { ourVersion } from "../turn-cost/our-version.ts";
import type { ChainContestant, ChainOptions, ChainSession, ChainTurn } from "./contestant.ts";
import { textsIn } from "./texts-in.ts";

export const ourContestants: readonly ChainContestant[] = [
  {
    name: "Palimpsest",
    version: ourVersion(),
    note: "session.append and session.prompt before every call; default policy, budgetTokens = the others' trigger",
    start: (options) => startSession(options, { budgetTokens: options.triggerTokens }),
  },
  {
    name: "Palimpsest, the others' sizes",
    version: ourVersion(),
    note: "the same with a policy of the others' sizes: it folds above their trigger and keeps as many tokens; no pruning, no gate",
    start: (options) =>
      startSession(options, {
        budgetTokens: Math.ceil(options.triggerTokens * ROOM_ABOVE_TRIGGER),
        policy: {
          triggers: [{ type: "tokens", maxTokens: options.triggerTokens }],
          tail: { tokens: options.keepTokens },
          span: "before-tail",
          pruneFirst: false,
          gate: false,
        },
      }),
  },
];

const ROOM_ABOVE_TRIGGER = 1.25;
/** The catalogue has this model, so the summarizer gets its window; only the script answers. */
const SUMMARIZER_MODEL = "gpt-4.1-mini";
const TURN_MS = 20_000;

async function startSession(
  { modelUrl }: ChainOptions,
  settings: Pick<OpenOptions, "budgetTokens" | "policy">,
): Promise<ChainSession> {
  let now = Date.UTC(2026, 0, 1);
  const palimpsest = await openPalimpsest({
    ...settings,
    clock: { now: () => now },
    summarizer: modelUrl === undefined ? "offline" : scriptedModel(modelUrl),
  });
  const session = await palimpsest.session();
  const prompts: string[] = [];
  let evicted: readonly string[] = [];
  let folds = 0;
  palimpsest.on("compaction", ({ record }) => {
    if (record === undefined) return;
    folds += 1;
    const lost = new Set(record.verification?.evicted ?? []);
    evicted = (record.facets.sheet?.facts ?? []).filter(({ id }) => lost.has(id)).map(({ text }) => text);
  });
  const ask = async () => {
    const prompt = await session.prompt({ provider: "openai" });
    while (prompts.length < folds) prompts.push(textsIn(prompt.as("openai")).join("\n"));
  };
  return {
    async turn(turn) {
      now += TURN_MS;
      for (const message of messagesOf(turn, `call-${now}`)) {
        await session.append([message]);
        if (message.role !== "assistant") await ask();
      }
      await session.settle();
    },
    promptsAfterCompaction: () => prompts,
    async promptFor(question) {
      const next = { role: "user", content: question };
      const prompt = await session.prompt({ provider: "openai", next, preview: true });
      return textsIn(prompt.as("openai")).join("\n");
    },
    evictions: () => evicted,
  };
}

function scriptedModel(modelUrl: string) {
  return createOpenAI({ baseURL: modelUrl, apiKey: "none" }).chat(SUMMARIZER_MODEL);
}

interface WireMessage {
  readonly role: "user" | "assistant" | "tool";
  readonly content: string;
  readonly tool_call_id?: string;
  readonly tool_calls?: readonly unknown[];
}

function messagesOf({ request, steps, answer }: ChainTurn, callPrefix: string): readonly WireMessage[] {
  const work = steps.flatMap(({ remark, tool, input, output }, step): readonly WireMessage[] => {
    const id = `${callPrefix}-${step}`;
    const call = { id, type: "function", function: { name: tool, arguments: JSON.stringify(input) } };
    return [
      { role: "assistant", content: remark, tool_calls: [call] },
      { role: "tool", tool_call_id: id, content: output },
    ];
  });
  return [{ role: "user", content: request }, ...work, { role: "assistant", content: answer }];
}
