/** Cost and usage over time: totals by model, and each answer in a chart and a table. */
import type { ReactNode } from "react";
import type { AnswerUsage, ModelUsage, SessionUsage } from "../api/values.ts";
import { loadUsage } from "../api/view.ts";
import { useLoaded } from "../hooks/use-loaded.ts";
import { placeHref } from "../hooks/use-location.ts";
import { formatCost, formatCount, formatDateTime, formatNumber, formatPercent, formatTime } from "../ui/format.ts";
import { countAnswers, describeCost, describeSaved } from "./session-cost.ts";
import { UsageChart } from "./usage-chart.tsx";

export interface UsagePanelProps {
  readonly sessionId: string;
  readonly version: number;
  readonly onJump: (seq: number) => void;
}

/** Answers that fit into the chart. */
const MAX_ANSWERS = 120;

export function UsagePanel({ sessionId, version, onJump }: UsagePanelProps) {
  const { value: usage, error } = useLoaded(`${sessionId} ${version}`, (signal) =>
    loadUsage(sessionId, MAX_ANSWERS, signal),
  );
  if (usage === undefined) return <p className="aside panel-empty">{error ?? "Loading…"}</p>;
  // Answers without a model have no usage to draw.
  const isDrawn = usage.newest.some(({ inputTokens, outputTokens }) => inputTokens + outputTokens > 0);
  // Without answers, summaries can still have a cost.
  if (!isDrawn && usage.costUsd === 0 && usage.unpriced === 0) return <NoUsage usage={usage} />;
  return (
    <>
      <Totals usage={usage} />
      <section className="panel-part">
        <h3>Usage per answer</h3>
        {!isDrawn ? (
          <p className="aside">No answer yet.</p>
        ) : (
          <>
            <UsageChart answers={usage.newest} onJump={onJump} />
            <AnswerTable answers={usage.newest} onJump={onJump} />
          </>
        )}
      </section>
    </>
  );
}

/** Messages before the branch were answered and paid for in the parent. */
function InheritedCosts({ from }: { readonly from: string | undefined }) {
  if (from === undefined) return null;
  return (
    <p className="aside">
      Costs before the branch are counted in{" "}
      <a className="link" href={placeHref({ type: "session", id: from, seq: undefined })}>
        the original conversation
      </a>
      .
    </p>
  );
}

function NoUsage({ usage }: { readonly usage: SessionUsage }) {
  const { models, summaries, inherited } = usage;
  const answers = countAnswers(models);
  const written = [
    ...(answers === 0 ? [] : [formatCount(answers, "answer")]),
    ...(summaries.count === 0 ? [] : [formatCount(summaries.count, "summary", "summaries")]),
  ].join(" and ");
  return (
    <div className="panel-empty">
      <h3>No usage</h3>
      <p className="aside">
        No model was used in this conversation{written === "" ? "" : `: ${written} written by code`}.
      </p>
      <SavedTokens usage={usage} />
      <InheritedCosts from={inherited?.sessionId} />
    </div>
  );
}

function Totals({ usage }: { readonly usage: SessionUsage }) {
  const { models, summaries } = usage;
  return (
    <section className="panel-part">
      <h3>{usage.inherited === undefined ? "Cost so far" : "Cost of this branch"}</h3>
      <p>{describeCost(usage)}</p>
      <SavedTokens usage={usage} />
      <InheritedCosts from={usage.inherited?.sessionId} />
      <UsageTable first="For">
        {models.map((each) => (
          <ModelRow key={each.model ?? ""} use={each} />
        ))}
        {summaries.count === 0 ? null : (
          <tr>
            <th scope="row">{formatCount(summaries.count, "summary", "summaries")}</th>
            <td colSpan={3} />
            <td className="figures">{formatCost(summaries.costUsd)}</td>
          </tr>
        )}
      </UsageTable>
      <p className="aside">Figures are reported by the providers. Estimates are marked with “about”.</p>
    </section>
  );
}

function SavedTokens({ usage }: { readonly usage: SessionUsage }) {
  const text = describeSaved(usage);
  return text === undefined ? null : <p>{text}</p>;
}

const COLUMNS = ["Input", "Cached", "Output", "Cost"] as const;

function UsageTable({ first, children }: { readonly first: string; readonly children: ReactNode }) {
  return (
    <table className="figures-table usage-totals">
      <thead>
        <tr>
          {[first, ...COLUMNS].map((name) => (
            <th key={name} scope="col">
              {name}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>{children}</tbody>
    </table>
  );
}

function ModelRow({ use }: { readonly use: ModelUsage }) {
  const about = use.estimated > 0 ? "about " : "";
  return (
    <tr>
      <th scope="row">
        <span className="mono">{use.model ?? "unknown model"}</span>
        <small>{formatCount(use.answers, "answer")}</small>
      </th>
      <td className="figures">{about + formatNumber(use.inputTokens)}</td>
      <td className="figures">{formatPercent(cacheShareOf(use))}</td>
      <td className="figures">{about + formatNumber(use.outputTokens)}</td>
      <td className="figures">{describePrice(use.costUsd, about)}</td>
    </tr>
  );
}

function AnswerTable({
  answers,
  onJump,
}: {
  readonly answers: readonly AnswerUsage[];
  readonly onJump: UsagePanelProps["onJump"];
}) {
  return (
    <details className="fold">
      <summary>Table, newest first</summary>
      <UsageTable first="When">
        {answers.toReversed().map((answer) => (
          <tr key={answer.messageId}>
            <th scope="row">
              <button
                type="button"
                className="link"
                title={formatDateTime(answer.at)}
                onClick={() => onJump(answer.seq)}
              >
                {formatTime(answer.at, Date.now())}
              </button>
            </th>
            <td className="figures">{prefixOf(answer) + formatNumber(answer.inputTokens)}</td>
            <td className="figures">{answer.isEstimate ? "unknown" : formatPercent(cacheShareOf(answer))}</td>
            <td className="figures">{prefixOf(answer) + formatNumber(answer.outputTokens)}</td>
            <td className="figures">{describePrice(answer.costUsd, prefixOf(answer))}</td>
          </tr>
        ))}
      </UsageTable>
    </details>
  );
}

function prefixOf({ isEstimate }: AnswerUsage): string {
  return isEstimate ? "about " : "";
}

function cacheShareOf({ cacheReadTokens, inputTokens }: Pick<ModelUsage, "cacheReadTokens" | "inputTokens">): number {
  return inputTokens === 0 ? 0 : Math.min(1, cacheReadTokens / inputTokens);
}

function describePrice(costUsd: number | undefined, about: string): string {
  return costUsd === undefined ? "price unknown" : about + formatCost(costUsd);
}
