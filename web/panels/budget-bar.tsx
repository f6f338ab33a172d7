/**
 * How full the window is, always in sight and always in words too. Parts lie in the order in which the model reads
 * them; the reserve is held back at the end. Where a compaction is due is a line across the bar.
 */
import type { CompactionState, View } from "../api/values.ts";
import { sayCached, sayShortCost } from "../session/say-spent.ts";
import type { Spent } from "../session/use-spent.ts";
import { writeCount, writeShare, writeShort, writeWhole } from "../write-figures.ts";
import { BudgetDetails, DETAILS_ID } from "./budget-details.tsx";
import { findLines } from "./find-lines.ts";
import { SECTION_WORDS } from "./section-words.ts";

export interface BudgetBarProps {
  readonly view: View | undefined;
  readonly compaction: CompactionState | undefined;
  readonly spent: Spent;
  /** Asks for the cost and usage over time. */
  readonly onUsage: () => void;
  /** No prompt can be made at all. */
  readonly isFull?: boolean | undefined;
}

const HIGH_SHARE = 0.75;
const FULL_SHARE = 0.9;

export function BudgetBar({ view, compaction, spent, isFull = false, onUsage }: BudgetBarProps) {
  if (isFull) return <FullBar />;
  if (view === undefined || view.windowTokens === 0) return <div className="budget" />;
  const { tokens, windowTokens, limitTokens, reserveTokens, isExact, sections } = view;
  const share = tokens / Math.max(1, limitTokens);
  const level = share >= FULL_SHARE ? "full" : share >= HIGH_SHARE ? "high" : "calm";
  const text = `${isExact ? "" : "about "}${writeShort(tokens)} of ${writeShort(limitTokens)} tokens, ${writeShare(share)}${LEVEL_WORDS[level]}`;
  const parts = sections.filter((section) => section.tokens > 0 && section.name !== "reserve");
  const { trigger, target } = findLines(view, compaction);
  return (
    <div className={`budget budget-${level}`}>
      <div
        className="budget-bar"
        role="progressbar"
        aria-label="How full the window is"
        aria-valuemin={0}
        aria-valuemax={limitTokens}
        aria-valuenow={Math.min(tokens, limitTokens)}
        aria-valuetext={text}
      >
        {parts.map((section) => (
          <span
            key={section.name}
            className={`budget-part part-${section.name}`}
            style={{ width: writePercent(section.tokens / windowTokens) }}
            title={`${SECTION_WORDS[section.name]?.name ?? section.name}: ${writeCount(section.tokens, "token")}`}
          />
        ))}
        <span
          className="budget-reserve"
          style={{ width: writePercent(reserveTokens / windowTokens) }}
          title={`Held back for the reply: ${writeWhole(reserveTokens)} tokens`}
        />
        {target === undefined ? null : (
          <span
            className="budget-target"
            style={{ left: writePercent(target / windowTokens) }}
            title={`A compaction makes the prompt no larger than ${writeWhole(target)} tokens`}
          />
        )}
        {trigger === undefined ? null : (
          <span
            className="budget-trigger"
            style={{ left: writePercent(trigger / windowTokens) }}
            title={`A compaction may come from ${writeWhole(trigger)} tokens of conversation on`}
          />
        )}
      </div>
      <button type="button" className="budget-text figures" title="What each part is" popoverTarget={DETAILS_ID}>
        {[text, sayCached(spent), spent.usage && sayShortCost(spent.usage)].filter(Boolean).join(", ")}
      </button>
      <BudgetDetails view={view} compaction={compaction} spent={spent} text={text} onUsage={onUsage} />
    </div>
  );
}

/** There are no figures of a prompt that cannot be made; that it is full is what has to be seen. */
function FullBar() {
  const text = "full: the next prompt does not fit";
  return (
    <div className="budget budget-full">
      <div
        className="budget-bar"
        role="progressbar"
        aria-label="How full the window is"
        aria-valuemin={0}
        aria-valuemax={100}
        aria-valuenow={100}
        aria-valuetext={text}
      >
        <span className="budget-part part-history" style={{ width: "100%" }} />
      </div>
      <p className="budget-text">{text}</p>
    </div>
  );
}

const LEVEL_WORDS = { calm: "", high: ", nearly full", full: ", full" } as const;

function writePercent(share: number): string {
  return `${Math.min(100, Math.max(0, share * 100))}%`;
}
