/** What a prompt is asked for with, and what those ask about who only look at one. */
import type { PromptId } from "../../core/log/entry.ts";
import type { Message } from "../../core/message/message.ts";
import type { RenderTarget } from "../../core/prompt/render/render-prompt.ts";
import type { SizeOptions } from "./engine-context.ts";

export interface PromptRequest extends SizeOptions {
  readonly instructions?: string | undefined;
  /** Tool definitions: a list, or a record by name. They are counted, not sent from here. */
  readonly tools?: unknown;
  /**
   * Adds context, such as the date, after the newest message. Later prompts show it at the same place until a compaction
   * covers that place; the same text again is not repeated. `keep: false` adds it to this prompt only.
   */
  readonly notes?: string | PromptNote | undefined;
  readonly provider?: RenderTarget | undefined;
  /** False: no marks that tell a provider what to remember. */
  readonly breakpoints?: boolean | undefined;
  /** Look without leaving a trace: nothing is compacted in the log and no request is written. */
  readonly preview?: boolean | undefined;
  /** With `preview`: what would be appended before, shown as if it were. */
  readonly next?: readonly Message[] | undefined;
  /** A provider has refused a larger one: the prompt may take no more than this, whatever the window is. */
  readonly ceilingTokens?: number | undefined;
}

export interface PromptNote {
  readonly text: string;
  readonly keep?: boolean | undefined;
}

/** The notes of a request, or undefined where they say nothing. */
export function readNote({ notes }: PromptRequest): Required<PromptNote> | undefined {
  const { text, keep = true } = typeof notes === "object" ? notes : { text: notes ?? "" };
  return text.trim() === "" ? undefined : { text, keep };
}

/** A prompt that was handed out, and what it was asked for with. */
export interface LastPrompt {
  readonly promptId: PromptId;
  readonly request: PromptRequest;
  readonly tokens: number;
}

/** What a prompt would be asked for with, for whoever only looks; without it, as the last one was. */
export type SeenAs = Omit<PromptRequest, "preview" | "next" | "ceilingTokens">;

/**
 * As the caller says, as the last one was asked for, or as the engine is set up. Notes of the last one are no part of
 * the next: those that are replayed are in the log.
 */
export function readRequest(
  { asked }: { readonly asked: LastPrompt | undefined },
  as: SeenAs | undefined,
): PromptRequest {
  return { ...(as ?? { ...asked?.request, notes: undefined }), preview: true };
}
