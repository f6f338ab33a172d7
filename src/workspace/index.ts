/**
 * The door `palimpsest/workspace`: a workspace on this machine's disk, with its limits. Pages need the packages
 * @mozilla/readability and linkedom, outlines need @vscode/tree-sitter-wasm; each is loaded when it is first needed.
 */

export { findLinks } from "../core/prompt/workspace/find-links.ts";
export type { FetchLimits } from "./fetch-link.ts";
export { type LocalWorkspaceOptions, openLocalWorkspace } from "./local-workspace.ts";
