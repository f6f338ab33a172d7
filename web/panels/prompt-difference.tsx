/** The difference between the next prompt and the last one that was sent. */
import { useMemo } from "react";
import type { LastPrompt } from "../api/values.ts";
import { formatCount, formatDateTime } from "../ui/format.ts";
import { comparePrompts, countCommonCharacters } from "./compare-prompts.ts";
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
        <p className="aside">{describeMissing(last)}</p>
      ) : (
        <>
          <p className="aside">The last prompt was sent {formatDateTime(last.at ?? 0)}.</p>
          <PromptComparison before={last.prompt} after={after} />
        </>
      )}
    </section>
  );
}

function describeMissing({ at }: LastPrompt): string {
  if (at === undefined) return "No prompt has been sent yet.";
  return `The last prompt was sent ${formatDateTime(at)}, but this server no longer has its text: it was restarted, another server sent it, or a message was deleted. The changed sections are listed above.`;
}

function PromptComparison({ before, after }: { readonly before: unknown; readonly after: unknown }) {
  const comparison = useMemo(() => comparePrompts(readPrompt(before), readPrompt(after)), [before, after]);
  const { same, removed, added, moved } = comparison;
  const skipped = added.map((block, index) => countSkipped(block, removed[index]));
  return (
    <>
      <p className="aside">
        {formatCount(same, "block")} unchanged at the start, which a provider's cache can serve
        {moved === 0 ? "" : `; ${formatCount(moved, "later block")} only moved`}.
      </p>
      <Side name="removed" sign="−" blocks={removed} skipped={skipped} />
      <Side name="added" sign="+" blocks={added} skipped={skipped} />
    </>
  );
}

/** Counts the unchanged characters to leave out. Blocks that are not plain text are shown whole. */
function countSkipped(added: PromptBlock, removed: PromptBlock | undefined): number {
  const isPlain = [...added.pieces, ...(removed?.pieces ?? [])].every(({ type }) => type === "text");
  return removed?.role === added.role && isPlain ? countCommonCharacters(added.text, removed.text) : 0;
}

interface SideProps {
  readonly name: "removed" | "added";
  readonly sign: string;
  readonly blocks: readonly PromptBlock[];
  /** Unchanged characters at the start of each block. */
  readonly skipped: readonly number[];
}

function Side({ name, sign, blocks, skipped }: SideProps) {
  if (blocks.length === 0) return null;
  return (
    <details className="fold" open={blocks.length <= 3}>
      <summary>
        {sign} {formatCount(blocks.length, "block")} {name}
      </summary>
      <ol>
        {blocks.map(({ role, text, pieces }, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: a prompt has an order and no ids.
          <li key={index} className={`prompt-block block-${name}`}>
            <p className="prompt-role">
              {sign} {role}
              {(skipped[index] ?? 0) > 0 ? `, after ${formatCount(skipped[index] ?? 0, "unchanged character")}` : null}
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
