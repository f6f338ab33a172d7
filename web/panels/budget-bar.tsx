/**
 * How full the window is, always in sight and always in words too. Parts lie in the order in which the model reads
 * them; the reserve is held back at the end. Where a compaction is due is a line across the bar.
 */
import type { CompactionState, View } from "../api/values.ts";
import { writeCount, writeShare, writeShort, writeWhole } from "../ui/format.ts";
import { type Spent, sayCached, sayShortCost, saySpent } from "./session-cost.ts";
import { divideWindow, SECTION_WORDS } from "./window-parts.ts";

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

export const DETAILS_ID = "budget-details";

export interface BudgetDetailsProps {
  readonly view: View;
  readonly compaction: CompactionState | undefined;
  readonly spent: Spent;
  readonly text: string;
  readonly onUsage: () => void;
}

export function BudgetDetails({ view, compaction, spent, text, onUsage }: BudgetDetailsProps) {
  const { windowTokens, isExact } = view;
  return (
    <div className="menu budget-details" id={DETAILS_ID} popover="auto">
      <p>
        <strong>{text}</strong>, {isExact ? "exact" : "an estimate"}
      </p>
      <table className="figures-table">
        <tbody>
          {divideWindow(view).map(({ name, tokens: count }) => (
            <tr key={name}>
              <th scope="row">
                <span className={`part-key part-${name}`} />
                {SECTION_WORDS[name]?.name ?? name}
              </th>
              <td className="figures">{writeWhole(count)}</td>
            </tr>
          ))}
        </tbody>
      </table>
      {[sayLines(windowTokens, findLines(view, compaction)), ...saySpent(spent)].map((sentence) => (
        <p key={sentence} className="aside">
          {sentence}
        </p>
      ))}
      <button
        type="button"
        className="quiet"
        onClick={() => {
          document.getElementById(DETAILS_ID)?.hidePopover();
          onUsage();
        }}
      >
        Cost and usage over time
      </button>
    </div>
  );
}

function sayLines(windowTokens: number, { trigger, target }: Lines): string {
  const window = `The window is ${writeWhole(windowTokens)} tokens.`;
  if (trigger === undefined) return window;
  const small = target === undefined ? "" : `, and makes the prompt no larger than ${writeWhole(target)}`;
  return `${window} A compaction may come from ${writeWhole(trigger)} tokens of conversation on${small}.`;
}

export interface Lines {
  readonly trigger: number | undefined;
  readonly target: number | undefined;
}

export function findLines(
  { windowTokens, limitTokens }: Pick<View, "windowTokens" | "limitTokens">,
  compaction: CompactionState | undefined,
): Lines {
  if (compaction?.isEnabled !== true) return { trigger: undefined, target: undefined };
  const { triggerTokens, targetTokens } = compaction;
  return {
    trigger: triggerTokens > 0 && triggerTokens <= windowTokens ? triggerTokens : undefined,
    target: targetTokens > 0 && targetTokens < limitTokens ? targetTokens : undefined,
  };
}
