/** Where one message is now, and why. */
import { explainMessage } from "../api/log.ts";
import { FATES } from "../api/values.ts";
import { useLoaded } from "../hooks/use-loaded.ts";
import { sayReason } from "../say-reason.ts";
import { FateLegend } from "../strip/fate-legend.tsx";
import { FateSwatch } from "../strip/fate-swatch.tsx";
import { FATE_WORDS } from "../strip/fate-words.ts";
import { WhyNot } from "./why-not.tsx";

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
        <Explained messageId={messageId} {...rest} />
      )}
      <WhyNot {...rest} />
      <section className="panel-part">
        <h3>What can become of a message</h3>
        <FateLegend fates={FATES} />
      </section>
    </>
  );
}

function Explained(props: MessagePanelProps & { readonly messageId: string }) {
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
