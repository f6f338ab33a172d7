/** The files, links and symbols that stand beside a conversation. Paths are relative to the workspace's root. */
export interface WorkspaceFile {
  readonly path: string;
  readonly text: string;
  /** SHA-256 of the text, so that unchanged files are known without reading them twice. */
  readonly hash: string;
}

export interface Workspace {
  /** Sorted paths of the tree, without what the repository ignores. */
  listTree(): Promise<readonly string[]>;
  /**
   * A text file inside the root, after links are resolved. `undefined` where it does not exist; refuses binaries and
   * paths that lead outside with `message-invalid`, and never reads them.
   */
  findFile(path: string): Promise<WorkspaceFile | undefined>;
  /** The compact structure of a file, where its language is known. */
  findSymbols(path: string): Promise<string | undefined>;
}
