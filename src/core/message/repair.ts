/** A repair in a sequence of messages, and its place. */
import type { MessageId } from "./message.ts";

/** The kind of a repair. */
export type RepairKind =
  | "orphan-result"
  | "unanswered-call"
  | "duplicate-result"
  | "duplicate-call"
  | "duplicate-message"
  | "empty-message"
  | "blank-part"
  | "misplaced-part"
  | "repeated-user"
  | "joined-calls"
  | "broken-text";

/** A change that made a malformed list of messages valid, and the message that it concerns. */
export interface Repair {
  readonly kind: RepairKind;
  readonly messageId: MessageId;
  readonly text: string;
}
