/** A workspace in memory whose files, outlines and references a test writes. */
import { hashText } from "../../src/core/message/hash-message.ts";
import type { Workspace, WorkspaceFile, WorkspaceOutline } from "../../src/ports/workspace.ts";

export interface ScriptedOutline {
  readonly text: string;
  readonly refersTo?: readonly string[] | undefined;
}

export class ScriptedWorkspace implements Workspace {
  readonly legend = "f: function";
  /** All requested pages in order. */
  readonly asked: string[] = [];
  readonly #files = new Map<string, WorkspaceFile>();
  readonly #outlines = new Map<string, WorkspaceOutline>();

  write(path: string, text: string, outline?: ScriptedOutline): this {
    this.#files.set(path, { path, text, hash: hashText(text) });
    if (outline === undefined) return this;
    const { text: content, refersTo = [] } = outline;
    this.#outlines.set(path, { path, text: content, hash: hashText(content), refersTo });
    return this;
  }

  remove(path: string): void {
    this.#files.delete(path);
    this.#outlines.delete(path);
  }

  async listTree() {
    return { paths: [...this.#files.keys()].toSorted(), isCut: false };
  }

  async findFile(path: string) {
    return this.#files.get(path);
  }

  async listOutlines() {
    return [...this.#outlines.values()].toSorted((left, right) => (left.path < right.path ? -1 : 1));
  }

  async readLink(url: string) {
    this.asked.push(url);
    return { type: "page", url, text: `Of ${url}` } as const;
  }
}
