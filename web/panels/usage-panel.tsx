/** Cost and usage over time: what the conversation has taken by model, and answer by answer as a picture and a table. */
import { type AnswerUse, loadUsage, type ModelUse, type SessionUsage } from "../api/usage.ts";
import { useLoaded } from "../hooks/use-loaded.ts";
import { sayCost } from "../session/say-spent.ts";
import { writeCost, writeCount, writeShare, writeTime, writeWhen, writeWhole } from "../write-figures.ts";
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

function Unused({ usage: { models, summaries } }: { readonly usage: SessionUsage }) {
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
    </div>
  );
}

function Totals({ usage }: { readonly usage: SessionUsage }) {
  const { models, summaries } = usage;
  return (
    <section className="panel-part">
      <h3>Cost so far</h3>
      <p>{sayCost(usage)}</p>
      <table className="figures-table usage-totals">
        <thead>
          <tr>
            <th scope="col">For</th>
            <th scope="col">Read</th>
            <th scope="col">Cached</th>
            <th scope="col">Wrote</th>
            <th scope="col">Cost</th>
          </tr>
        </thead>
        <tbody>
          {models.map((each) => (
            <ModelRow key={each.model ?? ""} use={each} />
          ))}
          <tr>
            <th scope="row">{writeCount(summaries.count, "summary", "summaries")}</th>
            <td colSpan={3} />
            <td className="figures">{writeCost(summaries.costUsd)}</td>
          </tr>
        </tbody>
      </table>
      <p className="aside">
        Figures are the providers' own; an answer that came without any is counted here and marked with “about”. What a
        conversation took before it was forked is told where it was said.
      </p>
    </section>
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
      <table className="figures-table usage-totals">
        <thead>
          <tr>
            <th scope="col">When</th>
            <th scope="col">Read</th>
            <th scope="col">Cached</th>
            <th scope="col">Wrote</th>
            <th scope="col">Cost</th>
          </tr>
        </thead>
        <tbody>
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
        </tbody>
      </table>
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
