/**
 * A compaction before it happens: what it would keep, fold and save, and the words of its summary, which may be changed.
 * Nothing is written until it is applied, and what is applied can be undone.
 */
import type { FormEvent, ReactNode } from "react";
import type { Preview } from "../api/values.ts";
import { CopyButton } from "../ui/copy.tsx";
import { writeCount, writeWhole } from "../ui/format.ts";
import { FoldIcon } from "../ui/icons.tsx";
import { PreviewDifference } from "./preview-difference.tsx";
import { LongText } from "./prompt-pieces.tsx";
import { changeProposal, letGoProposal, type ProposalOptions, useProposal } from "./use-proposal.ts";

export interface CompactionPreviewProps extends ProposalOptions {
  /** The summary that the model reads now; empty where there is none. */
  readonly liveText: string;
}

export function CompactionPreview({ liveText, ...options }: CompactionPreviewProps) {
  const { sessionId } = options;
  const { proposal, said, look, apply, change } = useProposal(options);
  const { instructions, preview, text: changed, earlier } = proposal;
  const submit = (event: FormEvent) => {
    event.preventDefault();
    look();
  };
  const status = (
    <p className="aside" role="status">
      {said}
    </p>
  );
  return (
    <section className="panel-part compaction-preview">
      {preview === undefined ? (
        <>
          <form onSubmit={submit}>
            <label htmlFor="instructions">What the summary should keep in mind</label>
            <input
              id="instructions"
              className="search"
              value={instructions}
              placeholder="for example: every date and price"
              onChange={(event) => changeProposal(sessionId, { instructions: event.target.value })}
            />
            <button type="submit">
              <FoldIcon /> Preview a compaction
            </button>
            {status}
          </form>
          {earlier === undefined ? null : (
            <Earlier text={earlier} onForget={() => changeProposal(sessionId, { earlier: undefined })} />
          )}
        </>
      ) : (
        <Proposal
          key={sessionId}
          sessionId={sessionId}
          preview={preview}
          liveText={liveText}
          changed={changed}
          onChange={change}
          onApply={apply}
          earlier={earlier}
          onDiscard={() => letGoProposal(sessionId)}
        >
          {status}
        </Proposal>
      )}
    </section>
  );
}

/** Words for a proposal that is gone. There may be nothing to propose for long. */
function Earlier({ text, onForget }: { readonly text: string; readonly onForget: () => void }) {
  return (
    <details className="fold">
      <summary>What you wrote before is offered with the next proposal</summary>
      <LongText text={text} />
      <p className="panel-line">
        <CopyButton text={text} what="text" />
        <button type="button" className="quiet" onClick={onForget}>
          Forget it
        </button>
      </p>
    </details>
  );
}

interface ProposalProps extends Pick<CompactionPreviewProps, "sessionId" | "liveText"> {
  readonly preview: Preview;
  /** The summary as somebody changed it, and what they wrote for one that is gone. */
  readonly changed: string | undefined;
  readonly earlier: string | undefined;
  readonly onChange: (text: string) => void;
  readonly onApply: () => void;
  readonly onDiscard: () => void;
  /** What became of it, beside what can be done with it. */
  readonly children: ReactNode;
}

function Proposal(props: ProposalProps) {
  const { sessionId, preview, liveText, changed, earlier, onChange, onApply, onDiscard, children } = props;
  const { tokensBefore, tokensAfter, kept, droppedIds, costUsd } = preview;
  const text = changed ?? preview.text;
  return (
    <>
      <h3>This would happen</h3>
      <p className="figures">
        {writeWhole(tokensBefore)} → {writeWhole(tokensAfter)} tokens: {writeCount(droppedIds.length, "message")}{" "}
        folded, {writeWhole(kept)} kept word for word,{" "}
        {costUsd === 0 ? "no cost" : `$${costUsd.toFixed(4)} spent on looking`}.
      </p>
      {preview.text === "" ? null : (
        <>
          <label htmlFor="proposal">The summary; change it where it is wrong</label>
          <textarea id="proposal" rows={14} value={text} onChange={(event) => onChange(event.target.value)} />
          {earlier === undefined || earlier === text ? null : (
            <button type="button" className="quiet" onClick={() => onChange(earlier)}>
              Use what you wrote before
            </button>
          )}
        </>
      )}
      <PreviewDifference sessionId={sessionId} preview={preview} before={liveText} text={text} />
      <div className="proposal-foot">
        <button type="button" className="primary" onClick={onApply}>
          Apply
        </button>
        <button type="button" className="quiet" onClick={onDiscard}>
          Leave it
        </button>
        {children}
      </div>
    </>
  );
}
