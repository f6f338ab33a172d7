/** Branches of a session: editing a message or regenerating an answer forks the session and sends the message there. */
import { useCallback, useRef, useState } from "react";
import { describeError } from "../api/errors.ts";
import { type ComposedImage, uploadMissingImages } from "../api/images.ts";
import { deleteSession, forkSession, listBranches } from "../api/sessions.ts";
import { type Branch, imagesOf, type LogItem, type Session, type ShownMessage, textOf } from "../api/values.ts";
import type { EditedMessage } from "../chat/drafts.ts";
import { queueMessage, saveModel } from "../chat/next-turn.ts";
import { useLoaded } from "../hooks/use-loaded.ts";
import { goTo } from "../hooks/use-location.ts";
import type { Notices } from "../ui/notices.tsx";

export interface BranchesOptions {
  readonly sessionId: string;
  readonly session: Session | undefined;
  readonly version: number;
  readonly items: readonly LogItem[];
  readonly notify: Notices["notify"];
  /** The chosen model, which answers on the branch too. */
  readonly model: string | undefined;
}

/** A message to send in place of the one at this position. */
interface Replacement {
  readonly seq: number;
  readonly text: string;
  readonly images: readonly ComposedImage[];
}

const NONE: readonly Branch[] = [];

export type Branches = ReturnType<typeof useBranches>;

export function useBranches({ sessionId, session, version, items, notify, model }: BranchesOptions) {
  const [editing, setEditing] = useState<EditedMessage | undefined>();
  const { value: branches = NONE } = useLoaded(`${session?.id} ${version}`, async (signal) =>
    session === undefined ? NONE : listBranches(session.id, signal),
  );
  const latest = useRef({ session, items, model });
  latest.current = { session, items, model };
  // A branch opens another screen; a second click in the meantime must not create a second branch.
  const isLeaving = useRef(false);
  const leaveFor = useCallback(
    async (createBranch: () => Promise<string>): Promise<boolean> => {
      if (isLeaving.current) return false;
      isLeaving.current = true;
      try {
        const id = await createBranch();
        if (latest.current.model !== undefined) saveModel(id, latest.current.model);
        goTo({ type: "session", id, seq: undefined });
        return true;
      } catch (error) {
        isLeaving.current = false;
        notify(describeError(error), "failed");
        return false;
      }
    },
    [notify],
  );
  const resend = useCallback(
    async (replacement: Replacement): Promise<boolean> => {
      const { session: parent } = latest.current;
      if (parent === undefined) return false;
      const isSent = await leaveFor(() => forkWith(parent, replacement));
      if (isSent) setEditing(undefined);
      return isSent;
    },
    [leaveFor],
  );
  const fork = useCallback(
    (atSeq?: number) => void leaveFor(() => forkSession(sessionId, atSeq)),
    [sessionId, leaveFor],
  );
  const edit = useCallback(
    (message: ShownMessage) =>
      message.seq !== undefined && setEditing({ seq: message.seq, text: textOf(message), images: imagesOf(message) }),
    [],
  );
  const editLast = useCallback(() => {
    const question = findQuestion(latest.current.items, Number.POSITIVE_INFINITY);
    if (question !== undefined) edit(question);
  }, [edit]);
  const regenerate = useCallback(
    (answer: ShownMessage) => {
      const question = findQuestion(latest.current.items, answer.seq ?? 0);
      if (question?.seq === undefined) return;
      const images = imagesOf(question).map((source) => ({ source }));
      void resend({ seq: question.seq, text: textOf(question), images });
    },
    [resend],
  );
  return { branches, editing, fork, resend, edit, editLast, regenerate, cancelEdit: () => setEditing(undefined) };
}

/** The user's last message before a position. */
function findQuestion(items: readonly LogItem[], before: number): ShownMessage | undefined {
  const question = items.findLast(
    (item) => item.type === "message" && item.message.role === "user" && (item.message.seq ?? 0) < before,
  );
  return question?.type === "message" ? question.message : undefined;
}

/** Forks the parent instead if the message is the first one of a fork, so that the branches are siblings. */
async function forkWith({ id, fork }: Session, { seq, text, images }: Replacement): Promise<string> {
  const parentId = fork?.atSeq === seq - 1 ? fork.parentId : id;
  const forkId = await forkSession(parentId, seq - 1);
  try {
    // The fork does not have the uploads of its parent session.
    const sources = images.map(({ source }) => ({ source }));
    queueMessage(forkId, { text, images: await uploadMissingImages(forkId, sources) });
  } catch (error) {
    // An empty fork would show up as a branch.
    await deleteSession(forkId).catch(() => undefined);
    throw error;
  }
  return forkId;
}
