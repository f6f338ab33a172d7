/**
 * One request of a provider, streamed on as it comes: what the model says and what the host's tools answer. It never
 * throws: how it ended is its outcome. A provider that falls silent is given up; a tool may take its time.
 */
import type { FinishReason, LanguageModel, LanguageModelUsage, TextStreamPart, ToolSet, UIMessageChunk } from "ai";
import { sayWithoutSecrets } from "../../core/summary/secrets/redact-secrets.ts";
import type { Prompt } from "../../engine/prompt/prompt.ts";
import { loadAiSdk } from "../prompts/load-ai-sdk.ts";
import type { ChatStream } from "./chat-stream.ts";
import { OpenParts } from "./open-parts.ts";
import { SilenceWatch } from "./silence-watch.ts";

export interface Asking {
  readonly model: LanguageModel;
  readonly prompt: Prompt;
  readonly tools: ToolSet | undefined;
  readonly stream: ChatStream;
  /** Aborted when somebody stops the turn. */
  readonly signal: AbortSignal;
  readonly silenceMs: number;
  /** The stream may have no more characters than this. */
  readonly mostCharacters: number;
  /** Whether the round's beginning was streamed by a try before this one. */
  readonly isBegun: boolean;
}

export type Asked = { readonly open: OpenParts; readonly isBegun: boolean } & (
  | { readonly type: "ended"; readonly finishReason: FinishReason; readonly usage: LanguageModelUsage | undefined }
  | { readonly type: "failed"; readonly error: unknown; readonly why: "provider" | "silence" | "too-long" }
  | { readonly type: "stopped" }
);

type End = { readonly finishReason: FinishReason; readonly usage: LanguageModelUsage };

export async function askModel(asking: Asking): Promise<Asked> {
  const watch = new SilenceWatch(asking.silenceMs);
  const heard: Heard = { open: new OpenParts(), ends: [], failures: [], isBegun: asking.isBegun, isTooLong: false };
  try {
    await passOn(asking, { heard, watch });
  } catch (error) {
    heard.failures.push(error);
  } finally {
    watch.stop();
  }
  return outcomeOf(asking, { heard, watch });
}

/** What came so far. */
interface Heard {
  readonly open: OpenParts;
  readonly ends: End[];
  readonly failures: unknown[];
  isBegun: boolean;
  isTooLong: boolean;
}

interface Listening {
  readonly heard: Heard;
  readonly watch: SilenceWatch;
}

async function passOn(asking: Asking, { heard, watch }: Listening): Promise<void> {
  const { stream, tools, mostCharacters } = asking;
  const { open, failures } = heard;
  const runs = (name: string) => tools?.[name]?.execute !== undefined;
  const leaving = new AbortController();
  const signal = AbortSignal.any([asking.signal, watch.signal, leaving.signal]);
  const chunks = (await startStream(asking, { signal, onPart: (part) => hear(heard, part) })).getReader();
  // Ends a reading that waits at once: not everybody who is told to stop does, and what still comes is nobody's.
  const leave = () => void chunks.cancel().catch(() => undefined);
  signal.addEventListener("abort", leave);
  if (signal.aborted) leave();
  for (let next = await chunks.read(); !next.done && failures.length === 0; next = await chunks.read()) {
    if (isPassedOn(next.value, heard.isBegun)) {
      heard.isBegun ||= next.value.type === "start-step";
      open.see(next.value);
      stream.write(next.value);
    }
    heard.isTooLong = stream.characters > mostCharacters;
    if (heard.isTooLong) break;
    watch.hear({ isPaused: open.isCalling(runs) });
  }
  leaving.abort();
}

function hear({ ends, failures }: Heard, part: TextStreamPart<ToolSet>): void {
  if (part.type === "finish-step") ends.push(part);
  if (part.type === "error") failures.push(part.error);
}

function outcomeOf({ signal, mostCharacters }: Asking, { heard, watch }: Listening): Asked {
  const { open, ends, failures, isBegun, isTooLong } = heard;
  const shared = { open, isBegun };
  if (signal.aborted) return { type: "stopped", ...shared };
  if (watch.signal.aborted) return { type: "failed", why: "silence", error: watch.signal.reason, ...shared };
  if (isTooLong) {
    const error = new Error(`The reply is longer than ${mostCharacters} characters.`);
    return { type: "failed", why: "too-long", error, ...shared };
  }
  const [end] = ends;
  if (failures.length === 0 && end !== undefined && isAnswer(end, open)) {
    return { type: "ended", finishReason: end.finishReason, usage: end.usage, ...shared };
  }
  const error = failures[0] ?? new Error("The provider ended its answer before it was complete: stream ended.");
  return { type: "failed", why: "provider", error, ...shared };
}

interface Hearing {
  readonly signal: AbortSignal;
  readonly onPart: (part: TextStreamPart<ToolSet>) => void;
}

async function startStream(
  { model, prompt, tools }: Asking,
  { signal, onPart }: Hearing,
): Promise<ReadableStream<UIMessageChunk>> {
  const { streamText, isStepCount, toUIMessageStream } = await loadAiSdk();
  const { stream } = streamText({
    model,
    ...prompt.forStreamText(),
    ...(tools === undefined ? {} : { tools }),
    // Between two rounds the log is written and the prompt is made anew.
    stopWhen: isStepCount(1),
    maxRetries: 0,
    abortSignal: signal,
    // Errors are read from the stream; without a listener the SDK prints them.
    onError: () => undefined,
    // A provider may fetch what a conversation names; this process does not.
    experimental_download: async (downloads) => downloads.map(() => null),
  });
  return toUIMessageStream({
    stream: stream as ReadableStream<TextStreamPart<ToolSet>>,
    sendStart: false,
    sendFinish: false,
    sendSources: true,
    // Of a tool's failure the model reads this.
    onError: (error) => sayWithoutSecrets(error instanceof Error ? error.message : String(error)),
    messageMetadata: ({ part }) => onPart(part),
  });
}

const ENDS: ReadonlySet<string> = new Set(["error", "abort", "finish-step", "message-metadata"]);

/** What one provider tells of its own answer as a part of it. It says nothing to anybody and would be kept for ever. */
const NOISE = "anthropic.message_start";

/** How it ends is told by whoever knows whether there is another try, and a round begins once however often it is tried. */
function isPassedOn(chunk: UIMessageChunk, isBegun: boolean): boolean {
  const { type } = chunk;
  if (ENDS.has(type)) return false;
  if (type === "custom" && chunk.kind === NOISE) return false;
  return type !== "start-step" || !isBegun;
}

/** A stream that is cut at a chunk's end, or a body that is no stream, ends without an error. */
function isAnswer({ finishReason }: End, open: OpenParts): boolean {
  if (finishReason === "interrupted" || finishReason === "error") return false;
  return open.hasOutput || finishReason !== "other";
}
