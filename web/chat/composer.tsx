/** Where somebody writes. Enter sends, Shift and Enter begin a line, Escape stops; a slash begins a command. */
import { type DragEvent, type KeyboardEvent, type RefObject, useRef, useState } from "react";
import { type ComposedImage, IMAGE_TYPES, MOST_IMAGES } from "../api/images.ts";
import { useDroppedImages } from "../hooks/use-drops.ts";
import { ClearIcon, FoldIcon, ImageIcon, SendIcon, StopIcon, UndoIcon } from "../icons.tsx";
import type { Recall } from "../session/use-recall.ts";
import type { Edited } from "../session/use-ways.ts";
import { CommandHint } from "./command-hint.tsx";
import { useDraft } from "./drafts.ts";
import { ImageShelf } from "./image-shelf.tsx";
import { ModelChoice } from "./model-choice.tsx";
import { imagesOf } from "./parts-of-message.ts";
import { quoteRecalled } from "./quote-recalled.ts";
import { type Command, readCommand } from "./read-command.ts";
import { RecallShelf } from "./recall-shelf.tsx";
import { type Images, useImages } from "./use-images.ts";
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
  readonly onCommand: (command: Command) => void;
  /** What is being said anew; sending it goes another way. */
  readonly editing?: Pick<Edited, "text" | "images"> | undefined;
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
  const [text, setText] = useDraft(sessionId, editing?.text);
  const [unknown, setUnknown] = useState<string | undefined>();
  const [isGoing, setIsGoing] = useState(false);
  const images = useImages(sessionId, editing?.images);
  useDroppedImages(images.take);
  const { recalled } = recalls;
  const isSaying = text.trim() !== "" || images.held.length > 0 || recalled.length > 0;
  const send = () => {
    if (!isSaying || isRunning || isGoing || blocked !== undefined || images.sending > 0) return;
    const command = readCommand(text);
    if (command !== undefined && "unknown" in command) return setUnknown(command.unknown);
    if (command === undefined) void hand(text.trim());
    else onCommand(command);
    setText("");
  };
  /** What could not be sent is still there, images and all. */
  const hand = async (said: string) => {
    const { held } = images;
    const brought = recalled.flatMap(imagesOf).map((source) => ({ source }));
    setIsGoing(true);
    const isSent = await onSend(quoteRecalled(recalled, said), [...held, ...brought].slice(0, MOST_IMAGES));
    setIsGoing(false);
    if (!isSent) return setText((written) => (written === "" ? said : written));
    images.clear(held);
    for (const { id } of recalled) recalls.forget(id);
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
  const run = (name: Command["name"]) => onCommand({ name, words: "" });
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
          <button type="button" className="quiet" onClick={onLeaveEdit}>
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
          setUnknown(undefined);
        }}
        onPaste={(event) => {
          const files = [...event.clipboardData.files];
          if (files.length > 0) event.preventDefault();
          images.take(files);
        }}
        onKeyDown={onKeyDown}
      />
      <CommandHint id="commands" text={text} unknown={unknown} />
      <div className="composer-tools">
        <ImageButton onTake={images.take} />
        <button
          type="button"
          className="quiet"
          title="Fold what is old into a summary now"
          onClick={() => run("compact")}
        >
          <FoldIcon /> <span className="tool-label">Compact</span>
        </button>
        <button
          type="button"
          className="quiet"
          title="Take the last change of the view back"
          onClick={() => run("undo")}
        >
          <UndoIcon /> <span className="tool-label">Undo</span>
        </button>
        <button
          type="button"
          className="quiet"
          title="Start over. The log keeps everything, and Undo brings it back"
          onClick={() => run("clear")}
        >
          <ClearIcon /> <span className="tool-label">Clear context</span>
        </button>
        <span className="composer-end" />
        <ModelChoice model={model} onChoose={choose} />
        {isRunning ? (
          // Another button than the one that sends: as the same one it would send with the very click that stops.
          <button key="stop" type="button" className="primary" onClick={onStop}>
            <StopIcon /> <span className="send-label">Stop</span>
          </button>
        ) : (
          <button
            key="send"
            type="submit"
            className="primary"
            disabled={!isSaying || blocked !== undefined || images.sending > 0}
          >
            <SendIcon /> <span className="send-label">Send</span>
          </button>
        )}
      </div>
    </form>
  );
}

function ImageButton({ onTake }: { readonly onTake: Images["take"] }) {
  const input = useRef<HTMLInputElement>(null);
  return (
    <>
      <button
        type="button"
        className="quiet"
        title="Add images; they can also be pasted or dropped here"
        onClick={() => input.current?.click()}
      >
        <ImageIcon /> <span className="tool-label">Image</span>
      </button>
      <input
        ref={input}
        type="file"
        hidden
        multiple
        aria-label="Images"
        accept={IMAGE_TYPES.join(",")}
        onChange={({ target }) => {
          onTake([...(target.files ?? [])]);
          target.value = "";
        }}
      />
    </>
  );
}
