/** Creates ids. Every id is unique within a tenant, and code must not parse it. */
import type { EntryId, PromptId, SessionId } from "../core/log/entry.ts";
import type { MessageId } from "../core/message/message.ts";

/** Creates the ids of entries, messages, prompts and sessions. */
export interface Ids {
  /** `{epoch_ms}-{8 hex}` */
  message(): MessageId;
  /** `sess_{epoch_ms}_{6 hex}` */
  session(): SessionId;
  /** `{type}_{epoch_ms}-{8 hex}`; the id of a summary is a UUID. */
  entry(type: string): EntryId;
  prompt(): PromptId;
}
