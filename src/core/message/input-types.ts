/**
 * The values that callers may pass, as types of our own: no provider's package is imported. They accept messages and
 * tools of the AI SDK, OpenAI, Anthropic, Gemini, LangChain and their packages; decoding checks the rest.
 */

/** Roles of all formats. Other strings are accepted, because formats add roles. */
type KnownRole = "user" | "assistant" | "system" | "tool" | "developer" | "model" | "human" | "ai" | (string & {});

/**
 * A message in any known format: the AI SDK, OpenAI, Anthropic, Gemini, LangChain, or plain `{ role, content }`. The
 * fields are those of all formats; a message has those of one.
 */
export interface MessageInput {
  readonly role?: KnownRole | undefined;
  readonly content?: unknown;
  readonly parts?: unknown;
  readonly id?: unknown;
  readonly name?: unknown;
  readonly metadata?: unknown;
  readonly extras?: unknown;
  readonly providerOptions?: unknown;
  readonly refusal?: unknown;
  readonly tool_calls?: unknown;
  readonly tool_call_id?: unknown;
  readonly status?: unknown;
  readonly usage_metadata?: unknown;
  /** Kinds of items of OpenAI's Responses API and Agents SDK, and of LangChain's messages. */
  readonly type?: string | undefined;
  readonly call_id?: unknown;
  readonly callId?: unknown;
  readonly arguments?: unknown;
  readonly output?: unknown;
  readonly summary?: unknown;
  readonly encrypted_content?: unknown;
  readonly providerData?: unknown;
  /** Fields of LangChain's stored and serialized messages. */
  readonly data?: unknown;
  readonly lc?: unknown;
  readonly kwargs?: unknown;
}

/** One message or several, in any known format. */
export type MessagesInput = MessageInput | readonly MessageInput[];

/** Tool definitions in any provider's format: a list, or an object by name. */
export type ToolsInput = readonly object[] | Readonly<Record<string, unknown>>;
