/**
 * Tells other processes that a session's log has grown, or is gone. A notification is a hint: it may be lost, doubled or
 * late. Listeners read the log from the seq they know, so a lost one costs time and never data.
 */
import type { SessionId } from "../core/log/entry.ts";

export interface Notification {
  readonly tenantId: string;
  readonly sessionId: SessionId;
  /** Of the newest entry; nought where the session was deleted. */
  readonly seq: number;
}

export interface Notifications {
  notify(notification: Notification): Promise<void>;
  /** Returns how to stop. A listener that throws is reported and stays registered. */
  listen(listener: (notification: Notification) => void): () => void;
  close(): Promise<void>;
}
