/** Messages that are to be said once more with the next one, because the model does not read them any more. */
import { useCallback, useState } from "react";
import type { ShownMessage } from "../api/values.ts";
import { writeCount } from "../ui/format.ts";
import { CloseIcon } from "../ui/icons.tsx";
import { textOf } from "./parts-of-message.ts";

export interface Recall {
  readonly recalled: readonly ShownMessage[];
  readonly recall: (message: ShownMessage) => void;
  readonly forget: (id: string) => void;
}

export function useRecall(): Recall {
  const [recalled, setRecalled] = useState<readonly ShownMessage[]>([]);
  const forget = useCallback((id: string) => setRecalled((all) => all.filter((each) => each.id !== id)), []);
  const recall = useCallback((message: ShownMessage) => {
    setRecalled((all) => [...all.filter(({ id }) => id !== message.id), message]);
    document.querySelector<HTMLElement>("#composer")?.focus();
  }, []);
  return { recalled, recall, forget };
}

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
