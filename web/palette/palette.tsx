/** Everything by name: what can be done here, conversations, and messages that hold what is written. */
import { type KeyboardEvent, useEffect, useMemo, useRef, useState } from "react";
import { searchMessages } from "../api/log.ts";
import { listSessions } from "../api/sessions.ts";
import { useDebounced } from "../hooks/limit-calls.ts";
import { listActions } from "../hooks/use-actions.ts";
import { useLoaded } from "../hooks/use-loaded.ts";
import { Sheet } from "../ui/sheet.tsx";
import { type Choice, listChoices } from "./list-choices.ts";

const REST_MS = 150;
/** From so many characters on messages are searched too. */
const SEARCHED_LENGTH = 2;

export function Palette({ onClose }: { readonly onClose: () => void }) {
  const [query, setQuery] = useState("");
  const [index, setIndex] = useState(0);
  const wanted = useDebounced(query.trim(), REST_MS);
  const { value: sessions = [] } = useLoaded("palette", listSessions);
  const { value: hits = [] } = useLoaded(wanted, async (signal) =>
    wanted.length < SEARCHED_LENGTH ? [] : searchMessages(wanted, signal),
  );
  const actions = useMemo(listActions, []);
  const choices = listChoices(query.trim(), { actions, sessions, hits: query.trim() === "" ? [] : hits });
  const active = Math.min(index, choices.length - 1);
  const choose = (choice: Choice | undefined) => {
    if (choice === undefined) return;
    onClose();
    // After the sheet has given the focus back, so that what is chosen may take it.
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
  // It was opened to write in it; the sheet gives the focus to its heading while it opens.
  useEffect(() => field.current?.focus(), []);
  return (
    <Sheet title="Go to, or do" className="palette" onClose={onClose}>
      <input
        className="search"
        role="combobox"
        aria-label="What to do, or where to go"
        aria-expanded={choices.length > 0}
        aria-controls="palette-choices"
        aria-activedescendant={choices.length === 0 ? undefined : `choice-${active}`}
        placeholder="An action, a conversation, something that was said"
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
        {choices.length === 0 ? "Nothing has that name, and nobody said it." : ""}
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
  // biome-ignore lint/correctness/useExhaustiveDependencies: the choice is what it waits for.
  useEffect(() => {
    list.current?.querySelector('[aria-selected="true"]')?.scrollIntoView({ block: "nearest" });
  }, [active, choices.length]);
  return (
    <div className="choices" id="palette-choices" role="listbox" aria-label="Choices" ref={list}>
      {choices.map((choice, index) => (
        // biome-ignore lint/a11y/useKeyWithClickEvents: keys are heard where one writes.
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
