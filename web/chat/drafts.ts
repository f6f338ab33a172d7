/**
 * What somebody is writing, for each conversation and for each message that is said anew, kept by the tab until it is
 * sent: opening another place or loading the page again loses nothing. What could not be sent comes back here.
 */
import { type Dispatch, type SetStateAction, useCallback, useSyncExternalStore } from "react";
import { keepByTab } from "../hooks/tab-storage.ts";
import { giveBackImages } from "./image-drafts.ts";
import type { PendingMessage } from "./next-turn.ts";

const drafts = keepByTab<string | undefined>({ prefix: "draft ", decode: (text) => text, encode: (text) => text });

export function readDraft(sessionId: string): string {
  return drafts.read(sessionId) ?? "";
}

export function keepDraft(sessionId: string, text: string): void {
  drafts.keep(sessionId, text === "" ? undefined : text);
}

/** Before whatever is being written now. */
export function giveBack(sessionId: string, messages: readonly PendingMessage[]): void {
  keepDraft(sessionId, joinTexts([...messages.map(({ text }) => text), readDraft(sessionId)]));
  giveBackImages(
    sessionId,
    messages.flatMap(({ images }) => images),
  );
}

export function joinTexts(texts: readonly string[]): string {
  return texts.filter((text) => text !== "").join("\n\n");
}

/** A message that is said anew: where it stands, and the words that it has. */
export interface EditedText {
  readonly seq: number;
  readonly text: string;
}

/** The text of a composer. What is said anew has a draft of its own, which begins with what was said. */
export function useDraft(
  sessionId: string,
  edited: EditedText | undefined,
): [string, Dispatch<SetStateAction<string>>] {
  const name = edited === undefined ? sessionId : nameOf(sessionId, edited);
  const first = edited?.text ?? "";
  const draft = useSyncExternalStore(drafts.follow, () => drafts.read(name)) ?? first;
  const write = useCallback(
    (next: SetStateAction<string>) => {
      const text = typeof next === "function" ? next(drafts.read(name) ?? first) : next;
      drafts.keep(name, text === first ? undefined : text);
    },
    [name, first],
  );
  return [draft, write];
}

/** It was said, or somebody left it as it is. */
export function forgetEdit(sessionId: string, edited: EditedText): void {
  drafts.keep(nameOf(sessionId, edited), undefined);
}

function nameOf(sessionId: string, { seq }: EditedText): string {
  return `${sessionId} ${seq}`;
}
