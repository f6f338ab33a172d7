/**
 * What stands beside the conversation in every prompt: files of a repository and pages, with what they weigh and how
 * settled they are. What there was no room for is said first.
 */
import { type FormEvent, useState } from "react";
import { sayError } from "../api/errors.ts";
import type { View, Workspace } from "../api/values.ts";
import { addFile, addLink, loadWorkspace, removeFile, removeLink } from "../api/workspace.ts";
import { useLoaded } from "../hooks/use-loaded.ts";
import { writeCount } from "../ui/format.ts";
import { CloseIcon, PlusIcon } from "../ui/icons.tsx";

export interface WorkspacePanelProps {
  readonly sessionId: string;
  readonly version: number;
  readonly view: View | undefined;
  /** What the next prompt shows has changed. */
  readonly onChange: () => void;
}

export function WorkspacePanel({ sessionId, version, view, onChange }: WorkspacePanelProps) {
  const [changes, setChanges] = useState(0);
  const [said, setSaid] = useState("");
  const key = `${sessionId} ${version} ${changes}`;
  const { value: workspace, error } = useLoaded(key, (signal) => loadWorkspace(sessionId, signal));
  const attempt = async (work: () => Promise<string>) => {
    setSaid(await work().catch(sayError));
    setChanges((before) => before + 1);
    onChange();
  };
  if (workspace === undefined) return <p className="aside panel-empty">{error ?? "Looking…"}</p>;
  return (
    <>
      {view === undefined ? null : <Shed view={view} />}
      <Files
        workspace={workspace}
        onAdd={(path) =>
          void attempt(async () =>
            (await addFile(sessionId, path)) ? `Added ${path}.` : `The repository has no file ${path}.`,
          )
        }
        onRemove={(path) =>
          void attempt(async () => {
            await removeFile(sessionId, path);
            return `Removed ${path}.`;
          })
        }
      />
      <Links
        workspace={workspace}
        onAdd={(url) =>
          void attempt(async () => {
            const refused = await addLink(sessionId, url);
            return refused === undefined ? `Added ${url}.` : `Not added: ${refused}`;
          })
        }
        onRemove={(url) =>
          void attempt(async () => {
            await removeLink(sessionId, url);
            return `Removed ${url}.`;
          })
        }
      />
      <p className="aside" role="status">
        {said}
      </p>
    </>
  );
}

function Shed({ view: { shed, hiddenOutlines } }: { readonly view: View }) {
  if (shed.length === 0 && hiddenOutlines === 0) return null;
  return (
    <section className="panel-part warning" aria-label="What there is no room for">
      {shed.length === 0 ? null : (
        <>
          <h3>No room for {writeCount(shed.length, "file")}</h3>
          <p>The model does not see these now. Remove others, or choose a model with a larger window.</p>
          <ul className="plain-list">
            {shed.map(({ path, tokens }) => (
              <li key={path}>
                <span className="mono">{path}</span>{" "}
                <span className="figures aside">{writeCount(tokens, "token")}</span>
              </li>
            ))}
          </ul>
        </>
      )}
      {hiddenOutlines === 0 ? null : <p>{writeCount(hiddenOutlines, "outline")} of other files left out.</p>}
    </section>
  );
}

interface PartProps {
  readonly workspace: Workspace;
  readonly onAdd: (name: string) => void;
  readonly onRemove: (name: string) => void;
}

const STATE_WORDS: Readonly<Record<string, string>> = {
  gone: "gone from the repository",
  unread: "cannot be read just now",
};

function Files({ workspace: { files, tree }, onAdd, onRemove }: PartProps) {
  return (
    <section className="panel-part">
      <h3>Files</h3>
      {tree === undefined ? (
        <p className="aside panel-hint">
          This server stands in no repository. Start it with <code>palimpsest serve --workspace .</code> and files can
          be chosen here; pages can be added without.
        </p>
      ) : null}
      {files.length === 0 ? (
        tree === undefined ? null : (
          <p className="aside panel-hint">None is shown. A file that you add stands in every prompt from now on.</p>
        )
      ) : (
        <ul className="beside-list">
          {files.map(({ path, tokens, tier, state }) => (
            <li key={path}>
              <span className="beside-name mono">{path}</span>
              <span className="aside figures">
                {STATE_WORDS[state] ?? `${writeCount(tokens, "token")}, ${sayTier(tier)}`}
              </span>
              <RemoveButton name={path} onRemove={onRemove} />
            </li>
          ))}
        </ul>
      )}
      {tree === undefined ? null : <TreeChoice tree={tree} chosen={files.map(({ path }) => path)} onAdd={onAdd} />}
    </section>
  );
}

function sayTier(tier: string | undefined): string {
  if (tier === undefined) return "not in a prompt yet";
  return /^L\d$/.test(tier) ? `tier ${tier}` : "being worked on";
}

function Links({ workspace: { links }, onAdd, onRemove }: PartProps) {
  const [url, setUrl] = useState("");
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (url.trim() === "") return;
    onAdd(url.trim());
    setUrl("");
  };
  return (
    <section className="panel-part">
      <h3>Pages</h3>
      <ul className="beside-list">
        {links.map(({ url: address, title, tokens }) => (
          <li key={address}>
            <span className="beside-name">{title || address}</span>
            <span className="aside figures">{writeCount(tokens, "token")}</span>
            <RemoveButton name={address} onRemove={onRemove} />
          </li>
        ))}
      </ul>
      <form className="beside-form" onSubmit={submit}>
        <label className="visually-hidden" htmlFor="page-address">
          Address of a page
        </label>
        <input
          id="page-address"
          className="search"
          inputMode="url"
          value={url}
          placeholder="https://…"
          onChange={(event) => setUrl(event.target.value)}
        />
        <button type="submit">Add page</button>
      </form>
    </section>
  );
}

function RemoveButton({ name, onRemove }: { readonly name: string; readonly onRemove: (name: string) => void }) {
  return (
    <button type="button" className="quiet icon-button" aria-label={`Remove ${name}`} onClick={() => onRemove(name)}>
      <CloseIcon />
    </button>
  );
}

export interface TreeChoiceProps {
  readonly tree: readonly string[];
  readonly chosen: readonly string[];
  readonly onAdd: (path: string) => void;
}

const MOST_SHOWN = 12;

export function TreeChoice({ tree, chosen, onAdd }: TreeChoiceProps) {
  const [path, setPath] = useState("");
  const wanted = path.trim().toLowerCase();
  const found = tree.filter((each) => !chosen.includes(each) && each.toLowerCase().includes(wanted));
  const add = (name: string) => {
    onAdd(name);
    setPath("");
  };
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (path.trim() !== "") add(path.trim());
  };
  return (
    <>
      <form className="beside-form" onSubmit={submit}>
        <label className="visually-hidden" htmlFor="file-path">
          Path of a file
        </label>
        <input
          id="file-path"
          className="search"
          value={path}
          placeholder={`Path, or a part of it, in ${writeCount(tree.length, "file")}`}
          onChange={(event) => setPath(event.target.value)}
        />
        <button type="submit">Add file</button>
      </form>
      <ul className="tree-choice" aria-label="Files of the repository">
        {found.slice(0, MOST_SHOWN).map((each) => (
          <li key={each}>
            <button type="button" className="quiet mono" onClick={() => add(each)}>
              <PlusIcon /> {each}
            </button>
          </li>
        ))}
      </ul>
      {found.length > MOST_SHOWN ? (
        <p className="aside">and {writeCount(found.length - MOST_SHOWN, "more file")}</p>
      ) : null}
    </>
  );
}
