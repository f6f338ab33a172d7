/** Where one message is now, and why. */

import { useState } from "react";
import { type Explained, explainMessage, searchSession } from "../api/log.ts";
import { type Explanation, FATES, type Hit } from "../api/values.ts";
import { useDebounced } from "../hooks/limit-calls.ts";
import { useLoaded } from "../hooks/use-loaded.ts";
import { FATE_WORDS, FateLegend, FateSwatch } from "../strip/fates.tsx";
import { sayReason } from "../ui/describe-reason.ts";

export interface MessagePanelProps {
  readonly sessionId: string;
  readonly messageId: string | undefined;
  readonly version: number;
  /** Who is asked next, where somebody chose. */
  readonly model: string | undefined;
  readonly onJump: (seq: number) => void;
}

export function MessagePanel({ messageId, ...rest }: MessagePanelProps) {
  return (
    <>
      {messageId === undefined ? (
        <p className="aside panel-empty">Choose Explain on a message to read where it is now, and why.</p>
      ) : (
        <MessageExplanation messageId={messageId} {...rest} />
      )}
      <WhyNot {...rest} />
      <section className="panel-part">
        <h3>What can become of a message</h3>
        <FateLegend fates={FATES} />
      </section>
    </>
  );
}

function MessageExplanation(props: MessagePanelProps & { readonly messageId: string }) {
  const { sessionId, messageId, version, model, onJump } = props;
  const { value, error } = useLoaded(`${sessionId} ${messageId} ${version} ${model}`, (signal) =>
    explainMessage({ id: sessionId, messageId, model }, signal),
  );
  if (value === undefined) return <p className="aside panel-empty">{error ?? "Looking…"}</p>;
  const { name, meaning } = FATE_WORDS[value.fate];
  return (
    <section className="panel-part explained">
      <h3>
        <FateSwatch fate={value.fate} /> <span className="sentence-start">{name}</span>
      </h3>
      <p>{meaning}</p>
      <dl className="facts">
        <dt>Why</dt>
        <dd>{sayReason(value.reason)}</dd>
        <dt>In the next prompt</dt>
        <dd>{value.isShown ? "yes, in its own words" : "not in its own words"}</dd>
        {value.isAhead ? (
          <>
            <dt>Stored yet</dt>
            <dd>no: the next prompt is the first for which all that was said has to be made smaller</dd>
          </>
        ) : null}
        <dt>Place in the log</dt>
        <dd className="figures">
          <button type="button" className="link" onClick={() => onJump(value.seq)}>
            {value.seq}
          </button>
        </dd>
        <dt>Id</dt>
        <dd className="mono">{value.messageId}</dd>
      </dl>
    </section>
  );
}

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
