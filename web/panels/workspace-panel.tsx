/**
 * Files and web pages that are sent with every prompt, with their tokens and cache tiers. Files that do not fit come
 * first.
 */
import { type FormEvent, useState } from "react";
import { describeError } from "../api/errors.ts";
import type { PromptReport, Workspace } from "../api/values.ts";
import { addFile, addLink, loadWorkspace, removeFile, removeLink } from "../api/workspace.ts";
import { useLoaded } from "../hooks/use-loaded.ts";
import { formatCount } from "../ui/format.ts";
import { CloseIcon, PlusIcon } from "../ui/icons.tsx";

export interface WorkspacePanelProps {
  readonly sessionId: string;
  readonly version: number;
  readonly report: PromptReport | undefined;
  /** Called when the next prompt has changed. */
  readonly onChange: () => void;
}

export function WorkspacePanel({ sessionId, version, report, onChange }: WorkspacePanelProps) {
  const [changes, setChanges] = useState(0);
  const [status, setStatus] = useState("");
  const key = `${sessionId} ${version} ${changes}`;
  const { value: workspace, error } = useLoaded(key, (signal) => loadWorkspace(sessionId, signal));
  const attempt = async (work: () => Promise<string>) => {
    setStatus(await work().catch(describeError));
    setChanges((before) => before + 1);
    onChange();
  };
  if (workspace === undefined) return <p className="aside panel-empty">{error ?? "Loading…"}</p>;
  return (
    <>
      {report?.workspace === undefined ? null : <MissingFiles workspace={report.workspace} />}
      <Files
        workspace={workspace}
        onAdd={(path) =>
          void attempt(async () =>
            (await addFile(sessionId, path)) ? `Added ${path}.` : `The workspace folder has no file ${path}.`,
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
        {status}
      </p>
    </>
  );
}

function MissingFiles({
  workspace: { shed, hiddenOutlines },
}: {
  readonly workspace: NonNullable<PromptReport["workspace"]>;
}) {
  if (shed.length === 0 && hiddenOutlines === 0) return null;
  return (
    <section className="panel-part warning" aria-label="Files that do not fit">
      {shed.length === 0 ? null : (
        <>
          <h3>No room for {formatCount(shed.length, "file")}</h3>
          <p>The model does not see these. Remove other files, or choose a model with a larger context window.</p>
          <ul className="plain-list">
            {shed.map(({ path, tokens }) => (
              <li key={path}>
                <span className="mono">{path}</span>{" "}
                <span className="figures aside">{formatCount(tokens, "token")}</span>
              </li>
            ))}
          </ul>
        </>
      )}
      {hiddenOutlines === 0 ? null : <p>Outlines of {formatCount(hiddenOutlines, "other file")} left out.</p>}
    </section>
  );
}

interface PartProps {
  readonly workspace: Workspace;
  readonly onAdd: (name: string) => void;
  readonly onRemove: (name: string) => void;
}

const STATE_LABELS: Readonly<Record<string, string>> = {
  gone: "no longer in the folder",
  unread: "cannot be read",
};

function Files({ workspace: { files, tree }, onAdd, onRemove }: PartProps) {
  return (
    <section className="panel-part">
      <h3>Files</h3>
      {tree === undefined ? (
        <p className="aside panel-hint">
          No workspace folder attached. Start the server with <code>palimpsest serve --workspace .</code> to choose
          files here. Web pages can be added without it.
        </p>
      ) : null}
      {files.length === 0 ? (
        tree === undefined ? null : (
          <p className="aside panel-hint">No files. A file that you add is sent with every prompt.</p>
        )
      ) : (
        <ul className="beside-list">
          {files.map(({ path, tokens, tier, state }) => (
            <li key={path}>
              <span className="beside-name mono">{path}</span>
              <span className="aside figures">
                {STATE_LABELS[state] ?? `${formatCount(tokens, "token")}, ${describeTier(tier)}`}
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

function describeTier(tier: string | undefined): string {
  if (tier === undefined) return "not in a prompt yet";
  return /^L\d$/.test(tier) ? `tier ${tier}` : "changing now";
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
            <span className="aside figures">{formatCount(tokens, "token")}</span>
            <RemoveButton name={address} onRemove={onRemove} />
          </li>
        ))}
      </ul>
      <form className="beside-form" onSubmit={submit}>
        <label className="visually-hidden" htmlFor="page-address">
          Address of a web page
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

const MAX_SHOWN = 12;

export function TreeChoice({ tree, chosen, onAdd }: TreeChoiceProps) {
  const [path, setPath] = useState("");
  const query = path.trim().toLowerCase();
  const found = tree.filter((each) => !chosen.includes(each) && each.toLowerCase().includes(query));
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
          placeholder={`Search ${formatCount(tree.length, "file")} by path`}
          onChange={(event) => setPath(event.target.value)}
        />
        <button type="submit">Add file</button>
      </form>
      <ul className="tree-choice" aria-label="Files of the workspace folder">
        {found.slice(0, MAX_SHOWN).map((each) => (
          <li key={each}>
            <button type="button" className="quiet mono" onClick={() => add(each)}>
              <PlusIcon /> {each}
            </button>
          </li>
        ))}
      </ul>
      {found.length > MAX_SHOWN ? (
        <p className="aside">and {formatCount(found.length - MAX_SHOWN, "more file")}</p>
      ) : null}
    </>
  );
}
