/** "Why does it not know that?": where something was said, and what the model sees of it now. */
import { useState } from "react";
import { type Explained, explainMessage, searchSession } from "../api/log.ts";
import type { Explanation, Hit } from "../api/values.ts";
import { useDebounced } from "../hooks/use-debounced.ts";
import { useLoaded } from "../hooks/use-loaded.ts";
import { FateSwatch } from "../strip/fate-swatch.tsx";
import { FATE_WORDS } from "../strip/fate-words.ts";

export interface WhyNotProps {
  readonly sessionId: string;
  readonly version: number;
  readonly model: string | undefined;
  readonly onJump: (seq: number) => void;
}

interface Found {
  readonly hit: Hit;
  readonly explanation: Explanation;
}

const REST_MS = 250;

export function WhyNot({ sessionId, version, model, onJump }: WhyNotProps) {
  const [text, setText] = useState("");
  const query = useDebounced(text.trim(), REST_MS);
  const { value, error } = useLoaded(`${sessionId} ${version} ${model} ${query}`, async (signal) =>
    query === "" ? undefined : findWhy({ id: sessionId, model, query }, signal),
  );
  return (
    <section className="panel-part why-not">
      <h3>
        <label htmlFor="why-not">Why does it not know that?</label>
      </h3>
      <input
        id="why-not"
        className="search"
        type="search"
        placeholder="a word that was said"
        value={text}
        onChange={(event) => setText(event.target.value)}
      />
      <p className="aside" role="status">
        {query === "" ? "" : (error ?? say(value))}
      </p>
      <ul className="legend">
        {value?.map(({ hit, explanation }) => (
          <li key={hit.messageId}>
            <FateSwatch fate={explanation.fate} />
            <span>
              <button type="button" className="link" onClick={() => onJump(hit.seq)}>
                {FATE_WORDS[explanation.fate].name}
              </button>{" "}
              {hit.before}
              <mark>{hit.match}</mark>
              {hit.after}
            </span>
          </li>
        ))}
      </ul>
    </section>
  );
}

interface Asked extends Omit<Explained, "messageId"> {
  readonly query: string;
}

async function findWhy({ id, model, query }: Asked, signal: AbortSignal): Promise<readonly Found[]> {
  const hits = await searchSession(id, query, signal);
  return Promise.all(
    hits.map(async (hit) => ({
      hit,
      explanation: await explainMessage({ id, messageId: hit.messageId, model }, signal),
    })),
  );
}

function say(found: readonly Found[] | undefined): string {
  if (found === undefined) return "Searching…";
  if (found.length === 0) return "Nobody said that here.";
  const shown = found.filter(({ explanation }) => explanation.isShown).length;
  if (shown === found.length) return "It reads all of these in their own words.";
  return shown === 0 ? "It reads none of these in their own words." : `It reads ${shown} of these ${found.length}.`;
}
