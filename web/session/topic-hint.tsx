/** Says that the topic has changed, and offers to start over. Nobody has to do anything about it. */
import type { TopicHint } from "./use-topic-hint.ts";

export interface TopicHintLineProps {
  readonly hint: TopicHint;
  readonly onClear: () => void;
}

export function TopicHintLine({ hint: { reason, dismiss }, onClear }: TopicHintLineProps) {
  if (reason === "") return null;
  return (
    <p className="notices topic-hint" role="status">
      <span>
        This looks like another topic ({reason.replace(/\.$/, "")}). With a cleared context the model reads only what
        comes now; the log keeps the rest.
      </span>
      <button
        type="button"
        onClick={() => {
          dismiss();
          onClear();
        }}
      >
        Clear context
      </button>
      <button type="button" className="quiet" onClick={dismiss}>
        Not now
      </button>
    </p>
  );
}
