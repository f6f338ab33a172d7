/** Buttons below the composer: add images, compact, undo, clear, and send or stop. */
import { type ReactNode, useRef } from "react";
import { IMAGE_TYPES } from "../api/image-rules.ts";
import { ClearIcon, FoldIcon, ImageIcon, SendIcon, StopIcon, UndoIcon } from "../ui/icons.tsx";
import type { Command } from "./read-command.ts";
import type { Images } from "./use-images.ts";

export interface ComposerToolsProps {
  readonly isRunning: boolean;
  readonly canSend: boolean;
  readonly onAddImages: Images["add"];
  readonly onCommand: (name: Command["name"]) => void;
  readonly onStop: () => void;
}

export function ComposerTools({ isRunning, canSend, onAddImages, onCommand, onStop }: ComposerToolsProps) {
  return (
    <div className="composer-tools">
      <ImageButton onAddImages={onAddImages} />
      <ToolButton name="Compact" title="Summarize old messages now" onClick={() => onCommand("compact")}>
        <FoldIcon />
      </ToolButton>
      <ToolButton
        name="Undo"
        title="Undo the last change, such as a compaction, pin or clear"
        onClick={() => onCommand("undo")}
      >
        <UndoIcon />
      </ToolButton>
      <ToolButton
        name="Clear context"
        title="Clear the context. The log keeps everything, and Undo restores the context"
        onClick={() => onCommand("clear")}
      >
        <ClearIcon />
      </ToolButton>
      <span className="composer-end" />
      {isRunning ? (
        // If Stop and Send were the same element, the click that stops would also submit.
        <button key="stop" type="button" className="primary" onClick={onStop}>
          <StopIcon /> <span className="send-label">Stop</span>
        </button>
      ) : (
        <button key="send" type="submit" className="primary" disabled={!canSend}>
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
  /** The icon. */
  readonly children: ReactNode;
}

function ToolButton({ name, title, onClick, children }: ToolButtonProps) {
  return (
    <button type="button" className="quiet" title={title} onClick={onClick}>
      {children} <span className="tool-label">{name}</span>
    </button>
  );
}

function ImageButton({ onAddImages }: Pick<ComposerToolsProps, "onAddImages">) {
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
          onAddImages([...(target.files ?? [])]);
          target.value = "";
        }}
      />
    </>
  );
}
