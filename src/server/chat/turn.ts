/** The parts of a turn of a chat, and the limits of a chat. */
import type { LanguageModel, ToolSet, UIMessageChunk } from "ai";
import type { AssumedRequest } from "../../engine/context/prompt-request.ts";
import type { Palimpsest } from "../../engine/palimpsest.ts";
import type { Prompt } from "../../engine/prompt/prompt.ts";
import type { Session } from "../../engine/session/session.ts";
import type { ModelOutcome } from "../../ports/model.ts";
import type { ChatLimits } from "./chat-limits.ts";
import type { ChatStream } from "./chat-stream.ts";
import type { Reply } from "./reply.ts";

export interface Turn {
  readonly engine: Palimpsest;
  readonly session: Session;
  /** The client's id of the chat; the same on all of its branches. */
  readonly chatId: string;
  readonly model: LanguageModel;
  /** The engine's name for the model; undefined for the offline model, which has no window. */
  readonly modelName: string | undefined;
  readonly isOffline: boolean;
  /** Returns the tools to offer with the next call. */
  readonly findTools: () => ToolSet | undefined;
  /** Stops offering the server's own tools to a model that cannot call tools. Returns false if none were offered. */
  readonly withdrawTools: () => boolean;
  readonly findRequest: () => Promise<AssumedRequest>;
  /** The first prompt of the turn, if it was made when the message was stored. */
  readonly firstPrompt?: Prompt | undefined;
  readonly onPrompt: (prompt: Prompt) => void;
  readonly stream: ChatStream;
  readonly reply: Reply;
  readonly limits: ChatLimits;
  /** Chunks that the client does not have: results of approved calls, or what the log has beyond its list. */
  readonly answers?: readonly UIMessageChunk[] | undefined;
  /** True if the log has the whole reply, so that no model is called. */
  readonly isAnswered?: boolean | undefined;
  /** Set if the client's messages created a branch. */
  readonly forked?: { readonly from: string; readonly atSeq: number } | undefined;
  /** Aborted to stop the turn; the reason is a `StopReason`. */
  readonly signal: AbortSignal;
  readonly readFailure: ReadFailure;
}

/** The client canceled, or the server shuts down. */
export type StopReason = "cancelled" | "server-end";

export type ReadFailure = (error: unknown, nowMs: number) => ModelOutcome;
