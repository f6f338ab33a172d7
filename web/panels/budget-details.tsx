/** What the budget bar says, for whoever asks: every part with its tokens, and what was spent so far. */
import type { View } from "../api/values.ts";
import { saySpent } from "../session/say-spent.ts";
import type { Spent } from "../session/use-spent.ts";
import { writeWhole } from "../write-figures.ts";
import { SECTION_WORDS } from "./section-words.ts";

export const DETAILS_ID = "budget-details";

export interface BudgetDetailsProps {
  readonly view: View;
  readonly spent: Spent;
  readonly text: string;
  readonly onUsage: () => void;
}

export function BudgetDetails({ view, spent, text, onUsage }: BudgetDetailsProps) {
  const { sections, reserveTokens, limitTokens, tokens, isExact } = view;
  const parts = sections.filter((section) => section.tokens > 0 && section.name !== "reserve");
  const rows = [
    ...parts,
    { name: "reserve", tokens: reserveTokens },
    { name: "free", tokens: Math.max(0, limitTokens - tokens) },
  ];
  return (
    <div className="menu budget-details" id={DETAILS_ID} popover="auto">
      <p>
        <strong>{text}</strong>, {isExact ? "exact" : "an estimate"}
      </p>
      <table className="figures-table">
        <tbody>
          {rows.map(({ name, tokens: count }) => (
            <tr key={name}>
              <th scope="row">
                <span className={`part-key part-${name}`} />
                {name === "free" ? "Free" : (SECTION_WORDS[name]?.name ?? name)}
              </th>
              <td className="figures">{writeWhole(count)}</td>
            </tr>
          ))}
        </tbody>
      </table>
      {saySpent(spent).map((sentence) => (
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
