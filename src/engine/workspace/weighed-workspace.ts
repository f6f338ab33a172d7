/** A workspace as one prompt shows it, and as later prompts go on showing it where nothing before the history may change. */
import type { PromptId } from "../../core/log/entry.ts";
import type { GatheredWorkspace } from "./gathered-workspace.ts";
import type { PlacedWorkspace } from "./place-workspace.ts";

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
