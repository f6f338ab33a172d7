/** A repair in a sequence of messages, and its place. */
import type { MessageId } from "./message.ts";

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

export interface Repair {
  readonly kind: RepairKind;
  readonly messageId: MessageId;
  readonly text: string;
}
