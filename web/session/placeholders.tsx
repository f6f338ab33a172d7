/** Shown in place of messages: an introduction to an empty conversation, and a missing conversation. */
import type { Fate } from "../api/values.ts";
import { FateLegend } from "../strip/fates.tsx";

const FIRST_FATES: readonly Fate[] = ["verbatim", "pinned", "pruned", "summarised"];

export function EmptyConversation({ isSample }: { readonly isSample: boolean }) {
  return (
    <div className="empty">
      <h2>{isSample ? "Play the sample" : "Write a message"}</h2>
      <p>
        {isSample
          ? "The sample is played turn by turn."
          : "Every message is stored in the log before the model gets it, and stays there."}{" "}
        The strip next to the conversation shows each message to scale. Its pattern shows what the model reads of it:
      </p>
      <FateLegend fates={FIRST_FATES} />
      <p className="aside">
        <span className="for-keys">Enter sends, Shift+Enter inserts a line break, Escape stops an answer. </span>
        <span className="mono">/compact</span> summarizes old messages, and <span className="mono">/undo</span> undoes
        that
        <span className="for-keys">
          ; <kbd>Ctrl /</kbd> lists the keyboard shortcuts
        </span>
        .
      </p>
    </div>
  );
}

export function MissingConversation({ onCreate }: { readonly onCreate: () => void }) {
  return (
    <p className="turn-end" role="alert">
      <span>This conversation does not exist: it was deleted, or its address is wrong. Your draft is kept.</span>
      <button type="button" onClick={onCreate}>
        Move draft to a new conversation
      </button>
    </p>
  );
}
