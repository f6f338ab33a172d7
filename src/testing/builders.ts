/** Builds messages for tests, including broken sequences. Each builder counts its own ids: `m1`, `m2`, …. */
import type { JsonValue } from "../core/message/json.ts";
import type {
  CallId,
  Message,
  MessageId,
  Part,
  Role,
  TextPart,
  ToolCallPart,
  ToolOutput,
  ToolResultPart,
} from "../core/message/message.ts";

/** Fields of a message besides its text. `parts` replaces the text part. */
export type MessageOverrides = Partial<Omit<Message, "role">>;

/** One call of a round and its answer. Without `output` the call stays open. */
export interface AnsweredCall {
  readonly callId: CallId;
  readonly tool?: string | undefined;
  readonly input?: JsonValue | undefined;
  readonly output?: string | ToolOutput | undefined;
  readonly failed?: boolean | undefined;
}

export interface RoundOverrides {
  readonly text?: string | undefined;
  /** Puts each answer into its own tool message. */
  readonly apart?: boolean | undefined;
}

export interface MessageBuilder {
  aUserMessage(text: string, overrides?: MessageOverrides): Message;
  anAssistantMessage(text: string, overrides?: MessageOverrides): Message;
  aSystemMessage(text: string, overrides?: MessageOverrides): Message;
  aToolCall(callId: CallId, tool?: string, input?: JsonValue, overrides?: MessageOverrides): Message;
  /** An assistant message with several calls, made at once. */
  parallelCalls(calls: readonly AnsweredCall[], overrides?: MessageOverrides): Message;
  aToolResult(callId: CallId, output: string | ToolOutput, overrides?: MessageOverrides): Message;
  /** The assistant message with the calls, then the answers. */
  aRound(calls: readonly AnsweredCall[], overrides?: RoundOverrides): readonly Message[];
  anExchange(question: string, answer: string): readonly Message[];
}

/**
 * Returns functions that build messages with ids in order, for tests.
 *
 * @example
 * ```ts
 * const build = messageBuilder();
 * const messages = [build.aUserMessage("Where is my parcel?"), build.anAssistantMessage("On its way.")];
 * ```
 */
export function messageBuilder(nextId: () => MessageId = countedIds()): MessageBuilder {
  const make = (role: Role, parts: readonly Part[], overrides: MessageOverrides = {}): Message => ({
    ...overrides,
    id: overrides.id ?? nextId(),
    role,
    parts: overrides.parts ?? parts,
  });
  const answers = (calls: readonly AnsweredCall[], apart: boolean): readonly Message[] => {
    const results = calls.flatMap((call) => resultOf(call));
    if (apart) return results.map((result) => make("tool", [result]));
    return results.length === 0 ? [] : [make("tool", results)];
  };
  const builder: MessageBuilder = {
    aUserMessage: (text, overrides) => make("user", [textPart(text)], overrides),
    anAssistantMessage: (text, overrides) => make("assistant", [textPart(text)], overrides),
    aSystemMessage: (text, overrides) => make("system", [textPart(text)], overrides),
    aToolCall: (callId, tool, input, overrides) => make("assistant", [callOf({ callId, tool, input })], overrides),
    parallelCalls: (calls, overrides) => make("assistant", calls.map(callOf), overrides),
    aToolResult: (callId, output, overrides) => make("tool", [toolResultPart(callId, output)], overrides),
    aRound: (calls, { text, apart = false } = {}) => {
      const texts = text === undefined ? [] : [textPart(text)];
      return [make("assistant", [...texts, ...calls.map(callOf)]), ...answers(calls, apart)];
    },
    anExchange: (question, answer) => [builder.aUserMessage(question), builder.anAssistantMessage(answer)],
  };
  return builder;
}

/** Returns a function that returns `m1`, `m2`, …. */
export function countedIds(prefix = "m"): () => string {
  let count = 0;
  return () => {
    count += 1;
    return `${prefix}${count}`;
  };
}

export function textPart(text: string): TextPart {
  return { type: "text", text };
}

export function toolResultPart(callId: CallId, output: string | ToolOutput): ToolResultPart {
  const whole: ToolOutput = typeof output === "string" ? { type: "text", text: output } : output;
  return { type: "tool-result", callId, output: whole, failed: false };
}

function callOf({ callId, tool = "read_file", input = { path: "notes.md" } }: AnsweredCall): ToolCallPart {
  return { type: "tool-call", callId, tool, input };
}

function resultOf({ callId, output, failed = false }: AnsweredCall): readonly ToolResultPart[] {
  return output === undefined ? [] : [{ ...toolResultPart(callId, output), failed }];
}
