/** What the whole page has to say: a deletion that can be taken back, one that could not be done, and files read in. */

import type { Deletion, Kept } from "./hooks/use-deletion.ts";
import { dropAnnounced, useAnnounced } from "./ui/announcement.ts";

export function BottomBar({ deletion }: { readonly deletion: Deletion }) {
  const { waiting, kept, undo, withForks, leave } = deletion;
  const announced = useAnnounced();
  if (waiting !== undefined) {
    return (
      <p className="undo-bar" role="status">
        <span>Deleted: {waiting.title || waiting.preview || "a conversation"}</span>
        <button type="button" onClick={undo}>
          Undo
        </button>
      </p>
    );
  }
  if (kept !== undefined) {
    return (
      <p className="undo-bar undo-bar-long" role="alert">
        <span>{sayKept(kept)}</span>
        {kept.hasForks ? (
          <button type="button" onClick={withForks}>
            Delete all of them
          </button>
        ) : null}
        <button type="button" onClick={leave}>
          {kept.hasForks ? "Keep it" : "Dismiss"}
        </button>
      </p>
    );
  }
  if (announced === "") return null;
  return (
    <p className="undo-bar undo-bar-long" role="alert">
      <span>{announced}</span>
      <button type="button" onClick={dropAnnounced}>
        Dismiss
      </button>
    </p>
  );
}

function sayKept({ session, hasForks, reason }: Kept): string {
  const name = session.title || session.preview || "The conversation";
  if (!hasForks) return `Not deleted: ${name}. ${reason}`;
  return `Not deleted: ${name}. Other conversations go on from it, and would lose what they share with it.`;
}
