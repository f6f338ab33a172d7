/**
 * Where a conversation goes several ways: every fork of one place, and the session they left, in the order in which they
 * began. Values in, values out.
 */
import type { SessionLine } from "../api/values.ts";

export interface Branch {
  /** The ways part after this place. */
  readonly atSeq: number;
  readonly sessionIds: readonly string[];
  /** Which of them is on the screen. */
  readonly current: number;
}

export function findBranches(session: SessionLine, sessions: readonly SessionLine[]): readonly Branch[] {
  const { id, fork } = session;
  const places = new Set(sessions.flatMap((other) => (other.fork?.parentId === id ? [other.fork.atSeq] : [])));
  const below = [...places].map((atSeq) => joinWays({ parentId: id, atSeq }, { currentId: id, sessions }));
  const own = fork === undefined ? [] : [joinWays(fork, { currentId: id, sessions: [...sessions, session] })];
  return [...own, ...below].filter(({ sessionIds }) => sessionIds.length > 1);
}

interface Ways {
  readonly currentId: string;
  readonly sessions: readonly SessionLine[];
}

function joinWays({ parentId, atSeq }: NonNullable<SessionLine["fork"]>, { currentId, sessions }: Ways): Branch {
  const forks = sessions
    .filter(({ fork }) => fork?.parentId === parentId && fork.atSeq === atSeq)
    .toSorted((left, right) => left.createdAt - right.createdAt);
  const sessionIds = [...new Set([parentId, ...forks.map(({ id }) => id)])];
  return { atSeq, sessionIds, current: sessionIds.indexOf(currentId) };
}
