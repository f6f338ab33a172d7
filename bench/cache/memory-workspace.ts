/** A writable repository in memory, with outlines of what its files export. */
import { hashText } from "../../src/core/message/hash-message.ts";
import type {
  Workspace,
  WorkspaceFile,
  WorkspaceLink,
  WorkspaceOutline,
  WorkspaceTree,
} from "../../src/ports/workspace.ts";

export class MemoryWorkspace implements Workspace {
  readonly #files = new Map<string, WorkspaceFile>();
  readonly #outlines = new Map<string, WorkspaceOutline>();
  #tree: WorkspaceTree | undefined;
  #outlineList: readonly WorkspaceOutline[] | undefined;

  constructor(files: ReadonlyMap<string, string>) {
    for (const [path, text] of files) this.write(path, text);
  }

  write(path: string, text: string): void {
    if (!this.#files.has(path)) this.#tree = undefined;
    this.#files.set(path, { path, text, hash: hashText(text) });
    const outline = outlineOf(path, text);
    // Returns the same object while the content is unchanged, as the port requires.
    if (this.#outlines.get(path)?.hash === outline.hash) return;
    this.#outlines.set(path, outline);
    this.#outlineList = undefined;
  }

  remove(path: string): void {
    this.#files.delete(path);
    this.#outlines.delete(path);
    this.#tree = undefined;
    this.#outlineList = undefined;
  }

  async listTree(): Promise<WorkspaceTree> {
    this.#tree ??= { paths: [...this.#files.keys()].toSorted(), isCut: false };
    return this.#tree;
  }

  async findFile(path: string): Promise<WorkspaceFile | undefined> {
    return this.#files.get(path);
  }

  async listOutlines(): Promise<readonly WorkspaceOutline[]> {
    this.#outlineList ??= [...this.#outlines.values()].toSorted((left, right) => (left.path < right.path ? -1 : 1));
    return this.#outlineList;
  }

  async readLink(url: string): Promise<WorkspaceLink> {
    return { type: "refused", url, reason: "nothing is read from the network here" };
  }
}

function outlineOf(path: string, source: string): WorkspaceOutline {
  const lines = source.split("\n");
  const text = lines.flatMap((line) => /^export (.*?)(?: \{)?$/.exec(line)?.[1] ?? []).join("\n");
  const refersTo = lines.flatMap((line) => /^import .* from "(.*)";$/.exec(line)?.[1] ?? []);
  return { path, text, hash: hashText(`${text}\n${refersTo.join("\n")}`), refersTo };
}
