/** Other words for a summary, by hand. The tab keeps them until they are saved or left. */
import { type FormEvent, useEffect, useId, useRef, useState, useSyncExternalStore } from "react";
import type { Summary } from "../api/values.ts";
import { keepByTab } from "../hooks/tab-storage.ts";

/** By the ids of summaries. */
const drafts = keepByTab<string | undefined>({ prefix: "summary ", decode: (text) => text, encode: (text) => text });

export function hasSummaryDraft({ id }: Summary): boolean {
  return drafts.read(id) !== undefined;
}

export interface SummaryEditorProps {
  readonly summary: Summary;
  /** False where the words could not be saved. */
  readonly onSave: (text: string) => Promise<boolean>;
  readonly onLeave: () => void;
}

export function SummaryEditor({ summary, onSave, onLeave }: SummaryEditorProps) {
  const { id: summaryId, isLive } = summary;
  const text = useSyncExternalStore(drafts.follow, () => drafts.read(summaryId)) ?? summary.text;
  const [isSaving, setIsSaving] = useState(false);
  const id = useId();
  const field = useRef<HTMLTextAreaElement>(null);
  // Who comes back to words that were kept has the focus elsewhere.
  const [isKept] = useState(() => hasSummaryDraft(summary));
  useEffect(() => {
    if (!isKept) field.current?.focus();
  }, [isKept]);
  const leave = () => {
    drafts.keep(summaryId, undefined);
    onLeave();
  };
  const save = async (event: FormEvent) => {
    event.preventDefault();
    setIsSaving(true);
    const isSaved = await onSave(text.trim());
    setIsSaving(false);
    if (isSaved) leave();
  };
  return (
    <form className="summary-editor" onSubmit={(event) => void save(event)}>
      <label htmlFor={id}>The words that the model reads in place of the messages</label>
      <textarea
        id={id}
        ref={field}
        rows={14}
        value={text}
        onChange={(event) => drafts.keep(summaryId, event.target.value)}
      />
      {isLive || isSaving ? null : (
        <p className="aside failed" role="alert">
          The model reads another summary by now. Copy what you wrote, and edit that one.
        </p>
      )}
      <p className="panel-line">
        <button
          type="submit"
          className="primary"
          disabled={isSaving || !isLive || text.trim() === "" || text.trim() === summary.text.trim()}
        >
          {isSaving ? "Saving…" : "Save"}
        </button>
        <button type="button" className="quiet" onClick={leave}>
          Leave it
        </button>
      </p>
    </form>
  );
}
