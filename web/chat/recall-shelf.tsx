/** Messages that are quoted in front of the next one, each with a way to leave it out. */
import { CloseIcon } from "../icons.tsx";
import type { Recall } from "../session/use-recall.ts";
import { writeCount } from "../write-figures.ts";
import { textOf } from "./parts-of-message.ts";

const GLIMPSE_CHARACTERS = 80;

export function RecallShelf({ recalled, forget }: Pick<Recall, "recalled" | "forget">) {
  if (recalled.length === 0) return null;
  return (
    <ul className="recall-shelf" aria-label="Recalled into this message">
      {recalled.map((message) => (
        <li key={message.id}>
          <span className="recall-glimpse">
            Recalled: {textOf(message).replaceAll(/\s+/g, " ").slice(0, GLIMPSE_CHARACTERS) || `message ${message.seq}`}
          </span>
          {message.tokens === undefined ? null : (
            <span className="aside figures">{writeCount(message.tokens, "token")}</span>
          )}
          <button
            type="button"
            className="quiet icon-button"
            aria-label={`Leave out message ${message.seq}`}
            onClick={() => forget(message.id)}
          >
            <CloseIcon />
          </button>
        </li>
      ))}
    </ul>
  );
}
