/**
 * Notifies other processes that a session's log has grown or was deleted. A notification is a hint: it may be lost,
 * repeated or late. Listeners read the log from the seq they know, so a lost one costs time and never data.
 */
import type { SessionId } from "../core/log/entry.ts";

/** Says that a session's log has grown, or that the session was deleted. */
export interface Notification {
  readonly tenantId: string;
  readonly sessionId: SessionId;
  /** Seq of the newest entry; 0 if the session was deleted. */
  readonly seq: number;
}

/** Tells other processes on the same store about changes of sessions. */
export interface Notifications {
  notify(notification: Notification): Promise<void>;
  /** Returns a function that removes the listener. A listener that throws is reported and stays registered. */
  listen(listener: (notification: Notification) => void): () => void;
  close(): Promise<void>;
}
