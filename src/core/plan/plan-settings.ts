/** The settings that a policy gives to the planner and the engine. Ratios are of the budget unless stated otherwise. */
import type { CounterName } from "../budget/model-info.ts";
import type { OnOversize } from "../summary/answers/accept-summary.ts";
import type { HeadingLanguage } from "../summary/record/headings.ts";
import type { SummaryLimits } from "../summary/record/trim-summary.ts";
import type { StrategyName } from "../summary/strategies/strategy.ts";
import type { Trigger } from "./triggers/trigger.ts";

export interface PlanSettings {
  /** The name of the preset, or `custom`. */
  readonly name: string;
  /** When false, only manual requests compact the log; a prompt that does not fit is made smaller for one request. */
  readonly enabled: boolean;
  /** When optional compactions run: before a prompt or after a reply. Unavoidable ones always run at once. */
  readonly phase: "pre-request" | "post-response";
  /** Triggers in addition to overflow, a provider's refusal and manual requests, which always apply. */
  readonly triggers: readonly Trigger[];
  /** The counter, if it is not the model's own. */
  readonly counter?: CounterName | undefined;
  /** History above this is reported as due for compaction. */
  readonly triggerTokens?: number | undefined;
  /** Sets the tokens trigger to `computeThreshold` of the window, if the window is known; else `maxTokens` applies. */
  readonly triggerTokensByWindow?: boolean | undefined;
  readonly triggerRatio: number;
  /** The size to which a compaction reduces the prompt. */
  readonly targetRatio: number;
  readonly tail: TailMeasures & {
    readonly ratio?: number | undefined;
    /** The newest rounds of the open turn, or the whole turn if it has no more. Overrides the other measures. */
    readonly openRounds?: number | undefined;
    /** Tail used if the measures above leave nothing to fold. */
    readonly otherwiseTokens?: number | undefined;
    readonly otherwiseExchanges?: number | undefined;
  };
  /** Folds as few of the oldest rounds as the target requires, everything before the tail, or the older half. */
  readonly span: "to-target" | "before-tail" | "half";
  /** If the caller sets no reserve: holds back room for a reply (the default), or none. */
  readonly reserve?: "reply" | "none" | undefined;
  /** If absent, the prompt may take everything that the window leaves. */
  readonly budget?: BudgetSettings | undefined;
  /** Whether tool output is pruned before anything is folded. */
  readonly pruneFirst: boolean;
  readonly prune: PruneSettings;
  readonly summary: SummarySettings;
  readonly topics: TopicSettings;
  /** Whether optional compactions must pay for themselves. */
  readonly gate: boolean;
  /** Prepares a compaction in the background at `prepareRatio`, and applies it at `applyRatio` at the latest. */
  readonly background?: { readonly prepareRatio: number; readonly applyRatio: number } | undefined;
  /** Whether the last two requests stay verbatim when the messages around them are folded. */
  readonly keepOpenRequest: boolean;
  /** Limits the messages that are sent; the others are reported as truncated. If absent, all are sent. */
  readonly visible?: VisibleSettings | undefined;
  /** `next-generation`: drops the summary, and hides the history from the next reply only. Default `for-good`. */
  readonly clear?: "for-good" | "next-generation" | undefined;
  /** Quotes hidden messages about the newest request, if enabled. */
  readonly recall?: RecallSettings | undefined;
  /** `allow`: for its provider, a compaction that it wrote replaces what it covers. Default `carry`: both are sent. */
  readonly providerCompaction?: "carry" | "allow" | undefined;
  /** Covered messages stay, keep only a hash to recognize repeats, or are deleted. Text that a fork reads stays. */
  readonly retention: "keep" | "tombstone" | "delete";
  /** The share of the budget that pins may take. */
  readonly pinRatio: number;
  /** The quantity that a compaction must reduce. */
  readonly shrinksBy: "tokens" | "messages";
  readonly maxCompactionsPerPrompt: number;
  /** Delay before an optional compaction after a reply. */
  readonly pauseMs: number;
  /** Drops the oldest messages before a prompt if the history grew far beyond the trigger. If absent, never. */
  readonly emergency?: EmergencySettings | undefined;
  /** The smallest number of tokens for which a cache tier gets a breakpoint. */
  readonly cacheTargetTokens?: number | undefined;
  /** Order of the workspace: none, by the preset's rules, or by ours (the default). */
  readonly cacheTiers?: "off" | "document" | "default" | undefined;
  /** Default `always`. `with-compaction`: only while compaction is on and has not failed. */
  readonly breakpoints?: "always" | "with-compaction" | "never" | undefined;
  /** Stores the received text of a canceled reply with a mark (the default), or nothing. */
  readonly onCancel?: "keep" | "orphan" | undefined;
  /** When the page blocks input: during every compaction, or only while the window is full (the default). */
  readonly blockInput?: "always" | "full" | undefined;
  /** Laws that this policy relaxes, by name. Every plan and report lists them. */
  readonly relaxedLaws: readonly string[];
}

