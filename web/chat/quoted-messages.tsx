/** Messages that the model no longer reads word for word, quoted in the next message. */
import { useCallback, useState } from "react";
import { type ShownMessage, textOf } from "../api/values.ts";
import { formatCount } from "../ui/format.ts";
import { CloseIcon } from "../ui/icons.tsx";

export interface Quotes {
  readonly quoted: readonly ShownMessage[];
  readonly quote: (message: ShownMessage) => void;
  readonly remove: (id: string) => void;
}

export function useQuotes(): Quotes {
  const [quoted, setQuoted] = useState<readonly ShownMessage[]>([]);
  const remove = useCallback((id: string) => setQuoted((all) => all.filter((each) => each.id !== id)), []);
  const quote = useCallback((message: ShownMessage) => {
    setQuoted((all) => [...all.filter(({ id }) => id !== message.id), message]);
    document.querySelector<HTMLElement>("#composer")?.focus();
  }, []);
  return { quoted, quote, remove };
}

const EXCERPT_CHARACTERS = 80;

export function QuotedMessages({ quoted, remove }: Pick<Quotes, "quoted" | "remove">) {
  if (quoted.length === 0) return null;
  return (
    <ul className="quoted-messages" aria-label="Quoted in this message">
      {quoted.map((message) => (
        <li key={message.id}>
          <span className="quoted-excerpt">
            Quoted: {textOf(message).replaceAll(/\s+/g, " ").slice(0, EXCERPT_CHARACTERS) || `message ${message.seq}`}
          </span>
          {message.tokens === undefined ? null : (
            <span className="aside figures">{formatCount(message.tokens, "token")}</span>
          )}
          <button
            type="button"
            className="quiet icon-button"
            aria-label={`Unquote message ${message.seq}`}
            onClick={() => remove(message.id)}
          >
            <CloseIcon />
          </button>
        </li>
      ))}
    </ul>
  );
}
