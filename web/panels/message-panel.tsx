/** Explains what the model reads of a message, and why. A search finds messages by their text and shows their fates. */

import { Fragment, useState } from "react";
import { type ExplanationRequest, explainMessage, searchSession } from "../api/log.ts";
import type { Hit } from "../api/search-hit.ts";
import type { Explanation, Fate } from "../api/values.ts";
import { useDebounced } from "../hooks/limit-calls.ts";
import { useLoaded } from "../hooks/use-loaded.ts";
import { FATE_LABELS, FATES, FateLegend, FateSwatch } from "../strip/fates.tsx";
import { describeReason } from "../ui/describe-reason.ts";
import { formatCount } from "../ui/format.ts";

const WHOLE = "yes, word for word";
const SHOWN_PARTS: Readonly<Partial<Record<Fate, string>>> = {
  verbatim: WHOLE,
  pinned: WHOLE,
  pruned: "in part",
  cut: "in part",
};

export interface MessagePanelProps {
  readonly sessionId: string;
  readonly messageId: string | undefined;
  readonly version: number;
  /** The chosen model; undefined for the server's default. */
  readonly model: string | undefined;
  readonly onJump: (seq: number) => void;
}

export function MessagePanel({ messageId, ...rest }: MessagePanelProps) {
  return (
    <>
      {messageId === undefined ? (
        <p className="aside panel-empty">Choose Explain on a message to see what the model reads of it, and why.</p>
      ) : (
        <MessageExplanation messageId={messageId} {...rest} />
      )}
      <WhyNot {...rest} />
      <section className="panel-part">
        <h3>Possible states of a message</h3>
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
  if (value === undefined) return <p className="aside panel-empty">{error ?? "Loading…"}</p>;
  const { name, meaning } = FATE_LABELS[value.fate];
  return (
    <section className="panel-part explained">
      <h3>
        <FateSwatch fate={value.fate} /> <span className="sentence-start">{name}</span>
      </h3>
      <p>{meaning}</p>
      <dl className="facts">
        <dt>Why</dt>
        <dd>{describeReason(value.reason)}</dd>
        <dt>In the next prompt</dt>
        <dd>{SHOWN_PARTS[value.fate] ?? "no"}</dd>
        {value.isAhead ? (
          <>
            <dt>This state</dt>
            <dd>not stored yet: without it, the next prompt would be too long</dd>
          </>
        ) : null}
        {value.recalled?.map(({ entryId, afterSeq, words, tokens }) => (
          <Fragment key={entryId ?? "next"}>
            <dt>Recalled</dt>
            <dd>
              {entryId === undefined ? "in the next prompt" : `after message ${afterSeq}`}, because of{" "}
              {words.join(", ")}: <span className="figures">{formatCount(tokens, "token")}</span>
            </dd>
          </Fragment>
        ))}
        {value.isDismissed === true ? (
          <>
            <dt>Recalled</dt>
            <dd>never: it is left out of recalled passages</dd>
          </>
        ) : null}
        <dt>Position in the log</dt>
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

interface WhyNotProps {
  readonly sessionId: string;
  readonly version: number;
  readonly model: string | undefined;
  readonly onJump: (seq: number) => void;
}

interface FateHit {
  readonly hit: Hit;
  readonly explanation: Explanation;
}

const DEBOUNCE_MS = 250;

function WhyNot({ sessionId, version, model, onJump }: WhyNotProps) {
  const [text, setText] = useState("");
  const query = useDebounced(text.trim(), DEBOUNCE_MS);
  const { value, error } = useLoaded(`${sessionId} ${version} ${model} ${query}`, async (signal) =>
    query === "" ? undefined : searchFates({ id: sessionId, model, query }, signal),
  );
  return (
    <section className="panel-part why-not">
      <h3>
        <label htmlFor="why-not">Why doesn't the model know that?</label>
      </h3>
      <input
        id="why-not"
        className="search"
        type="search"
        placeholder="text of a message"
        value={text}
        onChange={(event) => setText(event.target.value)}
      />
      <p className="aside" role="status">
        {query === "" ? "" : (error ?? describeHits(value))}
      </p>
      <ul className="legend">
        {value?.map(({ hit, explanation }) => (
          <li key={hit.messageId}>
            <FateSwatch fate={explanation.fate} />
            <span>
              <button type="button" className="link" onClick={() => onJump(hit.seq)}>
                {FATE_LABELS[explanation.fate].name}
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

interface FateQuery extends Omit<ExplanationRequest, "messageId"> {
  readonly query: string;
}

async function searchFates({ id, model, query }: FateQuery, signal: AbortSignal): Promise<readonly FateHit[]> {
  const hits = await searchSession(id, query, signal);
  return Promise.all(
    hits.map(async (hit) => ({
      hit,
      explanation: await explainMessage({ id, messageId: hit.messageId, model }, signal),
    })),
  );
}

function describeHits(found: readonly FateHit[] | undefined): string {
  if (found === undefined) return "Searching…";
  if (found.length === 0) return "No message contains this text.";
  const shown = found.filter(({ explanation }) => SHOWN_PARTS[explanation.fate] === WHOLE).length;
  if (shown === found.length) return "The model reads all of these word for word.";
  return shown === 0
    ? "The model reads none of these word for word."
    : `The model reads ${shown} of these ${found.length} word for word.`;
}
