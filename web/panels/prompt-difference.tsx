/** What the next prompt has that the one that was sent last had not: what went and what came, in their own words. */
import { useMemo } from "react";
import type { LastPrompt } from "../api/last-prompt.ts";
import { writeCount, writeTime } from "../ui/format.ts";
import { comparePrompts, countSame } from "./compare-prompts.ts";
import { LongText, PromptPieces } from "./prompt-pieces.tsx";
import { readPrompt } from "./read-prompt.ts";
import type { PromptBlock } from "./read-prompt-piece.ts";

export interface PromptDifferenceProps {
  readonly last: LastPrompt;
  readonly after: unknown;
}

export function PromptDifference({ last, after }: PromptDifferenceProps) {
  return (
    <section className="panel-part difference">
      <h3>Difference from the last prompt</h3>
      {last.prompt === undefined ? (
        <p className="aside">{sayUnknown(last)}</p>
      ) : (
        <>
          <p className="aside">Sent {writeTime(last.at ?? 0)}; this is what the next one has instead.</p>
          <Compared before={last.prompt} after={after} />
        </>
      )}
    </section>
  );
}

function sayUnknown({ at }: LastPrompt): string {
  if (at === undefined) return "None was sent yet: everything is new.";
  return `It was sent ${writeTime(at)}, and this server does not remember its words: it began later, another one sent it, or something of it was deleted. What moved is named above by its section.`;
}

function Compared({ before, after }: { readonly before: unknown; readonly after: unknown }) {
  const compared = useMemo(() => comparePrompts(readPrompt(before), readPrompt(after)), [before, after]);
  const { same, gone, come, moved } = compared;
  const skipped = come.map((block, index) => countSkipped(block, gone[index]));
  return (
    <>
      <p className="aside">
        Begins with {writeCount(same, "block")} that did not change, which a provider's cache can serve again
        {moved === 0 ? "" : `; ${writeCount(moved, "block")} of what follows only moved`}.
      </p>
      <Side name="went" sign="−" blocks={gone} skipped={skipped} />
      <Side name="came" sign="+" blocks={come} skipped={skipped} />
    </>
  );
}

/** Of words alone: what else a block has is shown whole. */
function countSkipped(come: PromptBlock, gone: PromptBlock | undefined): number {
  const isPlain = [...come.pieces, ...(gone?.pieces ?? [])].every(({ type }) => type === "text");
  return gone?.role === come.role && isPlain ? countSame(come.text, gone.text) : 0;
}

interface SideProps {
  readonly name: "went" | "came";
  readonly sign: string;
  readonly blocks: readonly PromptBlock[];
  /** Characters of each that went and came alike. */
  readonly skipped: readonly number[];
}

function Side({ name, sign, blocks, skipped }: SideProps) {
  if (blocks.length === 0) return null;
  return (
    <details className="fold" open={blocks.length <= 3}>
      <summary>
        {sign} {writeCount(blocks.length, "block")} {name}
      </summary>
      <ol>
        {blocks.map(({ role, text, pieces }, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: a prompt has an order and no ids.
          <li key={index} className={`prompt-block block-${name}`}>
            <p className="prompt-role">
              {sign} {role}
              {(skipped[index] ?? 0) > 0 ? `, after ${writeCount(skipped[index] ?? 0, "character")} that stayed` : null}
            </p>
            {(skipped[index] ?? 0) > 0 ? (
              <LongText text={text.slice(skipped[index])} />
            ) : (
              <PromptPieces pieces={pieces} />
            )}
          </li>
        ))}
      </ol>
    </details>
  );
}
