/** Types of a policy as callers write it: a name, or differences from it. `resolve-layers.ts` reads them. */
import type { PlanSettings } from "../core/plan/plan-settings.ts";

const PRESET_NAMES = ["rolling-chat", "windowed-sql", "agent-rounds", "workspace", "ratio-chain"] as const;
export const POLICY_NAMES = ["default", ...PRESET_NAMES] as const;

export type PresetName = (typeof PRESET_NAMES)[number];
export type PolicyName = (typeof POLICY_NAMES)[number];

export type PolicySettings = PlanSettings;

type GroupKey = "tail" | "prune" | "summary" | "topics" | "background" | "visible" | "budget" | "emergency" | "recall";

/** `false` removes the whole group, if it may be absent. */
type GroupInput<Group> = Partial<Exclude<Group, undefined>> | (undefined extends Group ? false : never);

export type SettingsInput = Partial<Omit<PolicySettings, GroupKey>> & {
  readonly [Key in GroupKey]?: GroupInput<PolicySettings[Key]> | undefined;
};

export interface RollingChatKeys {
  readonly threshold?: number | undefined;
  readonly windowWithoutSummary?: number | undefined;
  readonly maxSummaryTokens?: number | undefined;
  readonly countMode?: "unsummarized" | "beyondTail" | undefined;
}

/** Numbers, or numbers as text, as in environment variables. */
export interface WindowedSqlKeys {
  readonly MAX_CHAT_HISTORY?: number | string | undefined;
  readonly CHAT_TOKEN_THRESHOLD?: number | string | undefined;
  readonly ENABLE_CHAT_SUMMARIZATION?: boolean | string | undefined;
}

export interface AgentRoundsKeys {
  readonly SummarizeAgentConversationHistory?: boolean | undefined;
  readonly SummarizeAgentConversationHistoryThreshold?: number | undefined;
  readonly AgentHistorySummarizationMode?: "simple" | "full" | undefined;
  readonly AgentHistorySummarizationForceGpt41?: boolean | undefined;
  readonly AgentHistorySummarizationWithPromptCache?: boolean | undefined;
  readonly maxSummaryTokens?: number | undefined;
}

export interface WorkspaceKeys {
  readonly compaction_trigger_tokens?: number | undefined;
  readonly verbatim_window_tokens?: number | undefined;
  readonly summary_budget_tokens?: number | undefined;
  readonly min_verbatim_exchanges?: number | undefined;
  readonly cache_target_tokens?: number | undefined;
}

export interface RatioChainKeys {
  readonly triggerTokenRatio?: number | undefined;
  readonly resetTokenRatio?: number | undefined;
  readonly minMessages?: number | undefined;
  readonly preserveRecent?: number | undefined;
  readonly maxSummaryChainDepth?: number | undefined;
  readonly forceRefreshAfterMessages?: number | undefined;
  readonly summarizerModelPreference?: readonly string[] | undefined;
  readonly cooldownMessages?: number | undefined;
  readonly abortOnFailure?: boolean | undefined;
}

type RollingChatInput = Omit<SettingsInput, "tail"> &
  RollingChatKeys & { readonly tail?: number | SettingsInput["tail"] | undefined };

type WithModels<Preset, Input> = Input & {
  readonly preset: Preset;
  readonly models?: Readonly<Record<string, Input>> | undefined;
};

/**
 * A policy: the name of a preset, or settings, also for single models.
 *
 * @example
 * ```ts
 * await openPalimpsest({ policy: { preset: "default", targetRatio: 0.5 } });
 * ```
 */
export type PolicyInput =
  | PolicyName
  | Partial<WithModels<"default", SettingsInput>>
  | WithModels<"rolling-chat", RollingChatInput>
  | WithModels<"windowed-sql", SettingsInput & WindowedSqlKeys>
  | WithModels<"agent-rounds", SettingsInput & AgentRoundsKeys>
  | WithModels<"workspace", SettingsInput & WorkspaceKeys>
  | WithModels<"ratio-chain", SettingsInput & RatioChainKeys>;

export const LAWS = [
  "1 fits",
  "2 valid",
  "3 no gap",
  "4 nothing lost",
  "5 shrinks",
  "6 stable",
  "7 once",
  "8 faithful",
  "9 cost of new",
] as const;

export type Law = (typeof LAWS)[number];

/** Lists relaxed laws in order: those that the settings name, and those that follow from other settings. */
export function findRelaxedLaws(settings: PolicySettings): readonly Law[] {
  const implied = new Set<string>(settings.relaxedLaws);
  if (settings.visible !== undefined) implied.add("3 no gap").add("6 stable");
  if (settings.retention !== "keep") implied.add("4 nothing lost");
  if (settings.prune.inLoop) implied.add("6 stable");
  return LAWS.filter((law) => implied.has(law));
}