export interface TailMeasures {
  readonly messages?: number | undefined;
  /** User and assistant messages that have text, with everything between them. */
  readonly textMessages?: number | undefined;
  /** The newest messages whose tokens add up to at most this number. */
  readonly tokens?: number | undefined;
  /** Turns that begin with a user message. */
  readonly exchanges?: number | undefined;
  readonly rounds?: number | undefined;
}

export interface SummarySettings extends SummaryLimits {
  readonly strategy: StrategyName | "offline";
  readonly renderer: SummaryRenderer;
  readonly onOversize: OnOversize;
  /** If no summary could be written: write one offline, or change nothing. */
  readonly onFailure: "offline" | "keep";
  readonly abortOnFailure: boolean;
  /** The longest total wait of a prompt for a summarizer, and the longest wait of other calls without progress. */
  readonly waitMs: number;
  /** The share of a summary that protected facts may take. */
  readonly protectedShare: number;
  /** Adds the lines of a summary by code that a model's text does not cover, within the cap. */
  readonly addMissing: boolean;
  /** The language of the headings of a summary by code. */
  readonly headings: HeadingLanguage;
  readonly modelPreference: readonly string[];
  /** Compacts again with a shorter tail if the prompt is still above the trigger. */
  readonly secondPass: boolean;
}

/** How a summary is shown to the model. `data` is the default; the others come from presets. */
export type SummaryRenderer =
  | { readonly type: "data" }
  | { readonly type: "pair"; readonly prefix: string; readonly suffix: string; readonly acknowledgement: string }
  /** With a tag, the first line gives the depth of the chain. */
  | { readonly type: "system"; readonly tag?: string | undefined }
  | { readonly type: "tagged-user"; readonly tag: string };

export interface TopicSettings {
  /** `first`: may truncate at a boundary instead of summarizing. `fallback`: only if folding is not enough. */
  readonly mode: "off" | "first" | "fallback";
  readonly detector: "model" | "offline";
  readonly minConfidence: number;
}

/** When the oldest messages leave the view without a summary, and how many. */
export interface EmergencySettings {
  /** Drops messages if the history is more than this many times the trigger. */
  readonly ratio: number;
  /** Drops down to `ratio` (the default), or to the trigger itself. */
  readonly to?: "ratio" | "trigger" | undefined;
}

/**
 * Limits the tokens of recalled passages: `ratio` of the prompt's limit up to `smallTokens`, or `largeRatio` of the
 * limit, if that is more; at most `maxTokens`. Also searches the `otherSessions` sessions of the tenant that were used
 * last.
 */
export interface RecallSettings {
  readonly enabled: boolean;
  readonly ratio: number;
  readonly smallTokens: number;
  readonly largeRatio: number;
  readonly maxTokens: number;
  readonly otherSessions: number;
}

/** Limits the prompt to floor((min(threshold, model input) − tools) × share). */
export interface BudgetSettings {
  /** If absent, the model's input limit. */
  readonly thresholdTokens?: number | undefined;
  readonly share: number;
}

export interface VisibleSettings {
  readonly messagesWithSummary: number;
  readonly messagesWithoutSummary: number;
  /** Sends only the text of earlier messages: no calls, results, files, system messages or blank messages. */
  readonly textOnly?: boolean | undefined;
}

/** Decides which parts may be pruned. Absent numbers count as zero, except `enoughRatio`. */
export interface PruneSettings {
  /** `rolling-chat` has its own numbers and ignores those below. */
  readonly rules?: "default" | "rolling-chat" | undefined;
  readonly minimumTokens: number;
  readonly exemptTools: readonly string[];
  /** The newest results stay, up to this sum of tokens, even before the tail. */
  readonly protectTokens?: number | undefined;
  /** A batch that saves fewer tokens is discarded, because it would rewrite the cache. */
  readonly minimumBatchTokens?: number | undefined;
  /** Tokens for the first and last lines of a pruned result. */
  readonly previewTokens?: number | undefined;
  /** If a summary costs money, pruning alone is enough when it makes the prompt this small. */
  readonly enoughRatio?: number | undefined;
  /** Prunes results in every prompt without writing to the log. */
  readonly inLoop?: boolean | undefined;
}
