/** The menu of a session: rename, fork, export and delete. */
import { type FormEvent, useState } from "react";
import { exportAddress, renameSession } from "../api/sessions.ts";
import { hasToken } from "../api/token.ts";
import type { Session } from "../api/values.ts";
import { MoreIcon } from "../ui/icons.tsx";
import { saveExport, saveMarkdown } from "./save-session.ts";

export interface SessionMenuProps {
  readonly session: Session;
  readonly onChange: () => void;
  readonly onFork: () => void;
  readonly onDelete: (session: Session) => void;
  readonly onFail: (error: unknown) => void;
}

const MENU_ID = "session-menu";

export function SessionMenu({ session, onChange, onFork, onDelete, onFail }: SessionMenuProps) {
  const { id } = session;
  const close = () => document.getElementById(MENU_ID)?.hidePopover();
  const fork = () => {
    close();
    onFork();
  };
  const rename = (title: string) => {
    close();
    renameSession(id, title).then(onChange, onFail);
  };
  return (
    <>
      <button type="button" className="quiet icon-button" aria-label="Conversation menu" popoverTarget={MENU_ID}>
        <MoreIcon />
      </button>
      <div className="menu" id={MENU_ID} popover="auto">
        <RenameForm key={session.title} title={session.title ?? ""} onRename={rename} />
        <button type="button" className="quiet" onClick={fork}>
          Fork into a new conversation
        </button>
        <ExportChoice id={id} onChoose={close} onFail={onFail} />
        <button
          type="button"
          className="quiet"
          onClick={() => {
            close();
            saveMarkdown(id).catch(onFail);
          }}
        >
          Export as Markdown
        </button>
        <button
          type="button"
          className="quiet"
          onClick={() => {
            close();
            onDelete(session);
          }}
        >
          Delete
        </button>
      </div>
    </>
  );
}

interface ExportChoiceProps extends Pick<SessionMenuProps, "onFail"> {
  readonly id: string;
  readonly onChoose: () => void;
}

/** A link if the server needs no token, so that the user can copy its address. */
function ExportChoice({ id, onChoose, onFail }: ExportChoiceProps) {
  const label = "Export the whole log";
  if (!hasToken()) {
    return (
      <a className="menu-link" href={exportAddress(id)} download onClick={onChoose}>
        {label}
      </a>
    );
  }
  const save = () => {
    onChoose();
    saveExport(id).catch(onFail);
  };
  return (
    <button type="button" className="quiet" onClick={save}>
      {label}
    </button>
  );
}

function RenameForm({ title, onRename }: { readonly title: string; readonly onRename: (title: string) => void }) {
  const [text, setText] = useState(title);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (text.trim() !== "") onRename(text.trim());
  };
  return (
    <form className="rename" onSubmit={submit}>
      <label className="visually-hidden" htmlFor="title">
        Title
      </label>
      <input
        id="title"
        className="search"
        value={text}
        placeholder="Title"
        onChange={(event) => setText(event.target.value)}
      />
      <button type="submit">Rename</button>
    </form>
  );
}
