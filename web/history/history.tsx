/** All conversations, the newest first, and a search through everything that was ever said in them. */
import { type DragEvent, useState } from "react";
import { searchMessages } from "../api/log.ts";
import { listSessionPages } from "../api/sessions.ts";
import { hasToken } from "../api/token.ts";
import type { Hit, SessionLine } from "../api/values.ts";
import { ImportFailure } from "../first-run/import-failure.tsx";
import { importCopy, importFile } from "../first-run/import-file.ts";
import { useDebounced } from "../hooks/limit-calls.ts";
import { useNews } from "../hooks/use-events.ts";
import { useLoaded } from "../hooks/use-loaded.ts";
import { goTo, writePlace } from "../hooks/use-location.ts";
import { useRevisits } from "../hooks/use-revisits.ts";
import { SignOut } from "../sign-in/sign-out.tsx";
import { writeAgo, writeCount } from "../ui/format.ts";

const REST_MS = 200;

export interface HistoryProps {
  readonly currentId: string | undefined;
  /** One that is about to be deleted. */
  readonly hiddenId: string | undefined;
  readonly version: number;
}

interface Failure {
  readonly error: unknown;
  readonly file: File;
}

export function History({ currentId, hiddenId, version }: HistoryProps) {
  const [query, setQuery] = useState("");
  const wanted = useDebounced(query.trim(), REST_MS);
  const [pages, setPages] = useState(1);
  // Another conversation on the screen may be one that was just made.
  const key = `sessions ${version} ${pages} ${useRevisits()} ${useNews(currentId)} ${currentId}`;
  const { value, error } = useLoaded(key, (signal) => listSessionPages(pages, signal));
  const sessions = value?.sessions;
  const [failure, setFailure] = useState<Failure | undefined>();
  const take = (file: File, work: (file: File) => Promise<string>) => {
    setFailure(undefined);
    work(file).then(
      (id) => goTo({ type: "session", id, seq: undefined }),
      (error: unknown) => setFailure({ error, file }),
    );
  };
  const onDrop = (event: DragEvent) => {
    const [file] = event.dataTransfer.files;
    event.preventDefault();
    if (file !== undefined) take(file, importFile);
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
        Search everything that was said
      </label>
      <input
        id="search"
        className="search"
        type="search"
        placeholder="Search everything"
        value={query}
        onChange={(event) => setQuery(event.target.value)}
      />
      {failure === undefined ? null : (
        <p className="aside history-empty failed" role="alert">
          <ImportFailure
            error={failure.error}
            onOpen={() => setFailure(undefined)}
            onCopy={() => take(failure.file, importCopy)}
          />
        </p>
      )}
      {wanted === "" ? (
        <SessionList
          sessions={sessions?.filter(({ id }) => id !== hiddenId)}
          error={error}
          currentId={currentId}
          onMore={value?.hasMore === true ? () => setPages(pages + 1) : undefined}
        />
      ) : (
        <Hits query={wanted} sessions={sessions ?? []} />
      )}
      <SignOut />
    </nav>
  );
}

interface SessionListProps extends Pick<HistoryProps, "currentId"> {
  readonly sessions: readonly SessionLine[] | undefined;
  readonly error: string | undefined;
  /** Where there are older ones. */
  readonly onMore: (() => void) | undefined;
}

function SessionList({ sessions, error, currentId, onMore }: SessionListProps) {
  if (sessions === undefined) return <p className="aside history-empty">{error ?? ""}</p>;
  if (sessions.length === 0) {
    const where = hasToken() ? "on this server" : "on this machine";
    return <p className="aside history-empty">Conversations are kept here, every word of them, {where}.</p>;
  }
  const now = Date.now();
  return (
    <ol className="session-list">
      {sessions.map(({ id, title, preview, updatedAt, messageCount }) => (
        <li key={id}>
          <a
            href={writePlace({ type: "session", id, seq: undefined })}
            aria-current={id === currentId ? "page" : undefined}
          >
            <span className="session-title">{title || preview || "Nothing said yet"}</span>
            <span className="aside">
              {writeCount(messageCount, "message")}, {writeAgo(updatedAt, now)}
            </span>
          </a>
        </li>
      ))}
      {onMore === undefined ? null : (
        <li>
          <button type="button" className="quiet" onClick={onMore}>
            Older conversations
          </button>
        </li>
      )}
    </ol>
  );
}

interface HitsProps {
  readonly query: string;
  readonly sessions: readonly SessionLine[];
}

function Hits({ query, sessions }: HitsProps) {
  const titles = new Map(sessions.map(({ id, title, preview }) => [id, title || preview]));
  const { value: hits, error } = useLoaded(query, (signal) => searchMessages(query, signal));
  return (
    <>
      <p className="aside history-empty" role="status">
        {error ?? (hits === undefined ? "Searching…" : `${writeCount(hits.length, "match", "matches")}`)}
      </p>
      {hits?.length === 0 ? (
        <p className="aside history-empty">
          Every word of every conversation is searched, as it was written. Try a part of a word, or another one.
        </p>
      ) : null}
      <ol className="session-list">
        {hits?.map((hit) => (
          <li key={`${hit.sessionId} ${hit.messageId}`}>
            <a href={writePlace({ type: "session", id: hit.sessionId, seq: hit.seq })}>
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
