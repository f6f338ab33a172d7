/**
 * The reply of a turn as its clients have it, and how much of it is stored. The AI SDK's own reader builds it from the
 * streamed chunks, unless they are plain text. It is stored as the messages into which the log decodes a UI message, so a client that sends the
 * reply back sends what is stored.
 */
import type { DynamicToolUIPart, ToolUIPart, UIMessage, UIMessageChunk } from "ai";
import { aiSdkUiFormat } from "../../core/message/formats/ai-sdk-ui.ts";
import type { Message } from "../../core/message/message.ts";
import { loadChatSdk } from "../prompts/load-chat-sdk.ts";
import { readTextChunks } from "./read-text-chunks.ts";

export interface StepCalls {
  readonly failed: readonly { readonly name: string; readonly input: unknown; readonly error: string }[];
  readonly succeeded: number;
}

export class Reply {
  #message: UIMessage;
  #stored: number;

  /** Takes the reply that the turn continues, if its calls were answered by the client. */
  constructor(id: string, started: UIMessage | undefined) {
    this.#message = started ?? { id, role: "assistant", parts: [] };
    this.#stored = started === undefined ? 0 : decodeReply(started).length;
  }

  get id(): string {
    return this.#message.id;
  }

  get metadata(): unknown {
    return this.#message.metadata;
  }

  /** True if a call of the last step waits for the client. */
  get isWaiting(): boolean {
    return this.#lastStep.some((part) => "toolCallId" in part && WAITING.has(part.state));
  }

  get lastCalls(): StepCalls {
    const calls = this.#lastStep.filter((part) => "toolCallId" in part);
    const failed = calls.flatMap((call) =>
      call.state === "output-error" ? [{ name: nameTool(call), input: call.input, error: call.errorText }] : [],
    );
    return { failed, succeeded: calls.length - failed.length };
  }

  get #lastStep(): UIMessage["parts"] {
    const { parts } = this.#message;
    return parts.slice(parts.findLastIndex(({ type }) => type === "step-start") + 1);
  }

  async add(chunks: readonly UIMessageChunk[]): Promise<void> {
    const plain = readTextChunks(this.#message, chunks);
    if (plain !== undefined) {
      this.#message = plain;
      return;
    }
    const { readUIMessageStream } = await loadChatSdk();
    const stream = new ReadableStream<UIMessageChunk>({
      start(controller) {
        for (const chunk of chunks) controller.enqueue(chunk);
        controller.close();
      },
    });
    for await (const message of readUIMessageStream({ message: this.#message, stream })) this.#message = message;
  }

  listUnstored(metadata: unknown): readonly Message[] {
    const messages = decodeReply({ ...this.#message, metadata }).slice(this.#stored);
    return messages.filter(({ parts }) => !parts.every((part) => part.type === "text" && part.text.trim() === ""));
  }

  markStored(): void {
    this.#stored = this.#message.parts.length === 0 ? 0 : decodeReply(this.#message).length;
  }
}

function nameTool(call: ToolUIPart | DynamicToolUIPart): string {
  return call.type === "dynamic-tool" ? call.toolName : call.type.slice("tool-".length);
}

const WAITING: ReadonlySet<string> = new Set(["input-available", "approval-requested", "approval-responded"]);

/** Converts through JSON: results of tools may be any value. */
function decodeReply(message: UIMessage): readonly Message[] {
  const sent: unknown = JSON.parse(JSON.stringify(message));
  return aiSdkUiFormat.decode(sent, { path: "reply", fallbackId: message.id });
}
