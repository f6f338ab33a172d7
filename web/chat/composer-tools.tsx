/** What stands below the field: images, the changes of the view that are wanted most, and the way to send. */
import { type ReactNode, useRef } from "react";
import { IMAGE_TYPES } from "../api/image-rules.ts";
import { ClearIcon, FoldIcon, ImageIcon, SendIcon, StopIcon, UndoIcon } from "../ui/icons.tsx";
import type { Command } from "./read-command.ts";
import type { Images } from "./use-images.ts";

export interface ComposerToolsProps {
  readonly isRunning: boolean;
  readonly maySend: boolean;
  readonly onTake: Images["take"];
  readonly onCommand: (name: Command["name"]) => void;
  readonly onStop: () => void;
}

export function ComposerTools({ isRunning, maySend, onTake, onCommand, onStop }: ComposerToolsProps) {
  return (
    <div className="composer-tools">
      <ImageButton onTake={onTake} />
      <ToolButton name="Compact" title="Fold what is old into a summary now" onClick={() => onCommand("compact")}>
        <FoldIcon />
      </ToolButton>
      <ToolButton name="Undo" title="Take the last change of the view back" onClick={() => onCommand("undo")}>
        <UndoIcon />
      </ToolButton>
      <ToolButton
        name="Clear context"
        title="Start over. The log keeps everything, and Undo brings it back"
        onClick={() => onCommand("clear")}
      >
        <ClearIcon />
      </ToolButton>
      <span className="composer-end" />
      {isRunning ? (
        // Another button than the one that sends: as the same one it would send with the very click that stops.
        <button key="stop" type="button" className="primary" onClick={onStop}>
          <StopIcon /> <span className="send-label">Stop</span>
        </button>
      ) : (
        <button key="send" type="submit" className="primary" disabled={!maySend}>
          <SendIcon /> <span className="send-label">Send</span>
        </button>
      )}
    </div>
  );
}

interface ToolButtonProps {
  readonly name: string;
  readonly title: string;
  readonly onClick: () => void;
  /** Its icon. */
  readonly children: ReactNode;
}

function ToolButton({ name, title, onClick, children }: ToolButtonProps) {
  return (
    <button type="button" className="quiet" title={title} onClick={onClick}>
      {children} <span className="tool-label">{name}</span>
    </button>
  );
}

function ImageButton({ onTake }: Pick<ComposerToolsProps, "onTake">) {
  const input = useRef<HTMLInputElement>(null);
  return (
    <>
      <ToolButton
        name="Image"
        title="Add images; they can also be pasted or dropped here"
        onClick={() => input.current?.click()}
      >
        <ImageIcon />
      </ToolButton>
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
