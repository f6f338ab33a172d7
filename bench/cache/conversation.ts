/**
 * A conversation to replay: new messages before each request, changes to the files, the time of the request, and the
 * reply. The same seed gives the same conversation.
 */
import type { Message } from "../../src/core/message/message.ts";

/** A change to the workspace, or to the parts of it that are shown. */
export type WorkspaceEvent =
  | { readonly type: "write"; readonly path: string; readonly text: string }
  | { readonly type: "delete"; readonly path: string }
  | { readonly type: "choose"; readonly path: string }
  | { readonly type: "drop"; readonly path: string }
  | { readonly type: "link"; readonly url: string; readonly text: string };

export interface ConversationStep {
  /** Time of the request since the first one. */
  readonly timeMs: number;
  readonly events: readonly WorkspaceEvent[];
  /** New messages since the last reply. */
  readonly newMessages: readonly Message[];
  readonly reply: Message;
}

export interface Conversation {
  readonly name: string;
  readonly instructions: string;
  /** Tool definitions by name; plain chats have none. */
  readonly tools?: Readonly<Record<string, unknown>> | undefined;
  /** The repository at the beginning; absent for conversations without files. */
  readonly files?: ReadonlyMap<string, string> | undefined;
  readonly steps: readonly ConversationStep[];
}

export interface ConversationSize {
  readonly seed: number;
  /** Whether only a part of the steps is replayed. */
  readonly isQuick: boolean;
}
