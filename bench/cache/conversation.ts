/**
 * A conversation to be replayed: what is said before each request, what happens to the files meanwhile, when the
 * request leaves, and what is answered. The same seed gives the same conversation.
 */
import type { Message } from "../../src/core/message/message.ts";

/** What happens to the workspace, or to what of it is shown. */
export type WorkspaceEvent =
  | { readonly type: "write"; readonly path: string; readonly text: string }
  | { readonly type: "delete"; readonly path: string }
  | { readonly type: "choose"; readonly path: string }
  | { readonly type: "drop"; readonly path: string }
  | { readonly type: "link"; readonly url: string; readonly text: string };

export interface Step {
  /** When the request leaves, after the first one. */
  readonly timeMs: number;
  readonly events: readonly WorkspaceEvent[];
  /** What is new since the reply before. */
  readonly said: readonly Message[];
  readonly reply: Message;
}

export interface Conversation {
  readonly name: string;
  readonly instructions: string;
  /** Tool definitions by name; none for plain talk. */
  readonly tools?: Readonly<Record<string, unknown>> | undefined;
  /** The repository at the beginning; none where nothing stands beside the conversation. */
  readonly files?: ReadonlyMap<string, string> | undefined;
  readonly steps: readonly Step[];
}

export interface ConversationSize {
  readonly seed: number;
  /** A fraction of the steps, for a look that takes seconds. */
  readonly isQuick: boolean;
}
