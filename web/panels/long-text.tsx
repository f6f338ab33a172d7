/** A text of which the beginning is shown first: nothing scrolls inside of something that scrolls. */
import { useState } from "react";
import { writeCount } from "../write-figures.ts";

/** Characters and lines of the beginning. */
const FIRST_CHARACTERS = 480;
const FIRST_LINES = 8;

export interface LongTextProps {
  readonly text: string;
  /** Set as code, and wrapped like words. */
  readonly isCode?: boolean | undefined;
}

export function LongText({ text, isCode = false }: LongTextProps) {
  const [isOpen, setIsOpen] = useState(false);
  const first = text.split("\n").slice(0, FIRST_LINES).join("\n").slice(0, FIRST_CHARACTERS);
  const rest = text.length - first.length;
  const shown = isOpen || rest === 0 ? text : `${first.trimEnd()}…`;
  return (
    <>
      {isCode ? <pre className="prompt-code">{shown}</pre> : <p className="prompt-text">{shown}</p>}
      {rest === 0 ? null : (
        <button type="button" className="quiet" aria-expanded={isOpen} onClick={() => setIsOpen(!isOpen)}>
          {isOpen ? "Show less" : `Show ${writeCount(rest, "more character")}`}
        </button>
      )}
    </>
  );
}
