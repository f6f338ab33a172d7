/**
 * Unsent text, for each session and for each message that is being edited. The tab stores it until it is sent, so that
 * opening another screen or reloading the page loses nothing. Messages that could not be sent are restored here.
 */
import { type Dispatch, type SetStateAction, useCallback, useSyncExternalStore } from "react";
import type { StoredImage } from "../api/values.ts";
import { createTabStorage } from "../hooks/tab-storage.ts";
import { restoreImages } from "./image-drafts.ts";
import type { QueuedMessage } from "./next-turn.ts";

const drafts = createTabStorage<string | undefined>({
  prefix: "draft ",
  decode: (text) => text,
  encode: (text) => text,
});

export function readDraft(sessionId: string): string {
  return drafts.read(sessionId) ?? "";
}

export function saveDraft(sessionId: string, text: string): void {
  drafts.write(sessionId, text === "" ? undefined : text);
}

/** Puts messages before the current draft. */
export function restoreDraft(sessionId: string, messages: readonly QueuedMessage[]): void {
  saveDraft(sessionId, joinTexts([...messages.map(({ text }) => text), readDraft(sessionId)]));
  restoreImages(
    sessionId,
    messages.flatMap(({ images }) => images),
  );
}

export function joinTexts(texts: readonly string[]): string {
  return texts.filter((text) => text !== "").join("\n\n");
}

/** A message of the log that is being edited, as it was sent. */
export interface EditedMessage {
  readonly seq: number;
  readonly text: string;
  readonly images: readonly StoredImage[];
}

/** The composer's text. An edited message has its own draft, which starts with the message's text. */
export function useDraft(
  sessionId: string,
  edited: EditedMessage | undefined,
): [string, Dispatch<SetStateAction<string>>] {
  const name = edited === undefined ? sessionId : editName(sessionId, edited);
  const original = edited?.text ?? "";
  const draft = useSyncExternalStore(drafts.subscribe, () => drafts.read(name)) ?? original;
  const write = useCallback(
    (next: SetStateAction<string>) => {
      const text = typeof next === "function" ? next(drafts.read(name) ?? original) : next;
      drafts.write(name, text === original ? undefined : text);
    },
    [name, original],
  );
  return [draft, write];
}

/** Removes the draft of an edit that was sent or canceled. */
export function discardEdit(sessionId: string, edited: EditedMessage): void {
  drafts.write(editName(sessionId, edited), undefined);
}

function editName(sessionId: string, { seq }: EditedMessage): string {
  return `${sessionId} ${seq}`;
}
