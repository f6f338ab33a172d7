/**
 * Entry point `palimpsest/workspace`: a workspace on the local disk. Pages need the packages @mozilla/readability and
 * linkedom, outlines need @vscode/tree-sitter-wasm; each is loaded on first use.
 */

export { findLinks } from "../core/prompt/workspace/find-links.ts";
export type { FetchLimits } from "./links/fetch-link.ts";
export { type LocalWorkspaceOptions, openLocalWorkspace } from "./local-workspace.ts";
