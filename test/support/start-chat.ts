/**
 * A chat end to end: a scripted provider behind a real socket, the server with an AI SDK model for it, and the AI SDK's
 * own transport as client. The client keeps the list that `useChat` would keep.
 */
import { createAnthropic } from "@ai-sdk/anthropic";
import { createGoogleGenerativeAI } from "@ai-sdk/google";
import { createOpenAI } from "@ai-sdk/openai";
import { DefaultChatTransport, type LanguageModel, readUIMessageStream, type UIMessage, type UIMessageChunk } from "ai";
import type { Message } from "../../src/core/message/message.ts";
import type { TurnMetadata } from "../../src/server/chat/turn-metadata.ts";
import type { ChatModel } from "../../src/server/prompts/chat-model.ts";
import type { ServerOptions } from "../../src/server/server-options.ts";
import {
  type ProviderScript,
  type RecordedRequest,
  type ScriptedProvider,
  startScriptedProvider,
} from "./scripted-provider.ts";
import { startTestServer, type TestServer } from "./start-server.ts";

export type WireName = "openai" | "anthropic" | "google";

const apiKey = "test-key";
const MODELS: Readonly<Record<WireName, (url: string) => LanguageModel>> = {
  openai: (url) => createOpenAI({ baseURL: `${url}/v1`, apiKey }).chat("gpt-4.1-mini"),
  anthropic: (url) => createAnthropic({ baseURL: `${url}/v1`, apiKey })("claude-haiku-4-5"),
  google: (url) => createGoogleGenerativeAI({ baseURL: `${url}/v1beta`, apiKey })("gemini-2.5-flash"),
};

export interface StartChatOptions extends Partial<Omit<ServerOptions, "models">> {
  readonly script: ProviderScript;
  readonly wire?: WireName | undefined;
  /** An alternative model by this id. */
  readonly other?: { readonly id: string; readonly wire: WireName } | undefined;
  /** Further models. */
  readonly beside?: readonly ChatModel[] | undefined;
}

export interface StartedChat extends AsyncDisposable {
  readonly provider: ScriptedProvider;
  readonly server: TestServer;
  client(id?: string): ChatClient;
}

export function modelAt(url: string, wire: WireName = "openai"): ChatModel {
  const model = MODELS[wire](url);
  return { id: wire, isOffline: false, forSession: () => model };
}

export async function startChat({
  script,
  wire,
  other,
  beside = [],
  ...options
}: StartChatOptions): Promise<StartedChat> {
  const provider = await startScriptedProvider(script);
  const chat = { pauseMs: 1, ...options.chat };
  const others = other === undefined ? [] : [{ ...modelAt(provider.url, other.wire), id: other.id }];
  const models = [modelAt(provider.url, wire), ...others, ...beside];
  const server = await startTestServer({ ...options, chat, models });
  return {
    provider,
    server,
    client: (id = "chat") => new ChatClient(server.url, id),
    async [Symbol.asyncDispose]() {
      await server[Symbol.asyncDispose]();
      await provider.close();
    },
  };
}

export interface ReadReply {
  readonly chunks: readonly UIMessageChunk[];
  readonly message: UIMessage | undefined;
  /** Metadata of the reply; empty if it has none. */
  readonly metadata: Partial<TurnMetadata>;
  readonly text: string;
  readonly errors: readonly string[];
}

/** A chat client that keeps a list of messages and a transport, like `useChat`. */
export class ChatClient {
  readonly id: string;
  messages: UIMessage[] = [];
  readonly transport: DefaultChatTransport<UIMessage>;

  constructor(url: string, id: string, headers: Record<string, string> = {}) {
    this.id = id;
    this.transport = new DefaultChatTransport({ api: `${url}/api/chat`, headers });
  }

  async say(text: string, options: SayOptions = {}): Promise<ReadReply> {
    return this.take(await this.send(text, options), options);
  }

  send(text: string, { body, signal }: SayOptions = {}): Promise<ReadableStream<UIMessageChunk>> {
    const count = this.messages.length + 1;
    const message: UIMessage = { id: `${this.id}-u${count}`, role: "user", parts: [{ type: "text", text }] };
    this.messages = [...this.messages, message];
    return this.request({ trigger: "submit-message", body, signal });
  }

  /** Removes the last reply, like `useChat`. */
  async regenerate(): Promise<ReadReply> {
    const last = this.messages.at(-1);
    this.messages = last?.role === "assistant" ? this.messages.slice(0, -1) : this.messages;
    return this.take(await this.request({ trigger: "regenerate-message", messageId: last?.id }));
  }

  request({ trigger, messageId, body, signal }: RequestOptions): Promise<ReadableStream<UIMessageChunk>> {
    return this.transport.sendMessages({
      chatId: this.id,
      messages: this.messages,
      abortSignal: signal,
      trigger,
      messageId,
      ...(body === undefined ? {} : { body }),
    });
  }

