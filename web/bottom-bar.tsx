/** Messages about the whole page: a deletion that can be undone, a deletion that failed, and announcements. */

import type { Deletion, DeletionFailure } from "./hooks/use-deletion.ts";
import { dismissAnnouncement, useAnnouncement } from "./ui/announcement.ts";

export function BottomBar({ deletion }: { readonly deletion: Deletion }) {
  const { pending, refusal, undo, deleteWithForks, cancel } = deletion;
  const announcement = useAnnouncement();
  if (pending !== undefined) {
    return (
      <p className="undo-bar" role="status">
        <span>Deleted: {pending.title || pending.preview || "a conversation"}</span>
        <button type="button" onClick={undo}>
          Undo
        </button>
      </p>
    );
  }
  if (refusal !== undefined) {
    return (
      <p className="undo-bar undo-bar-long" role="alert">
        <span>{describeRefusal(refusal)}</span>
        {refusal.hasForks ? (
          <button type="button" onClick={deleteWithForks}>
            Delete with forks
          </button>
        ) : null}
        <button type="button" onClick={cancel}>
          {refusal.hasForks ? "Cancel" : "Dismiss"}
        </button>
      </p>
    );
  }
  if (announcement === "") return null;
  return (
    <p className="undo-bar undo-bar-long" role="alert">
      <span>{announcement}</span>
      <button type="button" onClick={dismissAnnouncement}>
        Dismiss
      </button>
    </p>
  );
}

function describeRefusal({ session, hasForks, reason }: DeletionFailure): string {
  const name = session.title || session.preview || "The conversation";
  if (!hasForks) return `Not deleted: ${name}. ${reason}`;
  return `Not deleted: ${name}. It has forks, which would lose the messages they share with it.`;
}
