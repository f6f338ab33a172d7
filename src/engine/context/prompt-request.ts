/** The request for a prompt, or for a preview of one. */
import type { PromptId } from "../../core/log/entry.ts";
import type { Message } from "../../core/message/message.ts";
import type { RenderTarget } from "../../core/prompt/render/render-prompt.ts";
import type { SizeOptions } from "./engine-context.ts";

export interface PromptRequest extends SizeOptions {
  readonly instructions?: string | undefined;
  /** Tool definitions: a list, or a record by name. They are only counted. */
  readonly tools?: unknown;
  /** Context such as the date, after the newest message until a compaction. `keep: false`: in this prompt only. */
  readonly notes?: string | PromptNote | undefined;
  readonly provider?: RenderTarget | undefined;
  /** False for a prompt without cache breakpoints. */
  readonly breakpoints?: boolean | undefined;
  /** Returns the prompt without writing anything: no compaction, no request entry. */
  readonly preview?: boolean | undefined;
  /** With `preview`: messages to show as if they were appended. */
  readonly next?: readonly Message[] | undefined;
  /** Limit after a refusal by the provider, whatever the window is. */
  readonly ceilingTokens?: number | undefined;
}

export interface PromptNote {
  readonly text: string;
  readonly keep?: boolean | undefined;
}

/** Returns the note of a request, or undefined if it is empty. */
export function readNote({ notes }: PromptRequest): Required<PromptNote> | undefined {
  const { text, keep = true } = typeof notes === "object" ? notes : { text: notes ?? "" };
  return text.trim() === "" ? undefined : { text, keep };
}

export interface LastPrompt {
  readonly promptId: PromptId;
  readonly request: PromptRequest;
  readonly tokens: number;
}

/** The request that a preview assumes; by default that of the last prompt. */
export type SeenAs = Omit<PromptRequest, "preview" | "next" | "ceilingTokens">;

/** Returns the caller's request, or the last one without its notes, because kept notes are in the log. */
export function readRequest(
  { asked }: { readonly asked: LastPrompt | undefined },
  as: SeenAs | undefined,
): PromptRequest {
  return { ...(as ?? { ...asked?.request, notes: undefined }), preview: true };
}
