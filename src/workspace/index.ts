/** Entry point `palimpsest/workspace`: a workspace on the local disk. Optional packages are loaded on first use. */

export { findLinks } from "../core/prompt/workspace/find-links.ts";
export type { FetchLimits } from "./links/fetch-link.ts";
export { type LocalWorkspaceOptions, openLocalWorkspace } from "./local-workspace.ts";
