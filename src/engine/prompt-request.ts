/** What a prompt is asked for with. */
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
