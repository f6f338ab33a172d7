/** What a prompt is asked for with, and what those ask about who only look at one. */
import type { PromptId } from "../core/log/entry.ts";
import type { Message } from "../core/message/message.ts";
import type { SizeOptions } from "./engine-context.ts";

export interface PromptRequest extends SizeOptions {
  readonly instructions?: string | undefined;
  /** Tool definitions: a list, or a record by name. They are counted, not sent from here. */
  readonly tools?: unknown;
  /** What only this request should know. It becomes the last block of the new message and is not kept. */
  readonly notes?: string | undefined;
  readonly provider?: string | undefined;
  /** False: no marks that tell a provider what to remember. */
  readonly breakpoints?: boolean | undefined;
  /** Look without leaving a trace: nothing is compacted in the log and no request is written. */
  readonly preview?: boolean | undefined;
  /** With `preview`: what would be appended before, shown as if it were. */
  readonly next?: readonly Message[] | undefined;
  /** A provider has refused a larger one: the prompt may take no more than this, whatever the window is. */
  readonly ceilingTokens?: number | undefined;
}

/** A prompt that was handed out, and what it was asked for with. */
export interface AskedPrompt {
  readonly promptId: PromptId;
  readonly request: PromptRequest;
  readonly tokens: number;
}

/** What a prompt would be asked for with, for whoever only looks; without it, as the last one was. */
export type SeenAs = Omit<PromptRequest, "preview" | "next" | "ceilingTokens">;

/** As somebody says, as the last one was asked for, or as the engine is set up. */
export function requestOf(
  { asked }: { readonly asked: AskedPrompt | undefined },
  as: SeenAs | undefined,
): PromptRequest {
  return { ...(as ?? asked?.request), preview: true };
}
