/** Other ways: something said anew, or another answer, as a fork in which it is said at once. */
import { useCallback, useMemo, useRef, useState } from "react";
import { sayError } from "../api/say-error.ts";
import { forkSession, listSessions } from "../api/server.ts";
import type { SessionLine, ShownMessage } from "../api/values.ts";
import { leaveText } from "../chat/pending-texts.ts";
import { useLoaded } from "../hooks/use-loaded.ts";
import type { LogWindow } from "../hooks/use-log.ts";
import { goTo } from "../hooks/use-place.ts";
import type { Notices } from "../notices.tsx";
import { findBranches } from "./find-branches.ts";

export interface WaysOptions {
  readonly session: SessionLine | undefined;
  readonly version: number;
  readonly log: LogWindow;
  readonly tell: Notices["tell"];
}

export interface Edited {
  readonly seq: number;
  readonly text: string;
}

export function useWays({ session, version, log, tell }: WaysOptions) {
  const [editing, setEditing] = useState<Edited | undefined>();
  const { value: sessions = [] } = useLoaded(`${session?.id} ${version}`, listSessions);
  const branches = useMemo(() => (session === undefined ? [] : findBranches(session, sessions)), [session, sessions]);
  const latest = useRef({ session, items: log.items });
  latest.current = { session, items: log.items };
  const sayAnew = useCallback(
    ({ seq, text }: Edited) => {
      setEditing(undefined);
      if (latest.current.session !== undefined)
        forkWith(latest.current.session, { seq, text }).catch((error: unknown) => tell(sayError(error), "failed"));
    },
    [tell],
  );
  const edit = useCallback(
    (message: ShownMessage) => message.seq !== undefined && setEditing({ seq: message.seq, text: textOf(message) }),
    [],
  );
  const again = useCallback(
    (message: ShownMessage) => {
      const asked = latest.current.items.findLast(
        (item) =>
          item.type === "message" && item.message.role === "user" && (item.message.seq ?? 0) < (message.seq ?? 0),
      );
      if (asked?.type === "message" && asked.message.seq !== undefined) {
        sayAnew({ seq: asked.message.seq, text: textOf(asked.message) });
      }
    },
    [sayAnew],
  );
  return { branches, editing, sayAnew, edit, again, leaveEdit: () => setEditing(undefined) };
}

/** From the session that was left already where this is its own first message: ways lie beside each other then. */
async function forkWith({ id, fork }: SessionLine, { seq, text }: Edited): Promise<void> {
  const from = fork?.atSeq === seq - 1 ? fork.parentId : id;
  const forkId = await forkSession(from, seq - 1);
  leaveText(forkId, text);
  goTo({ type: "session", id: forkId, seq: undefined });
}

function textOf({ blocks }: ShownMessage): string {
  return blocks.flatMap((block) => (block.type === "text" ? [block.text] : [])).join("\n");
}