  resume(): Promise<ReadableStream<UIMessageChunk> | null> {
    return this.transport.reconnectToStream({ chatId: this.id });
  }

  /** Reads a stream to its end or until canceled, and keeps the reply like `useChat`. */
  async take(stream: ReadableStream<UIMessageChunk>, { leaveAfter }: SayOptions = {}): Promise<ReadReply> {
    const chunks: UIMessageChunk[] = [];
    const reader = stream.getReader();
    for (;;) {
      const next = await reader.read();
      if (next.done) break;
      chunks.push(next.value);
      if (leaveAfter?.(next.value, chunks) === true) break;
    }
    await reader.cancel();
    const last = this.messages.at(-1);
    const message = last?.role === "assistant" ? structuredClone(last) : undefined;
    let reply: UIMessage | undefined;
    // The reader copies the whole text for each chunk.
    const shown = { stream: streamOf(joinDeltas(chunks)), onError: () => undefined };
    for await (const each of readUIMessageStream(message === undefined ? shown : { ...shown, message })) reply = each;
    if (reply !== undefined) {
      const before = message === undefined ? this.messages : this.messages.slice(0, -1);
      this.messages = [...before, reply];
    }
    const errors = chunks.flatMap((chunk) => (chunk.type === "error" ? [chunk.errorText] : []));
    const metadata: Partial<TurnMetadata> = reply?.metadata ?? {};
    return { chunks, message: reply, metadata, text: textOf(reply), errors };
  }
}

/** Joins text chunks, because their boundaries are not guaranteed. */
export function joinDeltas(chunks: readonly UIMessageChunk[]): readonly UIMessageChunk[] {
  const whole: UIMessageChunk[] = [];
  for (const chunk of chunks) {
    const last = whole.at(-1);
    const isMore = chunk.type === "text-delta" && last?.type === "text-delta" && last.id === chunk.id;
    if (isMore) whole[whole.length - 1] = { ...last, delta: last.delta + chunk.delta };
    else whole.push(chunk);
  }
  return whole;
}

function streamOf(chunks: readonly UIMessageChunk[]): ReadableStream<UIMessageChunk> {
  return new ReadableStream({
    start(controller) {
      for (const chunk of chunks) controller.enqueue(chunk);
      controller.close();
    },
  });
}

export interface SayOptions {
  readonly body?: object | undefined;
  readonly signal?: AbortSignal | undefined;
  readonly leaveAfter?: ((chunk: UIMessageChunk, chunks: readonly UIMessageChunk[]) => boolean) | undefined;
}

export interface RequestOptions {
  readonly trigger: "submit-message" | "regenerate-message";
  readonly messageId?: string | undefined;
  readonly body?: object | undefined;
  readonly signal?: AbortSignal | undefined;
}

export function textOf(message: UIMessage | undefined): string {
  return (message?.parts ?? []).flatMap((part) => (part.type === "text" ? [part.text] : [])).join("");
}

/** Waits for a condition, long enough for a busy machine. */
export async function until(holds: () => boolean | Promise<boolean>, withinMs = 60_000): Promise<void> {
  const deadline = performance.now() + withinMs;
  while (!(await holds())) {
    if (performance.now() > deadline) throw new Error(`The condition was not met within ${withinMs} ms.`);
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}

/** Returns a session's log as lines of role and text, oldest first. */
export async function logOf({ ask }: TestServer, sessionId = "chat"): Promise<readonly string[]> {
  const { body } = await ask("GET", `/api/sessions/${sessionId}/messages`);
  return body.entries.map(({ message }: { readonly message: Message }) => `${message.role}: ${wordsOf(message)}`);
}

function wordsOf({ parts }: Message): string {
  return parts
    .flatMap((part) => {
      if (part.type === "text") return part.text === "" ? [] : [part.text];
      if (part.type === "tool-call") return [`calls ${part.tool}`];
      return part.type === "tool-result" ? [`answers ${JSON.stringify(part.output)}`] : [];
    })
    .join(" ");
}

/** Returns the texts of a request: messages with their roles, and instructions. */
export function sentOn({ body }: RecordedRequest): readonly string[] {
  const list = (body.messages ?? body.contents) as unknown as readonly SentMessage[];
  return list.map(({ role, content, parts }) => `${role}: ${flatten(content ?? parts)}`);
}

interface SentMessage {
  readonly role: string;
  readonly content?: unknown;
  readonly parts?: unknown;
}

function flatten(content: unknown): string {
  if (typeof content === "string") return content;
  if (!Array.isArray(content)) return JSON.stringify(content);
  return content.map((part) => (typeof part.text === "string" ? part.text : JSON.stringify(part))).join("");
}
