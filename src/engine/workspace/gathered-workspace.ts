/** What was found beside a conversation for one prompt. */
import type { WorkspaceContent } from "../../core/prompt/workspace/lay-out-workspace.ts";
import type { WorkspaceFile, WorkspaceOutline } from "../../ports/workspace.ts";

export interface GatheredWorkspace extends WorkspaceContent {
  readonly outlines: readonly WorkspaceOutline[];
  readonly files: readonly WorkspaceFile[];
  /** Chosen files that are there no more, or may not be shown any more. */
  readonly gone: readonly string[];
  /** Chosen files that could not be read just now. */
  readonly unread: readonly string[];
  /** Chosen files that were left out because the prompt would have been too large. */
  readonly shed: readonly ShedFile[];
  /** Outlines that are not shown because the repository is large. */
  readonly hiddenOutlines: number;
  /** What the host should know of the repository. */
  readonly warning: string | undefined;
  /** Whether there is a repository whose parts are followed from request to request. */
  readonly isFollowed: boolean;
}

export interface ShedFile {
  readonly path: string;
  readonly tokens: number;
}
