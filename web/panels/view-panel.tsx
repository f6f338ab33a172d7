/** The next prompt: its size by section, the changes since the last prompt, and every block in a provider's format. */
import { useState } from "react";
import { readPassages } from "../api/recalls.ts";
import type { PromptReport } from "../api/values.ts";
import { loadLastPrompt, loadView, PROVIDERS, type ProviderName } from "../api/view.ts";
import { useLoaded } from "../hooks/use-loaded.ts";
import type { ShownRecalls } from "../session/use-recalls.ts";
import { describeReason } from "../ui/describe-reason.ts";
import { formatCount, formatNumber, formatPercent } from "../ui/format.ts";
import { RecalledPassages } from "../ui/recalled-passages.tsx";
import { PromptBlocks } from "./prompt-blocks.tsx";
import { PromptDifference } from "./prompt-difference.tsx";
import { describeSpending, type SessionCost } from "./session-cost.ts";
import { divideWindow, PART_LABELS } from "./window-parts.ts";

export interface ViewPanelProps {
  readonly sessionId: string;
  readonly version: number;
  readonly model: string | undefined;
  readonly cost: SessionCost;
  readonly recalls: ShownRecalls;
}

export function ViewPanel({ sessionId, version, model, cost, recalls }: ViewPanelProps) {
  const [provider, setProvider] = useState<ProviderName>("ai-sdk");
  const { value: loaded, error } = useLoaded(`${sessionId} ${provider} ${model} ${version}`, async (signal) => ({
    provider,
    view: await loadView(sessionId, { provider, model }, signal),
  }));
  const { value: last } = useLoaded(`${sessionId} ${provider} ${version}`, async (signal) => ({
    provider,
    ...(await loadLastPrompt(sessionId, provider, signal)),
  }));
  if (loaded === undefined) return <p className="aside panel-empty">{error ?? "Loading…"}</p>;
  const { view } = loaded;
  const { report } = view;
  // The blocks are hidden until the prompt in the chosen format is loaded.
  const isCurrent = loaded.provider === provider;
  return (
    <>
      <Figures report={report} cost={cost} />
      <Tiers tiers={report.plan.tiers ?? []} />
      <Recalled report={report} recalls={recalls} />
      {report.changes.length === 0 ? null : (
        <section className="panel-part">
          <h3>Changed since the last prompt</h3>
          <ul className="plain-list">
            {report.changes.map(({ section, reason }) => (
              <li key={`${section} ${reason}`}>
                <strong>{PART_LABELS[section]?.name ?? section}</strong>: {describeReason(reason)}
              </li>
            ))}
          </ul>
        </section>
      )}
      {isCurrent && last?.provider === provider ? <PromptDifference last={last} after={view.prompt} /> : null}
      <section className="panel-part">
        <div className="panel-line">
          <h3>Prompt</h3>
          <label className="choice">
            <span className="visually-hidden">Format</span>
            <select value={provider} onChange={(event) => setProvider(readProvider(event.target.value))}>
              {Object.entries(PROVIDERS).map(([id, name]) => (
                <option key={id} value={id}>
                  {name}
                </option>
              ))}
            </select>
          </label>
        </div>
        {isCurrent ? <PromptBlocks prompt={view.prompt} /> : <p className="aside">{error ?? "Loading…"}</p>}
      </section>
    </>
  );
}

function Figures({ report, cost }: { readonly report: PromptReport; readonly cost: SessionCost }) {
  const { windowTokens, counter, policy } = report;
  return (
    <section className="panel-part">
      <h3>Tokens by part</h3>
      <table className="figures-table">
        <tbody>
          {divideWindow(report).map(({ name, tokens: count }) => (
            <tr key={name}>
              <th scope="row">
                <span className={`part-key part-${name}`} />
                {PART_LABELS[name]?.name ?? name}
                <small>{PART_LABELS[name]?.meaning}</small>
              </th>
              <td className="figures">{formatNumber(count)}</td>
              <td className="figures aside">{formatPercent(count / Math.max(1, windowTokens))}</td>
            </tr>
          ))}
        </tbody>
      </table>
      <p className="aside">
        Counted by <span className="mono">{counter.id}</span>,{" "}
        {counter.exact ? "the model's own tokenizer" : "estimated"}. Policy <span className="mono">{policy}</span>,
        context window {formatNumber(windowTokens)} tokens.
      </p>
      <p className="aside">{describeSpending(cost).join(" ")}</p>
    </section>
  );
}

/** The recalled passages of the next prompt: those in view, and those that it would add. */
function Recalled({ report, recalls }: { readonly report: PromptReport; readonly recalls: ShownRecalls }) {
  const next = report.recalled && {
    id: undefined,
    afterSeq: Number.POSITIVE_INFINITY,
    passages: readPassages(report.recalled.text, report.recalled.passages),
  };
  const blocks = next === undefined ? recalls.live : [...recalls.live, next];
  if (blocks.length === 0) return null;
  return (
    <section className="panel-part">
      <h3>Recalled passages</h3>
      <p className="aside">Earlier messages that the prompt quotes, because they match a request.</p>
      {blocks.map((block) => (
        <div key={block.id ?? "next"} className="recalled">
          <p className="aside">
            {block.id === undefined ? "In the next prompt" : `After message ${formatNumber(block.afterSeq)}`}
          </p>
          <RecalledPassages block={block} actions={recalls.actions} />
        </div>
      ))}
    </section>
  );
}

/** Workspace items by cache tier: the least changed come first, where a provider's cache keeps them. */
function Tiers({ tiers }: { readonly tiers: NonNullable<PromptReport["plan"]["tiers"]> }) {
  const used = tiers.filter(({ items }) => items.length > 0);
  if (used.length === 0) return null;
  return (
    <section className="panel-part">
      <h3>By cache stability</h3>
      {used.map(({ tier, tokens, items }) => (
        <details key={tier} className="fold">
          <summary>
            <span className="mono">{tier}</span> {PART_LABELS[tier]?.name ?? "Changing now"},{" "}
            {formatCount(tokens, "token")}
          </summary>
          <ul className="plain-list tier-items">
            {items.map((item) => (
              <li key={item.key}>
                <span className="mono">{item.key}</span>{" "}
                <span className="aside figures">
                  {formatCount(item.tokens, "token")}, unchanged in {formatCount(item.seen, "prompt")}
                </span>
              </li>
            ))}
          </ul>
        </details>
      ))}
    </section>
  );
}

function readProvider(value: string): ProviderName {
  return value in PROVIDERS ? (value as ProviderName) : "ai-sdk";
}
