/** The files selected for the model. Texts from disk are read again when the file has changed. */

import { checkArgument, TEXT } from "../../core/check-options.ts";
import { PalimpsestError } from "../../core/errors.ts";
import { hashText } from "../../core/message/hash-message.ts";
import { cleanPath } from "../../core/prompt/workspace/clean-path.ts";
import { formatFile, formatFiles } from "../../core/prompt/workspace/format-files.ts";
import type { Workspace, WorkspaceFile } from "../../ports/workspace.ts";
import type { GatheredWorkspace } from "./workspace-content.ts";

/** The selected files as they are on disk now. */
export type FoundFiles = Pick<GatheredWorkspace, "files" | "gone" | "unread">;

export type CountText = (text: string) => number;

export class FileContext {
  readonly #workspace: Pick<Workspace, "findFile"> | undefined;
  readonly #files = new Map<string, WorkspaceFile & { readonly isGiven: boolean }>();

  /** Without a workspace, only texts given by the host can be shown. */
  constructor(workspace?: Pick<Workspace, "findFile">) {
    this.#workspace = workspace;
  }

  /** Returns false where there is no such file. Throws `file-refused` for one that may not be shown. */
  async add(path: string, text?: string): Promise<boolean> {
    checkArgument(path, TEXT, "files.add: path");
    if (text !== undefined) checkArgument(text, TEXT, "files.add: text");
    const name = cleanPath(path);
    if (text !== undefined) {
      this.#files.set(name, { path: name, text, hash: text === "" ? "" : hashText(text), isGiven: true });
      return true;
    }
    const file = await this.#workspace?.findFile(name);
    if (file === undefined) return false;
    this.#files.set(name, { ...file, isGiven: false });
    return true;
  }

  remove(path: string): boolean {
    return this.#files.delete(cleanPath(path));
  }

  has(path: string): boolean {
    return this.#files.has(cleanPath(path));
  }

  textOf(path: string): string | undefined {
    return this.#files.get(cleanPath(path))?.text;
  }

  /** Sorted, so that a prompt does not depend on the order of selection. */
  get paths(): readonly string[] {
    return [...this.#files.keys()].toSorted();
  }

  get files(): readonly WorkspaceFile[] {
    return this.paths.flatMap((path) => this.#files.get(path) ?? []);
  }

  clear(): void {
    this.#files.clear();
  }

  copyFrom(other: FileContext): void {
    for (const [path, file] of other.#files) this.#files.set(path, file);
  }

  /** Reads the disk again. Files that are gone or cannot be read stay selected until the caller removes them. */
  async look(): Promise<FoundFiles> {
    const [gone, unread]: [string[], string[]] = [[], []];
    for (const [path, known] of this.#files) {
      if (known.isGiven) continue;
      const found = await this.#find(path);
      if (found === "unread") unread.push(path);
      else if (found === undefined) gone.push(path);
      else if (found.hash !== known.hash) this.#files.set(path, { ...found, isGiven: false });
    }
    const isShown = ({ path }: WorkspaceFile): boolean => !gone.includes(path) && !unread.includes(path);
    return { files: this.files.filter(isShown), gone: gone.toSorted(), unread: unread.toSorted() };
  }

  async #find(path: string): Promise<WorkspaceFile | "unread" | undefined> {
    try {
      return await this.#workspace?.findFile(path);
    } catch (error) {
      return error instanceof PalimpsestError && error.code === "file-refused" ? undefined : "unread";
    }
  }

  format(): string {
    return formatFiles(this.files);
  }

  tokens(count: CountText): number {
    return this.#files.size === 0 ? 0 : count(this.format());
  }

  tokensByFile(count: CountText): ReadonlyMap<string, number> {
    return new Map(this.files.map((file) => [file.path, count(formatFile(file))]));
  }
}
