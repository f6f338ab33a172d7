/** Other ways: something said anew, or another answer, as a fork in which it is said at once. */
import { useCallback, useRef, useState } from "react";
import { sayError } from "../api/errors.ts";
import { type ComposedImage, type StoredImage, sendMissing } from "../api/images.ts";
import { type Branch, deleteSession, forkSession, listBranches } from "../api/sessions.ts";
import type { LogItem, SessionLine, ShownMessage } from "../api/values.ts";
import { keepModel, leaveMessage } from "../chat/next-turn.ts";
import { imagesOf, textOf } from "../chat/parts-of-message.ts";
import { useLoaded } from "../hooks/use-loaded.ts";
import { goTo } from "../hooks/use-location.ts";
import type { LogWindow } from "../hooks/use-log.ts";
import type { Notices } from "../ui/notices.tsx";

export interface WaysOptions {
  readonly sessionId: string;
  readonly session: SessionLine | undefined;
  readonly version: number;
  readonly log: LogWindow;
  readonly tell: Notices["tell"];
  /** Who was chosen to answer; the other way asks the same one. */
  readonly model: string | undefined;
}

export interface Edited {
  readonly seq: number;
  readonly text: string;
  readonly images: readonly StoredImage[];
}

/** What takes its place: other words, and images that it had or that came since. */
export interface SaidAnew extends Omit<Edited, "images"> {
  readonly images: readonly ComposedImage[];
}

interface AskedAnew extends SaidAnew {
  readonly model: string | undefined;
}

const NONE: readonly Branch[] = [];

export function useWays({ sessionId, session, version, log, tell, model }: WaysOptions) {
  const [editing, setEditing] = useState<Edited | undefined>();
  const { value: branches = NONE } = useLoaded(`${session?.id} ${version}`, async (signal) =>
    session === undefined ? NONE : listBranches(session.id, signal),
  );
  const latest = useRef({ session, items: log.items, model });
  latest.current = { session, items: log.items, model };
  // Once another way is open, this screen is left: a second click asks for no second way.
  const isLeaving = useRef(false);
  const sayAnew = useCallback(
    async (said: SaidAnew): Promise<boolean> => {
      const { session: left, model: asked } = latest.current;
      if (left === undefined || isLeaving.current) return false;
      isLeaving.current = true;
      try {
        await forkWith(left, { ...said, model: asked });
        setEditing(undefined);
        return true;
      } catch (error) {
        isLeaving.current = false;
        tell(sayError(error), "failed");
        return false;
      }
    },
    [tell],
  );
  const fork = useCallback(
    async (atSeq?: number) => {
      if (isLeaving.current) return;
      isLeaving.current = true;
      try {
        const forkId = await forkSession(sessionId, atSeq);
        const { model: asked } = latest.current;
        if (asked !== undefined) keepModel(forkId, asked);
        goTo({ type: "session", id: forkId, seq: undefined });
      } catch (error) {
        isLeaving.current = false;
        tell(sayError(error), "failed");
      }
    },
    [sessionId, tell],
  );
  const edit = useCallback(
    (message: ShownMessage) =>
      message.seq !== undefined && setEditing({ seq: message.seq, text: textOf(message), images: imagesOf(message) }),
    [],
  );
  const editLast = useCallback(() => {
    const asked = findAsked(latest.current.items, Number.POSITIVE_INFINITY);
    if (asked !== undefined) edit(asked);
  }, [edit]);
  const again = useCallback(
    (message: ShownMessage) => {
      const asked = findAsked(latest.current.items, message.seq ?? 0);
      if (asked?.seq === undefined) return;
      const images = imagesOf(asked).map((source) => ({ source }));
      void sayAnew({ seq: asked.seq, text: textOf(asked), images });
    },
    [sayAnew],
  );
  return { branches, editing, fork, sayAnew, edit, editLast, again, leaveEdit: () => setEditing(undefined) };
}

/** The last thing that somebody said before a place. */
function findAsked(items: readonly LogItem[], before: number): ShownMessage | undefined {
  const asked = items.findLast(
    (item) => item.type === "message" && item.message.role === "user" && (item.message.seq ?? 0) < before,
  );
  return asked?.type === "message" ? asked.message : undefined;
}

/** From the session that was left already where this is its own first message: ways lie beside each other then. */
async function forkWith({ id, fork }: SessionLine, { seq, text, images, model }: AskedAnew): Promise<void> {
  const from = fork?.atSeq === seq - 1 ? fork.parentId : id;
  const forkId = await forkSession(from, seq - 1);
  try {
    leaveMessage(forkId, { text, images: await sendAgain(forkId, images) });
  } catch (error) {
    // A way on which nothing was said is no way.
    await deleteSession(forkId).catch(() => undefined);
    throw error;
  }
  if (model !== undefined) keepModel(forkId, model);
  goTo({ type: "session", id: forkId, seq: undefined });
}

/** What was sent is known to the session that was left, and not to the fork. */
function sendAgain(forkId: string, images: readonly ComposedImage[]) {
  return sendMissing(
    forkId,
    images.map(({ source }) => ({ source })),
  );
}
