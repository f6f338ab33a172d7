/** What somebody may mean by the words written so far: actions first, then conversations, then what was said. */
import type { Hit, SessionLine } from "../api/values.ts";
import type { Action } from "../hooks/use-actions.ts";
import { goTo } from "../hooks/use-location.ts";
import { writeAgo } from "../ui/format.ts";

export interface Choice {
  readonly id: string;
  readonly kind: "Do" | "Go to" | "Said";
  readonly before: string;
  readonly match: string;
  readonly after: string;
  readonly hint: string;
  readonly run: () => void;
}

export interface Known {
  readonly actions: readonly Action[];
  readonly sessions: readonly SessionLine[];
  readonly hits: readonly Hit[];
}

/** Of each kind; what is further down is found by writing more. */
const MOST_SESSIONS = 8;
const MOST_HITS = 8;

export function listChoices(query: string, { actions, sessions, hits }: Known): readonly Choice[] {
  return [
    ...actions.flatMap(({ name, hint = "", run }) => choose(name, query, { id: `do ${name}`, kind: "Do", hint, run })),
    ...sessions.flatMap((session) => chooseSession(session, query)).slice(0, MOST_SESSIONS),
    ...hits.slice(0, MOST_HITS).map(chooseHit),
  ];
}

function chooseSession({ id, title, preview, updatedAt }: SessionLine, query: string): readonly Choice[] {
  const hint = writeAgo(updatedAt, Date.now());
  const run = () => goTo({ type: "session", id, seq: undefined });
  return choose(title || preview || "A conversation", query, { id: `go ${id}`, kind: "Go to", hint, run });
}

function chooseHit({ sessionId, seq, before, match, after }: Hit): Choice {
  const run = () => goTo({ type: "session", id: sessionId, seq });
  return { id: `said ${sessionId} ${seq}`, kind: "Said", before, match, after, hint: "", run };
}

/** None where the words are not in the name. */
function choose(name: string, query: string, rest: Pick<Choice, "id" | "kind" | "hint" | "run">): readonly Choice[] {
  const start = name.toLowerCase().indexOf(query.toLowerCase());
  if (start === -1) return [];
  const end = start + query.length;
  return [{ ...rest, before: name.slice(0, start), match: name.slice(start, end), after: name.slice(end) }];
}
