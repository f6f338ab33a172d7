/** The exact next prompt: where its tokens go, what moved since the last one, and every block in a provider's shape. */
import { useState } from "react";
import { loadLastPrompt } from "../api/last-prompt.ts";
import type { View } from "../api/values.ts";
import { loadView, PROVIDERS, type ProviderName } from "../api/view.ts";
import { useLoaded } from "../hooks/use-loaded.ts";
import { sayReason } from "../ui/describe-reason.ts";
import { writeCount, writeShare, writeWhole } from "../ui/format.ts";
import { PromptBlocks } from "./prompt-blocks.tsx";
import { PromptDifference } from "./prompt-difference.tsx";
import { type Spent, saySpent } from "./session-cost.ts";
import { divideWindow, SECTION_WORDS } from "./window-parts.ts";

export interface ViewPanelProps {
  readonly sessionId: string;
  readonly version: number;
  readonly model: string | undefined;
  readonly spent: Spent;
}

export function ViewPanel({ sessionId, version, model, spent }: ViewPanelProps) {
  const [provider, setProvider] = useState<ProviderName>("ai-sdk");
  const { value: loaded, error } = useLoaded(`${sessionId} ${provider} ${model} ${version}`, async (signal) => ({
    provider,
    view: await loadView(sessionId, { provider, model }, signal),
  }));
  const { value: last } = useLoaded(`${sessionId} ${provider} ${version}`, async (signal) => ({
    provider,
    ...(await loadLastPrompt(sessionId, provider, signal)),
  }));
  if (loaded === undefined) return <p className="aside panel-empty">{error ?? "Looking…"}</p>;
  const { view } = loaded;
  // Until another shape is there, nothing passes for it.
  const isShape = loaded.provider === provider;
  return (
    <>
      <Figures view={view} spent={spent} />
      <Tiers view={view} />
      {view.changes.length === 0 ? null : (
        <section className="panel-part">
          <h3>Moved since the last prompt</h3>
          <ul className="plain-list">
            {view.changes.map(({ section, reason }) => (
              <li key={`${section} ${reason}`}>
                <strong>{SECTION_WORDS[section]?.name ?? section}</strong>: {sayReason(reason)}
              </li>
            ))}
          </ul>
        </section>
      )}
      {isShape && last?.provider === provider ? <PromptDifference last={last} after={view.prompt} /> : null}
      <section className="panel-part">
        <div className="panel-line">
          <h3>The prompt itself</h3>
          <label className="choice">
            <span className="visually-hidden">Shape</span>
            <select value={provider} onChange={(event) => setProvider(readProvider(event.target.value))}>
              {Object.entries(PROVIDERS).map(([id, name]) => (
                <option key={id} value={id}>
                  {name}
                </option>
              ))}
            </select>
          </label>
        </div>
        {isShape ? <PromptBlocks prompt={view.prompt} /> : <p className="aside">{error ?? "Looking…"}</p>}
      </section>
    </>
  );
}

function Figures({ view, spent }: { readonly view: View; readonly spent: Spent }) {
  const { windowTokens, isExact, counter, policy } = view;
  return (
    <section className="panel-part">
      <h3>Where the window goes</h3>
      <table className="figures-table">
        <tbody>
          {divideWindow(view).map(({ name, tokens: count }) => (
            <tr key={name}>
              <th scope="row">
                <span className={`part-key part-${name}`} />
                {SECTION_WORDS[name]?.name ?? name}
                <small>{SECTION_WORDS[name]?.meaning}</small>
              </th>
              <td className="figures">{writeWhole(count)}</td>
              <td className="figures aside">{writeShare(count / Math.max(1, windowTokens))}</td>
            </tr>
          ))}
        </tbody>
      </table>
      <p className="aside">
        Counted by <span className="mono">{counter}</span>, {isExact ? "the model's own tokenizer" : "an estimate"}.
        Policy <span className="mono">{policy}</span>, window {writeWhole(windowTokens)}.
      </p>
      <p className="aside">{saySpent(spent).join(" ")}</p>
    </section>
  );
}

/** How settled the parts of a workspace are: what has not changed for longest stands first, where a cache keeps it. */
function Tiers({ view: { tiers } }: { readonly view: View }) {
  const held = tiers.filter(({ items }) => items.length > 0);
  if (held.length === 0) return null;
  return (
    <section className="panel-part">
      <h3>By how settled it is</h3>
      {held.map(({ tier, tokens, items }) => (
        <details key={tier} className="fold">
          <summary>
            <span className="mono">{tier}</span> {SECTION_WORDS[tier]?.name ?? "Being worked on"},{" "}
            {writeCount(tokens, "token")}
          </summary>
          <ul className="plain-list tier-items">
            {items.map((item) => (
              <li key={item.key}>
                <span className="mono">{item.key}</span>{" "}
                <span className="aside figures">
                  {writeCount(item.tokens, "token")}, unchanged in {writeCount(item.seen, "prompt")}
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
