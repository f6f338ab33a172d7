/** Previews a compaction: the messages that it changes, the tokens, and the summary, which the user can edit. */
import type { FormEvent, ReactNode } from "react";
import type { Preview } from "../api/summaries.ts";
import { CopyButton } from "../ui/copy.tsx";
import { formatCost, formatCount, formatNumber } from "../ui/format.ts";
import { FoldIcon } from "../ui/icons.tsx";
import { PreviewDifference } from "./preview-difference.tsx";
import { LongText } from "./prompt-pieces.tsx";
import { changeProposal, discardPreview, type ProposalOptions, useProposal } from "./use-proposal.ts";

export interface CompactionPreviewProps extends ProposalOptions {
  /** Text of the live summary; empty without one. */
  readonly liveText: string;
}

export function CompactionPreview({ liveText, ...options }: CompactionPreviewProps) {
  const { sessionId } = options;
  const { proposal, status: text, preview: createPreview, apply, edit } = useProposal(options);
  const { instructions, preview, text: edited, earlier } = proposal;
  const submit = (event: FormEvent) => {
    event.preventDefault();
    createPreview();
  };
  const status = (
    <p className="aside" role="status">
      {text}
    </p>
  );
  return (
    <section className="panel-part compaction-preview">
      {preview === undefined ? (
        <>
          <form onSubmit={submit}>
            <label htmlFor="instructions">What the summary should focus on</label>
            <input
              id="instructions"
              className="search"
              value={instructions}
              placeholder="for example: every date and price"
              onChange={(event) => changeProposal(sessionId, { instructions: event.target.value })}
            />
            <button type="submit">
              <FoldIcon /> Preview compaction
            </button>
            {status}
          </form>
          {earlier === undefined ? null : (
            <EarlierText text={earlier} onDiscard={() => changeProposal(sessionId, { earlier: undefined })} />
          )}
        </>
      ) : (
        <PreviewForm
          key={sessionId}
          sessionId={sessionId}
          preview={preview}
          liveText={liveText}
          edited={edited}
          earlier={earlier}
          onEdit={edit}
          onApply={apply}
          onDiscard={() => discardPreview(sessionId)}
        >
          {status}
        </PreviewForm>
      )}
    </section>
  );
}

/** Text that the user wrote for an earlier preview. */
function EarlierText({ text, onDiscard }: { readonly text: string; readonly onDiscard: () => void }) {
  return (
    <details className="fold">
      <summary>Your earlier text is kept for the next preview</summary>
      <LongText text={text} />
      <p className="panel-line">
        <CopyButton text={text} what="text" />
        <button type="button" className="quiet" onClick={onDiscard}>
          Discard
        </button>
      </p>
    </details>
  );
}

interface PreviewFormProps extends Pick<CompactionPreviewProps, "sessionId" | "liveText"> {
  readonly preview: Preview;
  /** The summary as the user edited it, and the user's text for an earlier preview. */
  readonly edited: string | undefined;
  readonly earlier: string | undefined;
  readonly onEdit: (text: string) => void;
  readonly onApply: () => void;
  readonly onDiscard: () => void;
  /** The status, next to the buttons. */
  readonly children: ReactNode;
}

function PreviewForm(props: PreviewFormProps) {
  const { sessionId, preview, liveText, edited, earlier, onEdit, onApply, onDiscard, children } = props;
  const { tokensBefore, tokensAfter, kept, droppedIds, costUsd } = preview;
  const text = edited ?? preview.text;
  return (
    <>
      <h3>Preview</h3>
      <p className="figures">
        {formatNumber(tokensBefore)} → {formatNumber(tokensAfter)} tokens: {formatCount(droppedIds.length, "message")}{" "}
        summarized, shortened or left out, {formatNumber(kept)} kept word for word.{" "}
        {costUsd === 0 ? "No cost." : `The preview cost ${formatCost(costUsd)}.`}
      </p>
      {preview.text === "" ? null : (
        <>
          <label htmlFor="proposal">Summary (editable)</label>
          <textarea id="proposal" rows={14} value={text} onChange={(event) => onEdit(event.target.value)} />
          {earlier === undefined || earlier === text ? null : (
            <button type="button" className="quiet" onClick={() => onEdit(earlier)}>
              Use earlier text
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
          Discard
        </button>
        {children}
      </div>
    </>
  );
}
