/** What was found beside a conversation for one prompt. */

import type { PromptId } from "../../core/log/entry.ts";
import type { WorkspaceContent } from "../../core/prompt/workspace/lay-out-workspace.ts";
import type { WorkspaceFile, WorkspaceOutline } from "../../ports/workspace.ts";
import type { PlacedWorkspace } from "./place-workspace.ts";

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

export interface WeighedWorkspace extends PlacedWorkspace {
  readonly gathered: GatheredWorkspace;
  /** The same with the whole tree. */
  readonly told: GatheredWorkspace;
  readonly tokens: number;
  /** By which outlines and the tree were limited. */
  readonly limitTokens: number;
  /** Where it stands as an earlier prompt has placed it. */
  readonly frozen?: FrozenWorkspace | undefined;
  /** What has changed since and no note has told yet. */
  readonly change?: string | undefined;
}

export interface FrozenWorkspace {
  /** The prompt that has placed it. */
  readonly sincePromptId: PromptId;
  /** The newest prompt that shows it, and when that was handed out. */
  readonly promptId: PromptId;
  readonly at: number;
  readonly placed: WeighedWorkspace;
  /** What the model was told in all: the workspace as it was placed, and then each change. */
  readonly told: GatheredWorkspace;
  /** How many notes have told changes. */
  readonly noteCount: number;
}

export interface WorkspaceChange {
  /** All that is there now. */
  readonly told: GatheredWorkspace;
  /** What the model has not been told; undefined where it was told everything. */
  readonly text: string | undefined;
}

/** What the next prompt finds once this one was handed out. */
export function keepFrozen(placed: WeighedWorkspace, shown: Pick<FrozenWorkspace, "promptId" | "at">): FrozenWorkspace {
  const { frozen, change, told } = placed;
  if (frozen === undefined) return { sincePromptId: shown.promptId, ...shown, placed, told, noteCount: 0 };
  return { ...frozen, ...shown, told, noteCount: frozen.noteCount + (change === undefined ? 0 : 1) };
}
