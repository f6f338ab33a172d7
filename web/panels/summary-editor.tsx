/** Edits the text of a summary. The tab stores the draft until it is saved or canceled. */
import { type FormEvent, useEffect, useId, useRef, useState, useSyncExternalStore } from "react";
import type { Summary } from "../api/values.ts";
import { createTabStorage } from "../hooks/tab-storage.ts";

/** By summary id. */
const drafts = createTabStorage<string | undefined>({
  prefix: "summary ",
  decode: (text) => text,
  encode: (text) => text,
});

export function hasSummaryDraft({ id }: Summary): boolean {
  return drafts.read(id) !== undefined;
}

export interface SummaryEditorProps {
  readonly summary: Summary;
  /** False if the text could not be saved. */
  readonly onSave: (text: string) => Promise<boolean>;
  readonly onClose: () => void;
}

export function SummaryEditor({ summary, onSave, onClose }: SummaryEditorProps) {
  const { id: summaryId, isLive } = summary;
  const text = useSyncExternalStore(drafts.subscribe, () => drafts.read(summaryId)) ?? summary.text;
  const [isSaving, setIsSaving] = useState(false);
  const id = useId();
  const field = useRef<HTMLTextAreaElement>(null);
  // A stored draft does not take the focus.
  const [hasDraft] = useState(() => hasSummaryDraft(summary));
  useEffect(() => {
    if (!hasDraft) field.current?.focus();
  }, [hasDraft]);
  const close = () => {
    drafts.write(summaryId, undefined);
    onClose();
  };
  const save = async (event: FormEvent) => {
    event.preventDefault();
    setIsSaving(true);
    const isSaved = await onSave(text.trim());
    setIsSaving(false);
    if (isSaved) close();
  };
  return (
    <form className="summary-editor" onSubmit={(event) => void save(event)}>
      <label htmlFor={id}>Text that the model reads instead of the messages</label>
      <textarea
        id={id}
        ref={field}
        rows={14}
        value={text}
        onChange={(event) => drafts.write(summaryId, event.target.value)}
      />
      {isLive || isSaving ? null : (
        <p className="aside failed" role="alert">
          There is a newer summary. Copy your text and edit that one.
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
        <button type="button" className="quiet" onClick={close}>
          Cancel
        </button>
      </p>
    </form>
  );
}
