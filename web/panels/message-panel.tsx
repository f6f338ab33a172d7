/** Where one message is now, and why. */
import { explainMessage } from "../api/log.ts";
import { FATES } from "../api/values.ts";
import { useLoaded } from "../hooks/use-loaded.ts";
import { sayReason } from "../say-reason.ts";
import { FateSwatch } from "../strip/fate-swatch.tsx";
import { FATE_WORDS } from "../strip/fate-words.ts";
import { WhyNot } from "./why-not.tsx";

export interface MessagePanelProps {
  readonly sessionId: string;
  readonly messageId: string | undefined;
  readonly version: number;
  readonly onJump: (seq: number) => void;
}

export function MessagePanel({ sessionId, messageId, version, onJump }: MessagePanelProps) {
  return (
    <>
      {messageId === undefined ? (
        <p className="aside panel-empty">Choose Explain on a message to read where it is now, and why.</p>
      ) : (
        <Explained sessionId={sessionId} messageId={messageId} version={version} onJump={onJump} />
      )}
      <WhyNot sessionId={sessionId} version={version} onJump={onJump} />
      <section className="panel-part">
        <h3>What can become of a message</h3>
        <ul className="legend">
          {FATES.map((fate) => (
            <li key={fate}>
              <FateSwatch fate={fate} />
              <span>
                <strong>{FATE_WORDS[fate].name}</strong> {FATE_WORDS[fate].meaning}
              </span>
            </li>
          ))}
        </ul>
      </section>
    </>
  );
}

function Explained({ sessionId, messageId, version, onJump }: MessagePanelProps & { readonly messageId: string }) {
  const { value, error } = useLoaded(`${sessionId} ${messageId} ${version}`, (signal) =>
    explainMessage(sessionId, messageId, signal),
  );
  if (value === undefined) return <p className="aside panel-empty">{error ?? "Looking…"}</p>;
  const { name, meaning } = FATE_WORDS[value.fate];
  return (
    <section className="panel-part explained">
      <h3>
        <FateSwatch fate={value.fate} /> {name}
      </h3>
      <p>{meaning}</p>
      <dl className="facts">
        <dt>Why</dt>
        <dd>{sayReason(value.reason)}</dd>
        <dt>In the next prompt</dt>
        <dd>{value.isShown ? "yes, in its own words" : "not in its own words"}</dd>
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
