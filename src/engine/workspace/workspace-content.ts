/** The contents of a workspace on their way into a prompt: gathered, placed, weighed, frozen. */
import type { PromptId } from "../../core/log/entry.ts";
import type { Message } from "../../core/message/message.ts";
import type { PlanTier } from "../../core/plan/plan.ts";
import { TIER_THRESHOLDS } from "../../core/prompt/tiers/tier-rules.ts";
import type { TierMove } from "../../core/prompt/tiers/tier-table.ts";
import type { TierUpdate } from "../../core/prompt/tiers/track-stability.ts";
import type { WorkspaceContent, WorkspaceTexts } from "../../core/prompt/workspace/lay-out-workspace.ts";
import type { WeighedFile } from "../../core/prompt/workspace/limit-workspace.ts";
import type { SectionName } from "../../core/sections/section.ts";
import { type CachedTier, readItemKind, TIERS, type TierSnapshot } from "../../core/sections/tier.ts";
import type { WorkspaceFile, WorkspaceOutline } from "../../ports/workspace.ts";

export interface GatheredWorkspace extends WorkspaceContent {
  readonly outlines: readonly WorkspaceOutline[];
  readonly files: readonly WorkspaceFile[];
  /** Selected files that no longer exist, or may no longer be shown. */
  readonly gone: readonly string[];
  /** Selected files that could not be read this time. */
  readonly unread: readonly string[];
  /** Selected files that were left out to make the prompt fit. */
  readonly shed: readonly WeighedFile[];
  /** Number of outlines that are hidden because the repository is large. */
  readonly hiddenOutlines: number;
  readonly warning: string | undefined;
  /** Whether a repository is tracked from request to request. */
  readonly isFollowed: boolean;
}

export type PlaceName = Extract<SectionName, CachedTier | "workspace" | "history">;

export interface PromptPlace {
  readonly name: PlaceName;
  readonly messages: readonly Message[];
}

export interface PlacedWorkspace {
  /** Undefined without a tracked repository: the order is flat. */
  readonly update: TierUpdate | undefined;
  readonly texts: WorkspaceTexts;
  /** System text shown after the instructions. */
  readonly system: Message | undefined;
  /** Everything after the instructions, in prompt order, without empty places. */
  readonly places: readonly PromptPlace[];
  /** The messages of the workspace itself, with the system text. */
  readonly shown: readonly Message[];
}

export interface WeighedWorkspace extends PlacedWorkspace {
  readonly gathered: GatheredWorkspace;
  /** The workspace with its whole tree. */
  readonly current: GatheredWorkspace;
  readonly tokens: number;
  /** The limit that outlines and tree were cut to. */
  readonly limitTokens: number;
  /** Set if the workspace stays as an earlier prompt placed it. */
  readonly frozen?: FrozenWorkspace | undefined;
  /** Changes since that prompt that no note describes yet. */
  readonly change?: string | undefined;
}

export interface FrozenWorkspace {
  readonly sincePromptId: PromptId;
  /** The newest prompt that shows the workspace, and the time of that prompt. */
  readonly promptId: PromptId;
  readonly at: number;
  readonly placed: WeighedWorkspace;
  /** Everything that the model has seen: the workspace as placed, and each change since. */
  readonly known: GatheredWorkspace;
  /** Number of notes that describe changes. */
  readonly noteCount: number;
}

export interface WorkspaceChange {
  readonly current: GatheredWorkspace;
  /** The changes that the model has not seen; undefined if there are none. */
  readonly text: string | undefined;
}

/** Returns the frozen workspace that the next prompt starts from. */
export function keepFrozen(placed: WeighedWorkspace, shown: Pick<FrozenWorkspace, "promptId" | "at">): FrozenWorkspace {
  const { frozen, change, current: known } = placed;
  if (frozen === undefined) return { sincePromptId: shown.promptId, ...shown, placed, known, noteCount: 0 };
  return { ...frozen, ...shown, known, noteCount: frozen.noteCount + (change === undefined ? 0 : 1) };
}

/** What a prompt shows of a workspace: files, tree, outlines and pages, with tokens. */
export interface WorkspaceReport extends Pick<GatheredWorkspace, "shed" | "gone" | "hiddenOutlines"> {
  readonly tokens: number;
  /** Contents of each tier; undefined if nothing is tracked and the order is flat. */
  readonly tiers: readonly PlanTier[] | undefined;
  /** Parts that changed their tier since the last prompt. */
  readonly moves: readonly TierMove[];
  /** Tiers that the provider has to read again. */
  readonly broken: readonly CachedTier[];
  /** Set while the files stay as an earlier prompt placed them, because moving them would cost thinking. */
  readonly frozen: FrozenReport | undefined;
}

export interface FrozenReport {
  readonly sincePromptId: PromptId;
  /** Files that changed or disappeared since that prompt; a note after the newest message names them. */
  readonly outdated: readonly string[];
}

export function describeWorkspace({ update, gathered, tokens, frozen }: WeighedWorkspace): WorkspaceReport {
  const { shed, gone, hiddenOutlines } = gathered;
  return {
    tokens,
    get tiers() {
      return update === undefined ? undefined : describeTiers(update.items);
    },
    moves: update?.moves ?? [],
    broken: update?.broken ?? [],
    shed,
    gone,
    hiddenOutlines,
    frozen: frozen && describeFrozen(frozen, gathered),
  };
}

function describeFrozen({ sincePromptId, placed }: FrozenWorkspace, now: GatheredWorkspace): FrozenReport {
  const hashes = new Map(now.files.map(({ path, hash }) => [path, hash]));
  const outdated = placed.gathered.files.filter(({ path, hash }) => hashes.get(path) !== hash);
  return { sincePromptId, outdated: outdated.map(({ path }) => path) };
}

export function describeTiers(items: TierSnapshot): readonly PlanTier[] {
  return TIERS.map((tier) => {
    const held = items.filter((item) => item.tier === tier && readItemKind(item.key) !== "tail");
    const risesAt = tier === "L0" ? undefined : TIER_THRESHOLDS[tier].promotion;
    return {
      tier,
      tokens: held.reduce((sum, item) => sum + item.tokens, 0),
      items: held.map(({ key, seen, tokens }) => ({ key, seen, risesAt, tokens })),
    };
  }).filter(({ items: held }) => held.length > 0);
}
