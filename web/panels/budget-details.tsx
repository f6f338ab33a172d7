/** What the budget bar says, for whoever asks: every part with its tokens, and what was spent so far. */
import type { CompactionState, View } from "../api/values.ts";
import { saySpent } from "../session/say-spent.ts";
import type { Spent } from "../session/use-spent.ts";
import { writeWhole } from "../write-figures.ts";
import { divideWindow } from "./divide-window.ts";
import { findLines, type Lines } from "./find-lines.ts";
import { SECTION_WORDS } from "./section-words.ts";

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
