/** A sentence or line that can be quoted, and where it stands. */
import type { MessageId, Role } from "../message/message.ts";

export interface Passage {
  /** As it was said, in one line. */
  readonly text: string;
  /** The message that says it, or the path of the file that it stands in. */
  readonly source: MessageId;
  readonly saidBy: Role | "file";
  /** Who said it, where several share a role. */
  readonly name?: string | undefined;
  readonly saidAt?: number | undefined;
  /** Somebody asked; what was asked is no answer. */
  readonly isQuestion: boolean;
}

/** A file of the workspace, as far as it may be quoted. */
export interface RecallFile {
  readonly path: string;
  readonly text: string;
}
