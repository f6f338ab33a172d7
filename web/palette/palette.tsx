/** The command palette: finds actions and conversations by name, and messages by their text. */
import { type KeyboardEvent, useEffect, useMemo, useRef, useState } from "react";
import { searchMessages } from "../api/log.ts";
import { listSessions } from "../api/sessions.ts";
import { useDebounced } from "../hooks/limit-calls.ts";
import { listActions } from "../hooks/use-actions.ts";
import { useLoaded } from "../hooks/use-loaded.ts";
import { Sheet } from "../ui/sheet.tsx";
import { type Choice, listChoices } from "./list-choices.ts";

const DEBOUNCE_MS = 150;
/** Minimum length of a query to search messages. */
const MIN_SEARCH_LENGTH = 2;

export function Palette({ onClose }: { readonly onClose: () => void }) {
  const [query, setQuery] = useState("");
  const [index, setIndex] = useState(0);
  const settledQuery = useDebounced(query.trim(), DEBOUNCE_MS);
  const { value: sessions = [] } = useLoaded("palette", listSessions);
  const { value: hits = [] } = useLoaded(settledQuery, async (signal) =>
    settledQuery.length < MIN_SEARCH_LENGTH ? [] : searchMessages(settledQuery, signal),
  );
  const actions = useMemo(listActions, []);
  const choices = listChoices(query.trim(), { actions, sessions, hits: query.trim() === "" ? [] : hits });
  const active = Math.min(index, choices.length - 1);
  const choose = (choice: Choice | undefined) => {
    if (choice === undefined) return;
    onClose();
    // Runs after the dialog has returned the focus, so that the action can move it.
    setTimeout(choice.run);
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const step = event.key === "ArrowDown" ? 1 : event.key === "ArrowUp" ? -1 : 0;
    if (step !== 0) setIndex((active + step + choices.length) % Math.max(1, choices.length));
    else if (event.key === "Enter") choose(choices[active]);
    else return;
    event.preventDefault();
  };
  const field = useRef<HTMLInputElement>(null);
  // The dialog focuses its heading first.
  useEffect(() => field.current?.focus(), []);
  return (
    <Sheet title="Command palette" className="palette" onClose={onClose}>
      <input
        className="search"
        role="combobox"
        aria-label="Search actions, conversations and messages"
        aria-expanded={choices.length > 0}
        aria-controls="palette-choices"
        aria-activedescendant={choices.length === 0 ? undefined : `choice-${active}`}
        placeholder="Search actions, conversations and messages"
        ref={field}
        value={query}
        onChange={(event) => {
          setQuery(event.target.value);
          setIndex(0);
        }}
        onKeyDown={onKeyDown}
      />
      <Choices choices={choices} active={active} onChoose={choose} />
      <p className="aside" role="status">
        {choices.length === 0 ? "No matches." : ""}
      </p>
    </Sheet>
  );
}

interface ChoicesProps {
  readonly choices: readonly Choice[];
  readonly active: number;
  readonly onChoose: (choice: Choice) => void;
}

function Choices({ choices, active, onChoose }: ChoicesProps) {
  const list = useRef<HTMLDivElement>(null);
  // biome-ignore lint/correctness/useExhaustiveDependencies: runs when the selection changes.
  useEffect(() => {
    list.current?.querySelector('[aria-selected="true"]')?.scrollIntoView({ block: "nearest" });
  }, [active, choices.length]);
  return (
    <div className="choices" id="palette-choices" role="listbox" aria-label="Choices" ref={list}>
      {choices.map((choice, index) => (
        // biome-ignore lint/a11y/useKeyWithClickEvents: the text field handles the keys.
        <div
          key={choice.id}
          id={`choice-${index}`}
          className="choice-line"
          role="option"
          tabIndex={-1}
          aria-selected={index === active}
          onClick={() => onChoose(choice)}
        >
          <span className="choice-kind">{choices[index - 1]?.kind === choice.kind ? "" : choice.kind}</span>
          <span className="choice-name">
            {choice.before}
            <mark>{choice.match}</mark>
            {choice.after}
          </span>
          <span className="aside">{choice.hint}</span>
        </div>
      ))}
    </div>
  );
}
