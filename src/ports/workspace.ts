/**
 * The files, links and outlines that stand beside a conversation. Paths are relative to the workspace's root, with
 * slashes. Nothing is ever written.
 */
export interface WorkspaceFile {
  readonly path: string;
  readonly text: string;
  /** SHA-256 of the text, so that unchanged files are known without reading them twice. Empty for no text. */
  readonly hash: string;
}

export interface WorkspaceTree {
  /** Sorted, without what the repository ignores. */
  readonly paths: readonly string[];
  /** There are more. */
  readonly isCut: boolean;
}

/** What a file defines, in a few lines. */
export interface WorkspaceOutline {
  readonly path: string;
  readonly text: string;
  readonly hash: string;
  /** Other files that define what this one uses. */
  readonly refersTo: readonly string[];
}

export type WorkspaceLink =
  | { readonly type: "page"; readonly url: string; readonly title?: string | undefined; readonly text: string }
  | { readonly type: "refused"; readonly url: string; readonly reason: string };

export interface Workspace {
  /** How to read the outlines. */
  readonly legend?: string | undefined;
  listTree(): Promise<WorkspaceTree>;
  /**
   * A text file inside the root, after links are resolved. `undefined` where it does not exist; refuses binaries and
   * paths that lead outside with `file-refused`, and never reads them. The same object while the file is unchanged.
   */
  findFile(path: string): Promise<WorkspaceFile | undefined>;
  /** Of every file whose language is known, sorted by path. The same objects while the files are unchanged. */
  listOutlines(): Promise<readonly WorkspaceOutline[]>;
  /** Reads a page from the network, within limits. */
  readLink(url: string): Promise<WorkspaceLink>;
}
