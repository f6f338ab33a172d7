/** Where somebody writes. Enter sends, Shift and Enter begin a line, Escape stops; a slash begins a command. */
import { type DragEvent, type KeyboardEvent, type RefObject, useState } from "react";
import { MOST_IMAGES } from "../api/image-rules.ts";
import type { ComposedImage } from "../api/images.ts";
import { useDroppedImages } from "../first-run/use-drops.ts";
import type { Edited } from "../session/use-branches.ts";
import { writeCount } from "../ui/format.ts";
import { CommandHint } from "./command-hint.tsx";
import { ModelChoice, PolicyChoice } from "./composer-choices.tsx";
import { ComposerTools } from "./composer-tools.tsx";
import { forgetEdit, joinTexts, useDraft } from "./drafts.ts";
import { imagesOf } from "./parts-of-message.ts";
import { ImageShelf } from "./pending-uploads.tsx";
import { quoteRecalled } from "./quote-recalled.ts";
import { type Command, type Misread, readCommand } from "./read-command.ts";
import { type Recall, RecallShelf } from "./recalled-messages.tsx";
import { useImages } from "./use-images.ts";
import type { Turn } from "./use-turn.ts";

export interface ComposerProps extends Pick<Turn, "model" | "choose"> {
  readonly field: RefObject<HTMLTextAreaElement | null>;
  readonly isRunning: boolean;
  readonly sessionId: string;
  /** Why nothing can be said just now, and what to do; undefined where it can. */
  readonly blocked?: string | undefined;
  readonly recalls: Recall;
  /** False where it could not be sent, so that nobody has to write it again. */
  readonly onSend: (text: string, images: readonly ComposedImage[]) => Promise<boolean>;
  readonly onStop: () => void;
  /** False where nothing came of it. */
  readonly onCommand: (command: Command) => Promise<boolean>;
  /** What is being said anew; sending it goes another way. */
  readonly editing?: Edited | undefined;
  readonly onLeaveEdit: () => void;
  /** Says the last thing anew. */
  readonly onEditLast: () => void;
}

export function Composer({
  field,
  model,
  choose,
  isRunning,
  onSend,
  onStop,
  onCommand,
  editing,
  onLeaveEdit,
  onEditLast,
  sessionId,
  blocked,
  recalls,
}: ComposerProps) {
  const [text, setText] = useDraft(sessionId, editing);
  const [misread, setMisread] = useState<Misread | undefined>();
  const [isGoing, setIsGoing] = useState(false);
  const images = useImages(sessionId, editing?.images);
  useDroppedImages(images.take);
  const { recalled } = recalls;
  const isSaying = text.trim() !== "" || images.held.length > 0 || recalled.length > 0;
  const brought = recalled.flatMap(imagesOf).map((source) => ({ source }));
  const send = () => {
    if (!isSaying || isRunning || isGoing || blocked !== undefined || images.sending > 0) return;
    const command = readCommand(text);
    if (command !== undefined && "fault" in command) return setMisread(command);
    const over = images.held.length + brought.length - MOST_IMAGES;
    if (command === undefined && over > 0) {
      return images.refuse(`A message takes ${MOST_IMAGES} images; leave ${writeCount(over, "image")} out.`);
    }
    if (command === undefined) void hand(text.trim());
    else void run(command, text.trim());
    setText("");
  };
  /** What could not be sent is still there, images and all. */
  const hand = async (said: string) => {
    const { held } = images;
    setIsGoing(true);
    const isSent = await onSend(quoteRecalled(recalled, said), [...held, ...brought]);
    setIsGoing(false);
    if (!isSent) return setText((written) => joinTexts([said, written]));
    if (editing !== undefined) forgetEdit(sessionId, editing);
    images.clear(held);
    for (const { id } of recalled) recalls.forget(id);
  };
  /** Words of a command of which nothing came are there again, after what was written meanwhile: it may be no command. */
  const run = async (command: Command, written: string) => {
    if (!(await onCommand(command)) && command.words !== "") setText((meanwhile) => joinTexts([meanwhile, written]));
  };
  const leaveEdit = () => {
    if (editing !== undefined) forgetEdit(sessionId, editing);
    onLeaveEdit();
  };
  const onDrop = (event: DragEvent) => {
    if (event.dataTransfer.files.length === 0) return;
    event.preventDefault();
    images.take([...event.dataTransfer.files]);
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === "Escape" && isRunning) onStop();
    if (event.key === "ArrowUp" && !isSaying && !isRunning && editing === undefined) {
      event.preventDefault();
      return onEditLast();
    }
    if (event.key !== "Enter" || event.shiftKey || event.nativeEvent.isComposing) return;
    event.preventDefault();
    send();
  };
  return (
    <form
      className="composer"
      onDragOver={(event) => event.preventDefault()}
      onDrop={onDrop}
      onSubmit={(event) => {
        event.preventDefault();
        send();
      }}
    >
      {editing === undefined ? null : (
        <p className="editing">
          Said anew, the conversation goes another way from there; this way stays.
          <button type="button" className="quiet" onClick={leaveEdit}>
            Leave it
          </button>
        </p>
      )}
      {blocked === undefined ? null : (
        <p className="blocked" id="blocked" role="status">
          {blocked}
        </p>
      )}
      <RecallShelf {...recalls} />
      <ImageShelf images={images} />
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
          setMisread(undefined);
        }}
        onPaste={(event) => {
          const files = [...event.clipboardData.files];
          if (files.length > 0) event.preventDefault();
          images.take(files);
        }}
        onKeyDown={onKeyDown}
      />
      <CommandHint id="commands" text={text} misread={misread} />
      <ComposerTools
        isRunning={isRunning}
        maySend={isSaying && blocked === undefined && images.sending === 0}
        onTake={images.take}
        onCommand={(name) => void onCommand({ name, words: "" })}
        onStop={onStop}
      />
      <div className="composer-choices">
        <ModelChoice model={model} onChoose={choose} />
        <PolicyChoice />
      </div>
    </form>
  );
}
