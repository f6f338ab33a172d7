/**
 * A compaction before it happens: what it would keep, fold and save, and the words of its summary, which may be changed.
 * Nothing is written until it is applied, and what is applied can be undone.
 */
import { type FormEvent, useState } from "react";
import { sayError } from "../api/say-error.ts";
import { applyPreview, editPreview, previewCompaction } from "../api/summaries.ts";
import type { Preview } from "../api/values.ts";
import { FoldIcon } from "../icons.tsx";
import { writeCount, writeWhole } from "../write-figures.ts";
import { PreviewDifference } from "./preview-difference.tsx";

export interface CompactionPreviewProps {
  readonly sessionId: string;
  /** The summary that the model reads now; empty where there is none. */
  readonly liveText: string;
  readonly onApplied: () => void;
}

export function CompactionPreview({ sessionId, liveText, onApplied }: CompactionPreviewProps) {
  const [instructions, setInstructions] = useState("");
  const [preview, setPreview] = useState<Preview | undefined>();
  const [said, setSaid] = useState("");
  const attempt = async (waiting: string, work: () => Promise<string>) => {
    setSaid(waiting);
    setSaid(await work().catch(sayError));
  };
  const look = (event: FormEvent) => {
    event.preventDefault();
    void attempt("Looking what it would do…", async () => {
      const found = await previewCompaction(sessionId, instructions.trim());
      setPreview(typeof found === "string" ? undefined : found);
      return typeof found === "string" ? `There is nothing to fold. ${found}` : "";
    });
  };
  const apply = (text: string) =>
    void attempt("Folding…", async () => {
      if (preview === undefined) return "";
      const edited = text === preview.text ? preview : await editPreview(sessionId, preview.id, text);
      if (typeof edited === "string") return edited;
      const { type } = await applyPreview(sessionId, edited.id);
      setPreview(undefined);
      onApplied();
      return type === "compacted" ? "" : "The conversation changed meanwhile; look again.";
    });
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
            onChange={(event) => setInstructions(event.target.value)}
          />
          <button type="submit">
            <FoldIcon /> Preview a compaction
          </button>
        </form>
      ) : (
        <Proposal
          key={preview.id}
          sessionId={sessionId}
          preview={preview}
          liveText={liveText}
          onApply={apply}
          onDiscard={() => setPreview(undefined)}
        />
      )}
      <p className="aside" role="status">
        {said}
      </p>
    </section>
  );
}

interface ProposalProps extends Pick<CompactionPreviewProps, "sessionId" | "liveText"> {
  readonly preview: Preview;
  readonly onApply: (text: string) => void;
  readonly onDiscard: () => void;
}

function Proposal({ sessionId, preview, liveText, onApply, onDiscard }: ProposalProps) {
  const { tokensBefore, tokensAfter, kept, droppedIds, costUsd } = preview;
  const [text, setText] = useState(preview.text);
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
          <textarea id="proposal" rows={14} value={text} onChange={(event) => setText(event.target.value)} />
        </>
      )}
      <PreviewDifference sessionId={sessionId} preview={preview} before={liveText} text={text} />
      <p className="panel-line">
        <button type="button" className="primary" onClick={() => onApply(text)}>
          Apply
        </button>
        <button type="button" className="quiet" onClick={onDiscard}>
          Leave it
        </button>
      </p>
    </>
  );
}
