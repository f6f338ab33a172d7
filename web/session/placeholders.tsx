/** What an empty conversation says: where things will be, so that nobody has to be told later. */
import type { Fate } from "../api/values.ts";
import { FateLegend } from "../strip/fates.tsx";

const FIRST_FATES: readonly Fate[] = ["verbatim", "pinned", "pruned", "summarised"];

export function EmptyConversation({ isSample }: { readonly isSample: boolean }) {
  return (
    <div className="empty">
      <h2>{isSample ? "Press Play" : "Say something"}</h2>
      <p>
        {isSample
          ? "The sample is said turn by turn, as fast as you like."
          : "What you write is kept before the model is asked, and stays."}{" "}
        Beside the conversation the strip draws every message as long as it is, in the pattern of what became of it:
      </p>
      <FateLegend fates={FIRST_FATES} />
      <p className="aside">
        <span className="for-keys">Enter sends, Shift and Enter begin a line, Escape stops an answer. </span>
        <span className="mono">/compact</span> folds what is old, and <span className="mono">/undo</span> takes that
        back
        <span className="for-keys">
          ; <kbd>Ctrl /</kbd> lists the keys
        </span>
        .
      </p>
    </div>
  );
}

/** Says that a conversation is not there, and offers another one for whatever somebody wanted to say in it. */
export interface GoneConversationProps {
  readonly onBegin: () => void;
}

export function GoneConversation({ onBegin }: GoneConversationProps) {
  return (
    <p className="turn-end" role="alert">
      <span>This conversation is not here: it was deleted, or its address is wrong. What you wrote is kept.</span>
      <button type="button" onClick={onBegin}>
        Begin a new one with it
      </button>
    </p>
  );
}
