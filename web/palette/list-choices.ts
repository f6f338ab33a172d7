/** Choices of the command palette that match the query: actions, then conversations, then messages. */
import type { Hit } from "../api/search-hit.ts";
import type { Session } from "../api/values.ts";
import type { Action } from "../hooks/use-actions.ts";
import { goTo } from "../hooks/use-location.ts";
import { formatAge } from "../ui/format.ts";

export interface Choice {
  readonly id: string;
  readonly kind: "Action" | "Conversation" | "Message";
  readonly before: string;
  readonly match: string;
  readonly after: string;
  readonly hint: string;
  readonly run: () => void;
}

export interface ChoiceSources {
  readonly actions: readonly Action[];
  readonly sessions: readonly Session[];
  readonly hits: readonly Hit[];
}

/** Limits for each kind; a longer query finds the rest. */
const MAX_SESSIONS = 8;
const MAX_HITS = 8;

export function listChoices(query: string, { actions, sessions, hits }: ChoiceSources): readonly Choice[] {
  return [
    ...actions.flatMap(({ name, hint = "", run }) =>
      matchName(name, query, { id: `action ${name}`, kind: "Action", hint, run }),
    ),
    ...sessions.flatMap((session) => matchSession(session, query)).slice(0, MAX_SESSIONS),
    ...hits.slice(0, MAX_HITS).map(toChoice),
  ];
}

function matchSession({ id, title, preview, updatedAt }: Session, query: string): readonly Choice[] {
  const hint = formatAge(updatedAt, Date.now());
  const run = () => goTo({ type: "session", id, seq: undefined });
  return matchName(title || preview || "Empty conversation", query, {
    id: `session ${id}`,
    kind: "Conversation",
    hint,
    run,
  });
}

function toChoice({ sessionId, seq, before, match, after }: Hit): Choice {
  const run = () => goTo({ type: "session", id: sessionId, seq });
  return { id: `message ${sessionId} ${seq}`, kind: "Message", before, match, after, hint: "", run };
}

/** Returns an empty list if the name does not contain the query. */
function matchName(name: string, query: string, rest: Pick<Choice, "id" | "kind" | "hint" | "run">): readonly Choice[] {
  const start = name.toLowerCase().indexOf(query.toLowerCase());
  if (start === -1) return [];
  const end = start + query.length;
  return [{ ...rest, before: name.slice(0, start), match: name.slice(start, end), after: name.slice(end) }];
}
