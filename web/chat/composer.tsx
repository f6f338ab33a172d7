/** The composer. Enter sends, Shift+Enter inserts a line break, Escape stops the answer, a slash starts a command. */
import { type DragEvent, type KeyboardEvent, type RefObject, useState } from "react";
import { MAX_IMAGES } from "../api/image-rules.ts";
import type { ComposedImage } from "../api/images.ts";
import { imagesOf } from "../api/values.ts";
import { useDroppedImages } from "../first-run/use-drops.ts";
import { CommandHint } from "./command-hint.tsx";
import { ModelChoice, PolicyChoice } from "./composer-choices.tsx";
import { ComposerTools } from "./composer-tools.tsx";
import { discardEdit, type EditedMessage, joinTexts, useDraft } from "./drafts.ts";
import { PendingUploads } from "./pending-uploads.tsx";
import { quoteMessages } from "./quote-messages.ts";
import { QuotedMessages, type Quotes } from "./quoted-messages.tsx";
import { type Command, type CommandError, readCommand } from "./read-command.ts";
import { useImages } from "./use-images.ts";
import type { Turn } from "./use-turn.ts";

export interface ComposerProps extends Pick<Turn, "model" | "chooseModel" | "isRunning"> {
  readonly field: RefObject<HTMLTextAreaElement | null>;
  readonly sessionId: string;
  /** Why the composer is disabled, and what to do about it; undefined if it is enabled. */
  readonly blocked?: string | undefined;
  readonly quotes: Quotes;
  /** False if the message could not be sent; the composer then restores it. */
  readonly onSend: (text: string, images: readonly ComposedImage[]) => Promise<boolean>;
  readonly onStop: () => void;
  /** False if the command had no effect. */
  readonly onCommand: (command: Command) => Promise<boolean>;
  /** The message that is being edited; sending it creates a branch. */
  readonly editing?: EditedMessage | undefined;
  readonly onCancelEdit: () => void;
  readonly onEditLast: () => void;
}

export function Composer(props: ComposerProps) {
  const { field, sessionId, isRunning, blocked, quotes, editing, onSend, onStop, onCommand } = props;
  const [text, setText] = useDraft(sessionId, editing);
  const [error, setError] = useState<CommandError | undefined>();
  const [isSending, setIsSending] = useState(false);
  const images = useImages(sessionId, editing?.images);
  useDroppedImages(images.add);
  const { quoted } = quotes;
  const hasContent = text.trim() !== "" || images.images.length > 0 || quoted.length > 0;
  const quotedImages = quoted.flatMap(imagesOf).map((source) => ({ source }));
  const submit = () => {
    if (!hasContent || isRunning || isSending || blocked !== undefined || images.uploading > 0) return;
    const command = readCommand(text);
    if (command !== undefined && "error" in command) return setError(command);
    const excess = images.images.length + quotedImages.length - MAX_IMAGES;
    if (command === undefined && excess > 0) {
      return images.refuse(`A message can have at most ${MAX_IMAGES} images. Remove ${excess}.`);
    }
    if (command === undefined) void send(text.trim());
    else void run(command, text.trim());
    setText("");
  };
  /** Restores the text if sending fails; the images are still there. */
  const send = async (written: string) => {
    const { images: sent } = images;
    setIsSending(true);
    const isSent = await onSend(quoteMessages(quoted, written), [...sent, ...quotedImages]);
    setIsSending(false);
    if (!isSent) return setText((current) => joinTexts([written, current]));
    if (editing !== undefined) discardEdit(sessionId, editing);
    images.clear(sent);
    for (const { id } of quoted) quotes.remove(id);
  };
  /** Restores the text of a command that had no effect: it may have been meant as a message. */
  const run = async (command: Command, written: string) => {
    if (!(await onCommand(command)) && command.argument !== "") setText((current) => joinTexts([current, written]));
  };
  const cancelEdit = () => {
    if (editing !== undefined) discardEdit(sessionId, editing);
    props.onCancelEdit();
  };
  const onDrop = (event: DragEvent) => {
    if (event.dataTransfer.files.length === 0) return;
    event.preventDefault();
    images.add([...event.dataTransfer.files]);
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === "Escape" && isRunning) onStop();
    if (event.key === "ArrowUp" && !hasContent && !isRunning && editing === undefined) {
      event.preventDefault();
      return props.onEditLast();
    }
    if (event.key !== "Enter" || event.shiftKey || event.nativeEvent.isComposing) return;
    event.preventDefault();
    submit();
  };
  return (
    <form
      className="composer"
      onDragOver={(event) => event.preventDefault()}
      onDrop={onDrop}
      onSubmit={(event) => {
        event.preventDefault();
        submit();
      }}
    >
      {editing === undefined ? null : (
        <p className="editing">
          Editing creates a new branch; this one is kept.
          <button type="button" className="quiet" onClick={cancelEdit}>
            Cancel
          </button>
        </p>
      )}
      {blocked === undefined ? null : (
        <p className="blocked" id="blocked" role="status">
          {blocked}
        </p>
      )}
      <QuotedMessages {...quotes} />
      <PendingUploads images={images} />
      <label className="visually-hidden" htmlFor="composer">
        Message
      </label>
      <textarea
        id="composer"
        ref={field}
        rows={1}
        value={text}
        placeholder="Write a message or a /command"
        disabled={blocked !== undefined}
        aria-describedby={blocked === undefined ? "commands" : "blocked"}
        onChange={(event) => {
          setText(event.target.value);
          setError(undefined);
        }}
        onPaste={(event) => {
          const files = [...event.clipboardData.files];
          if (files.length > 0) event.preventDefault();
          images.add(files);
        }}
        onKeyDown={onKeyDown}
      />
      <CommandHint id="commands" text={text} error={error} />
      <ComposerTools
        isRunning={isRunning}
        canSend={hasContent && blocked === undefined && images.uploading === 0}
        onAddImages={images.add}
        onCommand={(name) => void onCommand({ name, argument: "" })}
        onStop={onStop}
      />
      <div className="composer-choices">
        <ModelChoice model={props.model} onChoose={props.chooseModel} />
        <PolicyChoice />
      </div>
    </form>
  );
}
