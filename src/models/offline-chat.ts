/** The offline model as one that chats are had with: it answers from the session that it is asked for. */
import type { RecallFile } from "../core/recall/passage.ts";
import { type FollowedLog, FollowedTranscript } from "./followed-transcript.ts";
import { createOfflineModel, OFFLINE_MODEL_ID, type OfflineModel, type OfflineSource } from "./offline-model.ts";

/** What it needs of a session, told by its shape. */
export interface QuotedSession extends FollowedLog {
  liveSummary(): Promise<{ readonly id: string; readonly text: string } | undefined>;
  readonly workspace: { readonly gathered?: { readonly files: readonly RecallFile[] } | undefined };
}

export interface OfflineChat {
  readonly id: string;
  readonly isOffline: true;
  readonly forSession: (session: QuotedSession) => OfflineModel;
}

/** A model for each session that is held: it remembers what it has read, and is gone with the session. */
export function createOfflineChat(): OfflineChat {
  const models = new WeakMap<QuotedSession, OfflineModel>();
  return {
    id: OFFLINE_MODEL_ID,
    isOffline: true,
    forSession(session) {
      const model = models.get(session) ?? createOfflineModel({ source: sourceOf(session) });
      models.set(session, model);
      return model;
    },
  };
}

function sourceOf(session: QuotedSession): OfflineSource {
  const transcript = new FollowedTranscript(session);
  return {
    messages: (signal) => transcript.read(signal),
    summary: () => session.liveSummary(),
    // What the prompt before the answer has gathered.
    files: async () => session.workspace.gathered?.files ?? [],
  };
}
