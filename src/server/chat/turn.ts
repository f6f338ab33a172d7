/** What a turn is made of: who speaks, what may be used, where it goes, and who can end it. */
import type { LanguageModel, ToolSet, UIMessageChunk } from "ai";
import type { SeenAs } from "../../engine/context/prompt-request.ts";
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
  /** The id that the client knows the chat by, on whichever branch it is. */
  readonly chatId: string;
  readonly model: LanguageModel;
  /** What the engine knows the model by; undefined for one that has no window of its own. */
  readonly modelName: string | undefined;
  readonly isOffline: boolean;
  readonly tools: ToolSet | undefined;
  /** The request that each round makes its prompt with. */
  readonly findRequest: () => Promise<SeenAs>;
  /** Told of every prompt that a model is asked with. */
  readonly onPrompt: (prompt: Prompt) => void;
  readonly stream: ChatStream;
  readonly reply: Reply;
  readonly limits: ChatLimits;
  /** What the client lacks of what the reply begins with. */
  readonly answers?: readonly UIMessageChunk[] | undefined;
  /** Whether that is all: the log has the whole reply. */
  readonly isAnswered?: boolean | undefined;
  /** Where the client's list left another session, and which. */
  readonly forked?: { readonly from: string; readonly atSeq: number } | undefined;
  /** Aborted when the turn is to end; the reason is a `StopReason`. */
  readonly signal: AbortSignal;
  /** What a provider's error means for whoever asks next. */
  readonly readFailure: ReadFailure;
}

/** Somebody cancelled, or the server ends. */
export type StopReason = "cancelled" | "server-end";

export type ReadFailure = (error: unknown, nowMs: number) => ModelOutcome;
