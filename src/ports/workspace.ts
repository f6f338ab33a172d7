/** The files, links and outlines shown with a conversation, read-only. Paths are relative to the root, with slashes. */

/** A file with its text. */
export interface WorkspaceFile {
  readonly path: string;
  readonly text: string;
  /** SHA-256 of the text, to recognize unchanged files. Empty for an empty text. */
  readonly hash: string;
}

export interface WorkspaceTree {
  /** Sorted, without ignored files. */
  readonly paths: readonly string[];
  /** True if there are more files. */
  readonly isCut: boolean;
}

/** The definitions of a file in a few lines. */
export interface WorkspaceOutline extends WorkspaceFile {
  /** Other files that define what this one uses. */
  readonly refersTo: readonly string[];
}

export type WorkspaceLink =
  | { readonly type: "page"; readonly url: string; readonly title?: string | undefined; readonly text: string }
  | { readonly type: "refused"; readonly url: string; readonly reason: string };

/** The files, tree and outlines of a repository. */
export interface Workspace {
  /** Explains the notation of the outlines. */
  readonly legend?: string | undefined;
  listTree(): Promise<WorkspaceTree>;
  /**
   * Reads a text file inside the root, after resolving links. Returns undefined if it does not exist; refuses binaries
   * and paths outside the root with `file-refused` without reading them. Returns the same object while the file is
   * unchanged.
   */
  findFile(path: string): Promise<WorkspaceFile | undefined>;
  /** Lists the outlines of all files in a known language by path; the same objects while files are unchanged. */
  listOutlines(): Promise<readonly WorkspaceOutline[]>;
  /** Fetches a page within limits. */
  readLink(url: string): Promise<WorkspaceLink>;
}
