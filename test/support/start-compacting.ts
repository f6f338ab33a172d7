/** Opens a conversation in which the next answer triggers a compaction, with a scripted summarizer. */

import { SMALL_MODELS } from "../presets/play-preset.ts";
import { followEvents } from "./follow-events.ts";
import { type OpenOptions, type PageStage, say, writeTalk } from "./page-stage.ts";
import { type ProviderScript, startScriptedProvider } from "./scripted-provider.ts";
import { type ScriptedReply, scriptedReplies } from "./scripted-provider-reply.ts";

export const FILLER = "the ledger keeps one row for every invoice and closes at night. ";
const NO_USAGE = { inputTokens: 0, outputTokens: 0, cacheReadTokens: 0, cacheWriteTokens: 0 };

/** Small enough that the answer after eight messages triggers a compaction. */
export const SMALL_POLICY = {
  preset: "workspace",
  compaction_trigger_tokens: 600,
  verbatim_window_tokens: 200,
  summary_budget_tokens: 120,
  min_verbatim_exchanges: 1,
} as const;

const NO_BOUNDARY = { boundary_index: null, boundary_reason: "one topic", confidence: 0.9, summary: "" };

export interface CompactingOptions extends OpenOptions {
  readonly policy?: object | undefined;
  readonly summary: () => ScriptedReply;
  readonly boundary?: object | undefined;
  /** How many messages the conversation starts with. */
  readonly before?: number | undefined;
  /** Reply of the provider to a message. */
  readonly answer?: (() => ScriptedReply) | undefined;
}

/** A long conversation with a new topic; the next answer triggers a compaction. */
export const ANOTHER_TOPIC = {
  policy: { ...SMALL_POLICY, compaction_trigger_tokens: 1_800 },
  boundary: { boundary_index: 20, boundary_reason: "now it is about boats", confidence: 0.9, summary: FILLER },
  before: 24,
  summary: () => scriptedReplies.text(FILLER),
} satisfies CompactingOptions;

export async function startCompactingChat(stage: Pick<PageStage, "serve" | "openTalk">, options: CompactingOptions) {
  const { policy = SMALL_POLICY, summary, boundary = NO_BOUNDARY, before = 8, answer = answerLong, ...open } = options;
  const stack = new AsyncDisposableStack();
  const script: ProviderScript = ({ body }) =>
    JSON.stringify(body).includes("boundary_index") ? scriptedReplies.json(boundary as never) : summary();
  const small = stack.use(await startScriptedProvider(script));
  const engine = {
    policy: policy as typeof SMALL_POLICY,
    windowTokens: 200_000,
    summarizer: SMALL_MODELS.openai(small.url),
  };
  const chat = stack.use(await stage.serve({ engine, script: answer }));
  await chat.server.ask("POST", "/api/sessions", { id: "talk", title: "A talk" });
  const messages = writeTalk(before, (number) => `Part ${number}: ${FILLER.repeat(5)}`);
  await chat.server.ask("POST", "/api/sessions/talk/messages", { messages });
  const followed = stack.use(await followEvents(chat.server.url));
  const opened = stack.use(await stage.openTalk(chat, { ...open, awaitsEvents: true }));
  await opened.page.locator(".message", { hasText: `Part ${before}:` }).waitFor();
  await say(opened.page, "And then?");
  return { ...opened, chat, followed, [Symbol.asyncDispose]: () => stack.disposeAsync() };
}

const answerLong = (): ScriptedReply => ({ type: "text", text: `Answer: ${FILLER.repeat(4)}`, usage: NO_USAGE });
