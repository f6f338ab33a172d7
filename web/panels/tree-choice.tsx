/** A file by its path: written, or chosen from those that hold what was written so far. */
import { type FormEvent, useState } from "react";
import { PlusIcon } from "../icons.tsx";
import { writeCount } from "../write-figures.ts";

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
