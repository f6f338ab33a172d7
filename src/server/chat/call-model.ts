/**
 * One call of a provider, streamed as it arrives: the model's output and the results of the host's tools. Never throws;
 * the outcome describes the end of the call. A call to a silent provider is aborted, but a tool may run longer.
 */
import type { FinishReason, LanguageModelUsage, TextStreamPart, ToolSet, UIMessageChunk } from "ai";
import { redactForDisplay } from "../../core/summary/secrets/redact-secrets.ts";
import type { Prompt } from "../../engine/prompt/prompt.ts";
import { loadChatSdk } from "../prompts/load-chat-sdk.ts";
import { startOfflineStream } from "./offline-stream.ts";
import { OpenParts } from "./open-parts.ts";
import type { Turn } from "./turn.ts";

export interface ModelCall extends Pick<Turn, "model" | "isOffline" | "stream" | "signal"> {
  readonly tools: ToolSet | undefined;
  readonly prompt: Prompt;
  readonly silenceMs: number;
  readonly maxCharacters: number;
  /** True if an earlier attempt has streamed the beginning of the round. */
  readonly isBegun: boolean;
}

export type ModelCallOutcome = { readonly open: OpenParts; readonly isBegun: boolean } & (
  | { readonly type: "ended"; readonly finishReason: FinishReason; readonly usage: LanguageModelUsage | undefined }
  | { readonly type: "failed"; readonly error: unknown; readonly why: "provider" | "silence" | "too-long" }
  | { readonly type: "stopped" }
);

type ModelEnd = { readonly finishReason: FinishReason; readonly usage: LanguageModelUsage | undefined };

export async function callModel(call: ModelCall): Promise<ModelCallOutcome> {
  const watch = new SilenceWatch(call.silenceMs);
  const { isBegun } = call;
  const received: PartialAnswer = { open: new OpenParts(), ends: [], failures: [], isBegun, isTooLong: false };
  try {
    await forward(call, received, watch);
  } catch (error) {
    received.failures.push(error);
  } finally {
    watch.stop();
  }
  return createCallOutcome(call, received, watch);
}

interface PartialAnswer {
  readonly open: OpenParts;
  readonly ends: ModelEnd[];
  readonly failures: unknown[];
  isBegun: boolean;
  isTooLong: boolean;
}

async function forward(call: ModelCall, received: PartialAnswer, watch: SilenceWatch): Promise<void> {
  const { stream, tools, maxCharacters } = call;
  const { open, failures } = received;
  const runs = (name: string) => tools?.[name]?.execute !== undefined;
  const leaving = new AbortController();
  const signal = AbortSignal.any([call.signal, watch.signal, leaving.signal]);
  const chunks = (await startStream(call, signal, received)).getReader();
  // Stops a pending read at once: not every provider stops when it is aborted.
  const leave = () => void chunks.cancel().catch(() => undefined);
  signal.addEventListener("abort", leave);
  if (signal.aborted) leave();
  for (let next = await chunks.read(); !next.done && failures.length === 0; next = await chunks.read()) {
    if (isForwarded(next.value, received.isBegun)) {
      received.isBegun ||= next.value.type === "start-step";
      open.add(next.value);
      stream.write(next.value);
    }
    received.isTooLong = stream.characters > maxCharacters;
    if (received.isTooLong) break;
    watch.restart({ isPaused: open.isCalling(runs) });
  }
  leaving.abort();
}

function receive({ ends, failures }: PartialAnswer, part: TextStreamPart<ToolSet>): void {
  if (part.type === "finish-step") ends.push(part);
  if (part.type === "error") failures.push(part.error);
}

function createCallOutcome(
  { signal, maxCharacters }: ModelCall,
  received: PartialAnswer,
  watch: SilenceWatch,
): ModelCallOutcome {
  const { open, ends, failures, isBegun, isTooLong } = received;
  const shared = { open, isBegun };
  if (signal.aborted) return { type: "stopped", ...shared };
  if (watch.signal.aborted) return { type: "failed", why: "silence", error: watch.signal.reason, ...shared };
  if (isTooLong) {
    const error = new Error(`The reply is longer than ${maxCharacters} characters.`);
    return { type: "failed", why: "too-long", error, ...shared };
  }
  const [end] = ends;
  if (failures.length === 0 && end !== undefined && isAnswer(end, open)) {
    return { type: "ended", finishReason: end.finishReason, usage: end.usage, ...shared };
  }
  const error = failures[0] ?? new Error("The provider ended its answer before it was complete: stream ended.");
  return { type: "failed", why: "provider", error, ...shared };
}

async function startStream(
  { model, isOffline, prompt, tools }: ModelCall,
  signal: AbortSignal,
  received: PartialAnswer,
): Promise<ReadableStream<UIMessageChunk>> {
  if (isOffline && typeof model !== "string" && model.specificationVersion === "v4") {
    const onEnd = (finishReason: FinishReason) => received.ends.push({ finishReason, usage: undefined });
    return startOfflineStream({ model, prompt, signal, onEnd });
  }
  const { streamText, isStepCount, toUIMessageStream } = await loadChatSdk();
  const { stream } = streamText({
    model,
    ...prompt.forStreamText(),
    ...(tools === undefined ? {} : { tools }),
    // Between two rounds the log is written and a new prompt is made.
    stopWhen: isStepCount(1),
    maxRetries: 0,
    abortSignal: signal,
    // Errors are read from the stream; without a listener the SDK prints them.
    onError: () => undefined,
    // A provider may fetch the addresses in a conversation; this process does not.
    experimental_download: async (downloads) => downloads.map(() => null),
  });
  return toUIMessageStream({
    stream: stream as ReadableStream<TextStreamPart<ToolSet>>,
    sendStart: false,
    sendFinish: false,
    sendSources: true,
    // The model reads this text if a tool fails.
    onError: (error) => redactForDisplay(error instanceof Error ? error.message : String(error)),
    messageMetadata: ({ part }) => receive(received, part),
  });
}

const ENDS: ReadonlySet<string> = new Set(["error", "abort", "finish-step", "message-metadata"]);

/** A part that one provider sends about its own answer. No client uses it, and it would be stored. */
const NOISE = "anthropic.message_start";

/** Leaves out the end, which depends on whether there is a retry, and a second start of the round. */
function isForwarded(chunk: UIMessageChunk, isBegun: boolean): boolean {
  const { type } = chunk;
  if (ENDS.has(type)) return false;
  if (type === "custom" && chunk.kind === NOISE) return false;
  return type !== "start-step" || !isBegun;
}

/** Returns false for a stream that was cut between two chunks, which ends without an error. */
function isAnswer({ finishReason }: ModelEnd, open: OpenParts): boolean {
  if (finishReason === "interrupted" || finishReason === "error") return false;
  return open.hasOutput || finishReason !== "other";
}

/** Aborts its signal after a silence. One timer serves a whole stream. */
class SilenceWatch {
  readonly #abort = new AbortController();
  readonly #timer: NodeJS.Timeout;
  #isPaused = false;

  constructor(afterMs: number) {
    this.#timer = setTimeout(() => {
      if (this.#isPaused) return;
      this.#abort.abort(new Error(`The provider sent nothing for ${Math.round(afterMs / 1_000)} seconds.`));
    }, afterMs);
  }

  get signal(): AbortSignal {
    return this.#abort.signal;
  }

  /** Restarts the timer. While it is paused, no silence is too long. */
  restart({ isPaused }: { readonly isPaused: boolean }): void {
    this.#isPaused = isPaused;
    this.#timer.refresh();
  }

  stop(): void {
    clearTimeout(this.#timer);
  }
}
