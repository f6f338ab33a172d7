/** Cost and usage over time: what the conversation has taken by model, and answer by answer as a picture and a table. */
import type { ReactNode } from "react";
import { type AnswerUse, loadUsage, type ModelUse, type SessionUsage } from "../api/usage.ts";
import { useLoaded } from "../hooks/use-loaded.ts";
import { writePlace } from "../hooks/use-location.ts";
import { writeCost, writeCount, writeShare, writeTime, writeWhen, writeWhole } from "../ui/format.ts";
import { sayCost } from "./session-cost.ts";
import { UsageChart } from "./usage-chart.tsx";

export interface UsagePanelProps {
  readonly sessionId: string;
  readonly version: number;
  readonly onJump: (seq: number) => void;
}

/** Answers that the picture has room for. */
const MOST_ANSWERS = 120;

export function UsagePanel({ sessionId, version, onJump }: UsagePanelProps) {
  const { value: usage, error } = useLoaded(`${sessionId} ${version}`, (signal) =>
    loadUsage(sessionId, MOST_ANSWERS, signal),
  );
  if (usage === undefined) return <p className="aside panel-empty">{error ?? "Looking…"}</p>;
  // Answers that no model has written are in the log too; there is nothing of them to draw.
  const isDrawn = usage.newest.some(({ inputTokens, outputTokens }) => inputTokens + outputTokens > 0);
  // A summary by a model may have cost something all the same.
  if (!isDrawn && usage.costUsd === 0 && usage.unpriced === 0) return <Unused usage={usage} />;
  return (
    <>
      <Totals usage={usage} />
      <section className="panel-part">
        <h3>Answer by answer</h3>
        {!isDrawn ? (
          <p className="aside">Nothing yet: every answer of a model is drawn here, with what it read and wrote.</p>
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

/** What a fork shows of its past is neither answered nor paid here. */
function Inherited({ from }: { readonly from: string | undefined }) {
  if (from === undefined) return null;
  return (
    <p className="aside">
      What was said before the ways parted was answered and paid in{" "}
      <a className="link" href={writePlace({ type: "session", id: from, seq: undefined })}>
        the conversation that this one left
      </a>
      .
    </p>
  );
}

function Unused({ usage: { models, summaries, inheritedFrom } }: { readonly usage: SessionUsage }) {
  const answers = models.reduce((sum, each) => sum + each.answers, 0);
  const written = [
    ...(answers === 0 ? [] : [writeCount(answers, "answer")]),
    ...(summaries.count === 0 ? [] : [writeCount(summaries.count, "summary", "summaries")]),
  ].join(" and ");
  return (
    <div className="panel-empty">
      <h3>Nothing was used</h3>
      <p className="aside">
        No model was asked here, so that nothing was read, written or paid
        {written === "" ? "" : `: ${written} came without one`}. What a model reads and writes is told here answer by
        answer.
      </p>
      <Inherited from={inheritedFrom} />
    </div>
  );
}

function Totals({ usage }: { readonly usage: SessionUsage }) {
  const { models, summaries } = usage;
  return (
    <section className="panel-part">
      <h3>{usage.inheritedFrom === undefined ? "Cost so far" : "Cost of this way"}</h3>
      <p>{sayCost(usage)}</p>
      <Inherited from={usage.inheritedFrom} />
      <UsageTable first="For">
        {models.map((each) => (
          <ModelRow key={each.model ?? ""} use={each} />
        ))}
        {summaries.count === 0 ? null : (
          <tr>
            <th scope="row">{writeCount(summaries.count, "summary", "summaries")}</th>
            <td colSpan={3} />
            <td className="figures">{writeCost(summaries.costUsd)}</td>
          </tr>
        )}
      </UsageTable>
      <p className="aside">
        Figures are the providers' own; an answer that came without any is counted here and marked with “about”.
      </p>
    </section>
  );
}

const COLUMNS = ["Read", "Cached", "Wrote", "Cost"] as const;

/** What its rows are of stands in the first column. */
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

function ModelRow({ use }: { readonly use: ModelUse }) {
  const about = use.estimated > 0 ? "about " : "";
  return (
    <tr>
      <th scope="row">
        <span className="mono">{use.model ?? "no model named"}</span>
        <small>{writeCount(use.answers, "answer")}</small>
      </th>
      <td className="figures">{about + writeWhole(use.inputTokens)}</td>
      <td className="figures">{writeShare(shareOf(use))}</td>
      <td className="figures">{about + writeWhole(use.outputTokens)}</td>
      <td className="figures">{sayPrice(use.costUsd, about)}</td>
    </tr>
  );
}

function AnswerTable({
  answers,
  onJump,
}: {
  readonly answers: readonly AnswerUse[];
  readonly onJump: UsagePanelProps["onJump"];
}) {
  return (
    <details className="fold">
      <summary>As a table, the newest first</summary>
      <UsageTable first="When">
        {answers.toReversed().map((answer) => (
          <tr key={answer.messageId}>
            <th scope="row">
              <button type="button" className="link" title={writeTime(answer.at)} onClick={() => onJump(answer.seq)}>
                {writeWhen(answer.at, Date.now())}
              </button>
            </th>
            <td className="figures">{aboutOf(answer) + writeWhole(answer.inputTokens)}</td>
            <td className="figures">{answer.isEstimate ? "not told" : writeShare(shareOf(answer))}</td>
            <td className="figures">{aboutOf(answer) + writeWhole(answer.outputTokens)}</td>
            <td className="figures">{sayPrice(answer.costUsd, aboutOf(answer))}</td>
          </tr>
        ))}
      </UsageTable>
    </details>
  );
}

function aboutOf({ isEstimate }: AnswerUse): string {
  return isEstimate ? "about " : "";
}

function shareOf({ cacheReadTokens, inputTokens }: Pick<ModelUse, "cacheReadTokens" | "inputTokens">): number {
  return inputTokens === 0 ? 0 : Math.min(1, cacheReadTokens / inputTokens);
}

function sayPrice(costUsd: number | undefined, about: string): string {
  return costUsd === undefined ? "price not known" : about + writeCost(costUsd);
}
