/** New names. Every id is unique within a tenant; none carries meaning that code may read back. */
import type { EntryId, PromptId, SessionId } from "../core/log/entry.ts";
import type { MessageId } from "../core/message/message.ts";

export interface Ids {
  /** `{epoch_ms}-{8 hex}` */
  message(): MessageId;
  /** `sess_{epoch_ms}_{6 hex}` */
  session(): SessionId;
  /** `{type}_{epoch_ms}-{8 hex}`; the id of a summary is a UUID. */
  entry(type: string): EntryId;
  prompt(): PromptId;
}
