/** Adapts the offline model to chats: it answers from the session that it is called for. */
import type { RecallFile } from "../core/recall/read-passages.ts";
import { type FollowedLog, FollowedTranscript } from "./followed-transcript.ts";
import { createOfflineModel, OFFLINE_MODEL_ID, type OfflineModel, type OfflineSource } from "./offline-model.ts";

/** The part of a session that the offline model needs, declared structurally. */
export interface QuotedSession extends FollowedLog {
  liveSummary(): Promise<{ readonly id: string; readonly text: string } | undefined>;
  readonly workspace: { readonly gathered?: { readonly files: readonly RecallFile[] } | undefined };
}

export interface OfflineChat {
  readonly id: string;
  readonly isOffline: true;
  readonly forSession: (session: QuotedSession) => OfflineModel;
}

/** Keeps one model for each open session, with what it has read. */
export function createOfflineChat(): OfflineChat {
  const models = new WeakMap<QuotedSession, OfflineModel>();
  return {
    id: OFFLINE_MODEL_ID,
    isOffline: true,
    forSession(session) {
      const model = models.get(session) ?? createOfflineModel({ source: buildSource(session) });
      models.set(session, model);
      return model;
    },
  };
}

function buildSource(session: QuotedSession): OfflineSource {
  const transcript = new FollowedTranscript(session);
  return {
    messages: (signal) => transcript.read(signal),
    summary: () => session.liveSummary(),
    // Files gathered for the prompt.
    files: async () => session.workspace.gathered?.files ?? [],
  };
}
