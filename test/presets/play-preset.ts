/**
 * Plays a preset end to end: a real engine on a memory store, summaries by the AI SDK's own provider over a real
 * socket, and all events of the engine. A test sets the requests, the small model's answers, and the expectations.
 */
import { createAnthropic } from "@ai-sdk/anthropic";
import { createGoogleGenerativeAI } from "@ai-sdk/google";
import { createOpenAI } from "@ai-sdk/openai";
import type { LanguageModel } from "ai";
import { type OpenOptions, openPalimpsest } from "../../src/compose.ts";
import type { Entry } from "../../src/core/log/entry.ts";
import { isJsonObject, type JsonObject, type JsonValue } from "../../src/core/message/json.ts";
import type { EngineEvents, EventName } from "../../src/engine/context/events.ts";
import type { Palimpsest } from "../../src/engine/palimpsest.ts";
import type { Prompt } from "../../src/engine/prompt/prompt.ts";
import type { Session } from "../../src/engine/session/session.ts";
import type { PromptOptions } from "../../src/engine/session/session-options.ts";
import type { PolicyInput } from "../../src/policies/policy-input.ts";
import type { Store } from "../../src/ports/store.ts";
import { createMemoryStore } from "../../src/stores/memory/memory-store.ts";
import { type ScriptedClock, scriptedClock } from "../../src/testing/scripted-clock.ts";
import { type ProviderScript, type ScriptedProvider, startScriptedProvider } from "../support/scripted-provider.ts";
import { scriptedReplies } from "../support/scripted-provider-reply.ts";

const apiKey = "test-key";

export const SMALL_MODELS = {
  openai: (url: string) => createOpenAI({ baseURL: `${url}/v1`, apiKey }).chat("gpt-4.1-mini"),
  anthropic: (url: string) => createAnthropic({ baseURL: `${url}/v1`, apiKey })("claude-haiku-4-5"),
  google: (url: string) => createGoogleGenerativeAI({ baseURL: `${url}/v1beta`, apiKey })("gemini-2.5-flash"),
} satisfies Readonly<Record<string, (url: string) => LanguageModel>>;

export interface PlayOptions extends Omit<OpenOptions, "store" | "summarizer" | "clock" | "policy"> {
  readonly policy: PolicyInput;
  /** Answers of the small model. By default `Recap a.`, `Recap b.`, … */
  readonly script?: ProviderScript | undefined;
  readonly vendor?: keyof typeof SMALL_MODELS | undefined;
  /** A model other than the vendor's small one. */
  readonly summarizer?: ((url: string) => OpenOptions["summarizer"]) | undefined;
  readonly sessionId?: string | undefined;
}

export interface Play extends AsyncDisposable {
  readonly palimpsest: Palimpsest;
  readonly session: Session;
  readonly store: Store;
  readonly provider: ScriptedProvider;
  readonly clock: ScriptedClock;
  /** Every event so far by that name, in order. */
  readonly eventsOf: <Name extends EventName>(name: Name) => readonly EngineEvents[Name][];
  /** A second host on the same store, like another process. */
  readonly openAgain: () => Promise<Palimpsest>;
  readonly entries: () => Promise<readonly Entry[]>;
}

const LISTENED: readonly EventName[] = [
  "append",
  "prompt",
  "compaction-start",
  "summary",
  "summary.trimmed",
  "compaction",
  "compaction-end",
  "warning",
];

/** Large enough that only the preset's own trigger fires. */
const WINDOW_TOKENS = 200_000;

export async function playPreset({ script, vendor = "openai", sessionId, ...options }: PlayOptions): Promise<Play> {
  const provider = await startScriptedProvider(script ?? ((_, index) => scriptedReplies.text(writeRecap(index))));
  const store = createMemoryStore();
  const clock = scriptedClock({ startMs: 1_750_000_000_000 });
  const events: { readonly name: EventName; readonly event: unknown }[] = [];
  const summarizer = options.summarizer?.(provider.url) ?? SMALL_MODELS[vendor](provider.url);
  const open = async () => {
    const palimpsest = await openPalimpsest({ windowTokens: WINDOW_TOKENS, ...options, store, clock, summarizer });
    for (const name of LISTENED) palimpsest.on(name, (event) => events.push({ name, event }));
    return palimpsest;
  };
  const palimpsest = await open();
  const session = await palimpsest.session(sessionId);
  return {
    palimpsest,
    session,
    store,
    provider,
    clock,
    // The name determines the type of the events.
    eventsOf: <Name extends EventName>(name: Name) =>
      events.filter((eventsOf) => eventsOf.name === name).map(({ event }) => event as EngineEvents[Name]),
    openAgain: open,
    entries: () => store.tenant("local").readEntries(session.id, {}),
    [Symbol.asyncDispose]: () => provider.close(),
  };
}

/** Returns `Recap a.`, `Recap b.`, …: a number without a source would be removed from a summary. */
export function writeRecap(index: number): string {
  return `Recap ${String.fromCharCode("a".charCodeAt(0) + index)}.`;
}

export interface Generation extends Omit<PromptOptions, "next" | "preview"> {
  readonly question: string;
  readonly answer: string;
}

/** Plays one generation: the prompt with the user's message, the reply, and the background work after it. */
export async function playGeneration(session: Session, { question, answer, ...request }: Generation): Promise<Prompt> {
  const prompt = await session.prompt({ ...request, next: { role: "user", content: question } });
  await session.append({ role: "assistant", content: answer }, { promptId: prompt.id });
  await session.settle();
  return prompt;
}

/** Previews the prompt that a model would get now. */
export function previewPrompt(session: Session, request: Omit<PromptOptions, "preview"> = {}): Promise<Prompt> {
  return session.prompt({ ...request, preview: true });
}

/** Returns the messages of a prompt as `role: text`, in order. */
export function linesOf({ messages }: Pick<Prompt, "messages">): readonly string[] {
  return messages.map(({ role, content }) => `${role}: ${wordsOf(content as JsonValue)}`);
}

/** Returns every text in a value, decoded, one on each line. */
export function wordsOf(value: JsonValue | undefined): string {
  if (typeof value === "string") return value;
  if (Array.isArray(value)) return value.map(wordsOf).join("\n");
  if (!isJsonObject(value)) return "";
  return typeof value.text === "string" ? value.text : Object.values(value).map(wordsOf).join("\n");
}

/** Returns the requests to the small model, each as one text. */
export function askedOf({ requests }: ScriptedProvider): readonly string[] {
  return requests.map(({ body }) => wordsOf(body));
}

/** Returns the body of the newest request. */
export function lastBody({ requests }: ScriptedProvider): JsonObject {
  return requests.at(-1)?.body ?? {};
}
