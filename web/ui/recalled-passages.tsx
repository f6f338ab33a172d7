/** Recalled passages with their matched words and cost, and buttons to leave one out or to pin its message. */
import type { RecalledBlock, RecalledPassage } from "../api/recalls.ts";
import { placeHref } from "../hooks/use-location.ts";
import { formatCount } from "./format.ts";

export interface RecallActions {
  readonly dismiss: (messageId: string) => void;
  readonly pin: (messageId: string) => void;
  readonly jump: (seq: number) => void;
  readonly stateOf: (passage: RecalledPassage) => "quoted" | "dismissed" | "pinned";
  readonly isInPrompt: (block: RecalledBlock) => boolean;
}

export interface RecalledPassagesProps {
  readonly block: RecalledBlock;
  readonly actions: RecallActions;
}

export function RecalledPassages({ block, actions }: RecalledPassagesProps) {
  const canChange = actions.isInPrompt(block);
  return (
    <ul className="recalled-list">
      {block.passages.map((passage) => {
        const state = actions.stateOf(passage);
        return (
          <li
            key={`${passage.sessionId} ${passage.messageId}`}
            className={state === "quoted" ? "" : "recalled-left-out"}
          >
            <p className="recalled-text">
              <strong>{SPEAKERS[passage.speaker] ?? passage.speaker}</strong> {passage.text}
            </p>
            <p className="recalled-why">
              {passage.words.length === 0 ? null : (
                <>
                  Matches{" "}
                  {passage.words.map((word) => (
                    <mark key={word}>{word}</mark>
                  ))}
                </>
              )}
              <span className="figures">{formatCount(passage.tokens, "token")}</span>
              {state === "quoted" ? null : (
                <span className="fate-name">{state === "pinned" ? "pinned" : "left out"}</span>
              )}
            </p>
            <p className="recalled-tools">
              {state === "quoted" && canChange && passage.sessionId === undefined ? (
                <>
                  <button type="button" className="quiet" onClick={() => actions.dismiss(passage.messageId)}>
                    Leave out
                  </button>
                  <button type="button" className="quiet" onClick={() => actions.pin(passage.messageId)}>
                    Pin
                  </button>
                </>
              ) : null}
              <PassagePlace passage={passage} jump={actions.jump} />
            </p>
          </li>
        );
      })}
    </ul>
  );
}

function PassagePlace({ passage: { sessionId, seq }, jump }: PassagePlaceProps) {
  return sessionId === undefined ? (
    <button type="button" className="quiet" onClick={() => jump(seq)}>
      Go to message {seq}
    </button>
  ) : (
    <a className="link" href={placeHref({ type: "session", id: sessionId, seq })}>
      Go to message {seq} of another conversation
    </a>
  );
}

interface PassagePlaceProps {
  readonly passage: Pick<RecalledPassage, "sessionId" | "seq">;
  readonly jump: RecallActions["jump"];
}

const SPEAKERS: Readonly<Record<string, string>> = { user: "You", assistant: "Assistant", tool: "Tool" };

/** Recalled passages collapsed to one line. */
export function RecalledDetails({ block, actions }: RecalledPassagesProps) {
  return (
    <details className="recalled">
      <summary>
        {describeBlock(block, actions)}
        {actions.isInPrompt(block) ? null : <span className="fate-name">no longer in the prompt</span>}
      </summary>
      <RecalledPassages block={block} actions={actions} />
    </details>
  );
}

function describeBlock({ passages }: RecalledBlock, { stateOf }: RecallActions): string {
  const quoted = passages.filter((passage) => stateOf(passage) === "quoted");
  if (quoted.length === 0) return "Nothing recalled: all passages are left out or pinned";
  const tokens = quoted.reduce((sum, passage) => sum + passage.tokens, 0);
  return `${formatCount(quoted.length, "earlier message")} recalled, ${formatCount(tokens, "token")}`;
}
