/**
 * How full the context window is, as a bar and as text. Parts are in the order in which the model reads them, with the
 * reserve at the end; lines mark where a compaction starts and how small it makes the prompt.
 */
import type { CompactionState, PromptReport } from "../api/values.ts";
import { formatCompact, formatCount, formatNumber, formatPercent } from "../ui/format.ts";
import { describeCacheShare, describeSpending, formatShortCost, type SessionCost } from "./session-cost.ts";
import { divideWindow, PART_LABELS } from "./window-parts.ts";

export interface BudgetBarProps {
  readonly report: PromptReport | undefined;
  readonly compaction: CompactionState | undefined;
  readonly cost: SessionCost;
  /** Opens the usage panel. */
  readonly onUsage: () => void;
  /** Whether no prompt fits into the window. */
  readonly isFull?: boolean | undefined;
}

const HIGH_SHARE = 0.75;
const FULL_SHARE = 0.9;
const LEVEL_WORDS = { calm: "", high: ", nearly full", full: ", full" } as const;
const DETAILS_ID = "budget-details";
const LABEL = "Context window usage";

export function BudgetBar({ report, compaction, cost, isFull = false, onUsage }: BudgetBarProps) {
  if (isFull) return <FullBar />;
  if (report === undefined || report.windowTokens === 0) return <div className="budget" />;
  const { tokens, windowTokens, limitTokens, reserveTokens, counter, sections } = report;
  const share = tokens / Math.max(1, limitTokens);
  const level = share >= FULL_SHARE ? "full" : share >= HIGH_SHARE ? "high" : "calm";
  const text = `${counter.exact ? "" : "about "}${formatCompact(tokens)} of ${formatCompact(limitTokens)} tokens, ${formatPercent(share)}${LEVEL_WORDS[level]}`;
  const parts = sections.filter((section) => section.tokens > 0 && section.name !== "reserve");
  const { trigger, target } = findThresholds(report, compaction);
  return (
    <div className={`budget budget-${level}`}>
      <div
        className="budget-bar"
        role="progressbar"
        aria-label={LABEL}
        aria-valuemin={0}
        aria-valuemax={limitTokens}
        aria-valuenow={Math.min(tokens, limitTokens)}
        aria-valuetext={text}
      >
        {parts.map((section) => (
          <span
            key={section.name}
            className={`budget-part part-${section.name}`}
            style={{ width: toPercent(section.tokens / windowTokens) }}
            title={`${PART_LABELS[section.name]?.name ?? section.name}: ${formatCount(section.tokens, "token")}`}
          />
        ))}
        <span
          className="budget-reserve"
          style={{ width: toPercent(reserveTokens / windowTokens) }}
          title={`Reserved for the answer: ${formatNumber(reserveTokens)} tokens`}
        />
        {target === undefined ? null : (
          <span
            className="budget-target"
            style={{ left: toPercent(target / windowTokens) }}
            title={`A compaction reduces the prompt to at most ${formatNumber(target)} tokens`}
          />
        )}
        {trigger === undefined ? null : (
          <span
            className="budget-trigger"
            style={{ left: toPercent(trigger / windowTokens) }}
            title={`Compaction can start at ${formatNumber(trigger)} tokens`}
          />
        )}
      </div>
      <button type="button" className="budget-text figures" title="Show details" popoverTarget={DETAILS_ID}>
        {[text, describeCacheShare(cost), cost.usage && formatShortCost(cost.usage)].filter(Boolean).join(", ")}
      </button>
      <BudgetDetails report={report} compaction={compaction} cost={cost} text={text} onUsage={onUsage} />
    </div>
  );
}

/** There are no figures for a prompt that does not fit. */
function FullBar() {
  const text = "Full: the next prompt does not fit";
  return (
    <div className="budget budget-full">
      <div
        className="budget-bar"
        role="progressbar"
        aria-label={LABEL}
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

function toPercent(share: number): string {
  return `${Math.min(100, Math.max(0, share * 100))}%`;
}

interface BudgetDetailsProps extends Pick<BudgetBarProps, "compaction" | "cost" | "onUsage"> {
  readonly report: PromptReport;
  readonly text: string;
}

/** Every part with its tokens, the thresholds and the cost so far. */
function BudgetDetails({ report, compaction, cost, text, onUsage }: BudgetDetailsProps) {
  const sentences = [
    describeThresholds(report.windowTokens, findThresholds(report, compaction)),
    ...describeSpending(cost),
  ];
  return (
    <div className="menu budget-details" id={DETAILS_ID} popover="auto">
      <p>
        <strong>{text}</strong>, {report.counter.exact ? "exact" : "estimated"}
      </p>
      <table className="figures-table">
        <tbody>
          {divideWindow(report).map(({ name, tokens }) => (
            <tr key={name}>
              <th scope="row">
                <span className={`part-key part-${name}`} />
                {PART_LABELS[name]?.name ?? name}
              </th>
              <td className="figures">{formatNumber(tokens)}</td>
            </tr>
          ))}
        </tbody>
      </table>
      {sentences.map((sentence) => (
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

interface Thresholds {
  /** Where a compaction can start, and how small it makes the prompt; undefined if the policy has no such limit. */
  readonly trigger: number | undefined;
  readonly target: number | undefined;
}

function findThresholds({ windowTokens, limitTokens }: PromptReport, state: CompactionState | undefined): Thresholds {
  if (state?.enabled !== true) return { trigger: undefined, target: undefined };
  const { triggerTokens, targetTokens } = state;
  return {
    trigger: triggerTokens > 0 && triggerTokens <= windowTokens ? triggerTokens : undefined,
    target: targetTokens > 0 && targetTokens < limitTokens ? targetTokens : undefined,
  };
}

function describeThresholds(windowTokens: number, { trigger, target }: Thresholds): string {
  const window = `The context window has ${formatNumber(windowTokens)} tokens.`;
  if (trigger === undefined) return window;
  const goal = target === undefined ? "" : ` It reduces the prompt to at most ${formatNumber(target)} tokens.`;
  return `${window} Compaction can start at ${formatNumber(trigger)} tokens of conversation.${goal}`;
}
