/** The list of conversations, the most recently used first, and a search through all messages. */
import { type DragEvent, useState } from "react";
import { searchMessages } from "../api/log.ts";
import type { Hit } from "../api/search-hit.ts";
import { listSessionPages } from "../api/sessions.ts";
import { hasToken } from "../api/token.ts";
import type { Session } from "../api/values.ts";
import { ImportFailure } from "../first-run/import-failure.tsx";
import { importCopy, importFile } from "../first-run/import-file.ts";
import { useDebounced } from "../hooks/limit-calls.ts";
import { useOtherSessions } from "../hooks/use-events.ts";
import { useLoaded } from "../hooks/use-loaded.ts";
import { goTo, placeHref } from "../hooks/use-location.ts";
import { useRefreshTicks } from "../hooks/use-refresh-ticks.ts";
import { SignOut } from "../sign-in/sign-out.tsx";
import { formatAge, formatCount } from "../ui/format.ts";

const DEBOUNCE_MS = 200;

export interface HistoryProps {
  readonly currentId: string | undefined;
  /** Id of a session that is about to be deleted. */
  readonly hiddenId: string | undefined;
  readonly version: number;
}

interface Failure {
  readonly error: unknown;
  readonly file: File;
}

export function History({ currentId, hiddenId, version }: HistoryProps) {
  const [query, setQuery] = useState("");
  const settledQuery = useDebounced(query.trim(), DEBOUNCE_MS);
  const [pages, setPages] = useState(1);
  // The open conversation may be new, so its id is part of the key.
  const key = `sessions ${version} ${pages} ${useRefreshTicks()} ${useOtherSessions(currentId)} ${currentId}`;
  const { value, error } = useLoaded(key, (signal) => listSessionPages(pages, signal));
  const sessions = value?.sessions;
  const [failure, setFailure] = useState<Failure | undefined>();
  const importWith = (file: File, work: (file: File) => Promise<string>) => {
    setFailure(undefined);
    work(file).then(
      (id) => goTo({ type: "session", id, seq: undefined }),
      (error: unknown) => setFailure({ error, file }),
    );
  };
  const onDrop = (event: DragEvent) => {
    const [file] = event.dataTransfer.files;
    event.preventDefault();
    if (file !== undefined) importWith(file, importFile);
  };
  return (
    <nav className="history" aria-label="Conversations" onDragOver={(event) => event.preventDefault()} onDrop={onDrop}>
      <div className="history-head">
        <a className="wordmark" href="#/">
          Palimpsest
        </a>
        <a className="quiet-link" href="#/">
          New
        </a>
      </div>
      <label className="visually-hidden" htmlFor="search">
        Search all messages
      </label>
      <input
        id="search"
        className="search"
        type="search"
        placeholder="Search all messages"
        value={query}
        onChange={(event) => setQuery(event.target.value)}
      />
      {failure === undefined ? null : (
        <p className="aside history-empty failed" role="alert">
          <ImportFailure
            error={failure.error}
            onOpen={() => setFailure(undefined)}
            onCopy={() => importWith(failure.file, importCopy)}
          />
        </p>
      )}
      {settledQuery === "" ? (
        <SessionList
          sessions={sessions?.filter(({ id }) => id !== hiddenId)}
          error={error}
          currentId={currentId}
          onMore={value?.hasMore === true ? () => setPages(pages + 1) : undefined}
        />
      ) : (
        <Hits query={settledQuery} sessions={sessions ?? []} />
      )}
      <SignOut />
    </nav>
  );
}

interface SessionListProps extends Pick<HistoryProps, "currentId"> {
  readonly sessions: readonly Session[] | undefined;
  readonly error: string | undefined;
  /** Undefined on the last page. */
  readonly onMore: (() => void) | undefined;
}

function SessionList({ sessions, error, currentId, onMore }: SessionListProps) {
  if (sessions === undefined) return <p className="aside history-empty">{error ?? ""}</p>;
  if (sessions.length === 0) {
    const where = hasToken() ? "on this server" : "on this machine";
    return <p className="aside history-empty">Your conversations are stored {where}.</p>;
  }
  const now = Date.now();
  return (
    <ol className="session-list">
      {sessions.map(({ id, title, preview, updatedAt, messageCount }) => (
        <li key={id}>
          <a
            href={placeHref({ type: "session", id, seq: undefined })}
            aria-current={id === currentId ? "page" : undefined}
          >
            <span className="session-title">{title || preview || "Empty conversation"}</span>
            <span className="aside">
              {formatCount(messageCount, "message")}, {formatAge(updatedAt, now)}
            </span>
          </a>
        </li>
      ))}
      {onMore === undefined ? null : (
        <li>
          <button type="button" className="quiet" onClick={onMore}>
            Show older conversations
          </button>
        </li>
      )}
    </ol>
  );
}

interface HitsProps {
  readonly query: string;
  readonly sessions: readonly Session[];
}

function Hits({ query, sessions }: HitsProps) {
  const titles = new Map(sessions.map(({ id, title, preview }) => [id, title || preview]));
  const { value: hits, error } = useLoaded(query, (signal) => searchMessages(query, signal));
  return (
    <>
      <p className="aside history-empty" role="status">
        {error ?? (hits === undefined ? "Searching…" : `${formatCount(hits.length, "match", "matches")}`)}
      </p>
      {hits?.length === 0 ? (
        <p className="aside history-empty">
          The search looks for the exact text in all conversations. Try a part of a word, or another word.
        </p>
      ) : null}
      <ol className="session-list">
        {hits?.map((hit) => (
          <li key={`${hit.sessionId} ${hit.messageId}`}>
            <a href={placeHref({ type: "session", id: hit.sessionId, seq: hit.seq })}>
              <Snippet hit={hit} title={titles.get(hit.sessionId) ?? ""} />
            </a>
          </li>
        ))}
      </ol>
    </>
  );
}

function Snippet({ hit, title }: { readonly hit: Hit; readonly title: string }) {
  const { role, before, match, after } = hit;
  return (
    <>
      <span className="snippet">
        {before}
        <mark>{match}</mark>
        {after}
      </span>
      <span className="aside session-title">
        {role}
        {title === "" ? null : `, ${title}`}
      </span>
    </>
  );
}
