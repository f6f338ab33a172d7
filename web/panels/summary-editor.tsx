/** Other words for a summary, by hand. They are kept where somebody writes them until they are saved or left. */
import { type FormEvent, useEffect, useId, useRef, useState } from "react";
import type { Summary } from "../api/values.ts";

export interface SummaryEditorProps {
  readonly summary: Summary;
  /** False where the words could not be saved. */
  readonly onSave: (text: string) => Promise<boolean>;
  readonly onLeave: () => void;
}

export function SummaryEditor({ summary, onSave, onLeave }: SummaryEditorProps) {
  const { isLive } = summary;
  const [text, setText] = useState(summary.text);
  const [isSaving, setIsSaving] = useState(false);
  const id = useId();
  const field = useRef<HTMLTextAreaElement>(null);
  useEffect(() => field.current?.focus(), []);
  const save = async (event: FormEvent) => {
    event.preventDefault();
    setIsSaving(true);
    const isSaved = await onSave(text.trim());
    setIsSaving(false);
    if (isSaved) onLeave();
  };
  return (
    <form className="summary-editor" onSubmit={(event) => void save(event)}>
      <label htmlFor={id}>The words that the model reads in place of the messages</label>
      <textarea id={id} ref={field} rows={14} value={text} onChange={(event) => setText(event.target.value)} />
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
        <button type="button" className="quiet" onClick={onLeave}>
          Leave it
        </button>
      </p>
    </form>
  );
}
