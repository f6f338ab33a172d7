/**
 * A compaction before it happens: what it would keep, fold and save, and the words of its summary, which may be changed.
 * Nothing is written until it is applied, and what is applied can be undone.
 */
import { type FormEvent, type ReactNode, useState } from "react";
import { sayError } from "../api/say-error.ts";
import { applyPreview, editPreview, previewCompaction } from "../api/summaries.ts";
import type { Preview } from "../api/values.ts";
import { FoldIcon } from "../icons.tsx";
import { writeCount, writeWhole } from "../write-figures.ts";
import { PreviewDifference } from "./preview-difference.tsx";
import { findProposal, type KeptProposal, keepProposal } from "./proposals.ts";

export interface CompactionPreviewProps {
  readonly sessionId: string;
  /** The summary that the model reads now; empty where there is none. */
  readonly liveText: string;
  readonly onApplied: () => void;
}

export function CompactionPreview({ sessionId, liveText, onApplied }: CompactionPreviewProps) {
  const [proposal, setProposal] = useState(() => findProposal(sessionId));
  const { instructions, preview, text: changed, earlier } = proposal;
  const keep = (change: Partial<KeptProposal>) => {
    // Also where the panel was closed meanwhile.
    keepProposal(sessionId, { ...findProposal(sessionId), ...change });
    setProposal(findProposal(sessionId));
  };
  const [said, setSaid] = useState("");
  /** What was written for this proposal is offered with the next one. */
  const letGo = () => {
    const { text = "", earlier } = findProposal(sessionId);
    keep({ preview: undefined, text: undefined, earlier: text === "" ? earlier : text });
  };
  const attempt = async (waiting: string, work: () => Promise<string>) => {
    setSaid(waiting);
    setSaid(await work().catch(sayError));
  };
  const look = (event: FormEvent) => {
    event.preventDefault();
    void attempt("Looking what it would do…", async () => {
      const found = await previewCompaction(sessionId, instructions.trim());
      keep({ preview: typeof found === "string" ? undefined : found });
      return typeof found === "string" ? found : "";
    });
  };
  const apply = (text: string) =>
    void attempt("Folding…", async () => {
      if (preview === undefined) return "";
      const edited = text === preview.text ? preview : await editPreview(sessionId, preview.id, text);
      if (typeof edited === "string") {
        letGo();
        return `${edited} What you wrote is kept.`;
      }
      const { type } = await applyPreview(sessionId, edited.id);
      if (type === "compacted") keep({ preview: undefined, text: undefined, earlier: undefined });
      else letGo();
      onApplied();
      return type === "compacted" ? "" : "The conversation changed meanwhile; look again. What you wrote is kept.";
    });
  const status = (
    <p className="aside" role="status">
      {said}
    </p>
  );
  return (
    <section className="panel-part compaction-preview">
      {preview === undefined ? (
        <form onSubmit={look}>
          <label htmlFor="instructions">What the summary should keep in mind</label>
          <input
            id="instructions"
            className="search"
            value={instructions}
            placeholder="for example: every date and price"
            onChange={(event) => keep({ instructions: event.target.value })}
          />
          <button type="submit">
            <FoldIcon /> Preview a compaction
          </button>
          {status}
        </form>
      ) : (
        <Proposal
          key={preview.id}
          sessionId={sessionId}
          preview={preview}
          liveText={liveText}
          changed={changed}
          onChange={(text) => keep({ text })}
          onApply={apply}
          earlier={earlier}
          onDiscard={letGo}
        >
          {status}
        </Proposal>
      )}
    </section>
  );
}

interface ProposalProps extends Pick<CompactionPreviewProps, "sessionId" | "liveText"> {
  readonly preview: Preview;
  /** The summary as somebody changed it, and what they wrote for one that is gone. */
  readonly changed: string | undefined;
  readonly earlier: string | undefined;
  readonly onChange: (text: string) => void;
  readonly onApply: (text: string) => void;
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
        <button type="button" className="primary" onClick={() => onApply(text)}>
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
