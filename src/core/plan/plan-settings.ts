/** The numbers a policy gives to the planner and the engine. Ratios are of the budget unless said otherwise. */
import type { CounterName } from "../budget/model-info.ts";
import type { OnOversize } from "../summary/answers/accept-summary.ts";
import type { StrategyName } from "../summary/strategies/strategy.ts";
import type { Trigger } from "./triggers/trigger.ts";

export interface PlanSettings {
  /** The name of the preset, or `custom`. */
  readonly name: string;
  /** Off: nothing is compacted in the log; a prompt that would not fit is made smaller for that one request. */
  readonly enabled: boolean;
  /** When what can wait is asked for: before a prompt is made, or after a reply. What cannot wait never waits. */
  readonly phase: "pre-request" | "post-response";
  /** Besides overflow, a provider's refusal and being asked, which always act. */
  readonly triggers: readonly Trigger[];
  /** What tokens are counted with, where it is not the model's own. */
  readonly counter?: CounterName | undefined;
  /** History above this is reported as due. */
  readonly triggerTokens?: number | undefined;
  /**
   * Whether the tokens trigger goes with the model: three quarters of its window, 6,000 at 8k. Where neither a model nor
   * a window is named, and without it, the number itself holds.
   */
  readonly triggerTokensByWindow?: boolean | undefined;
  readonly triggerRatio: number;
  /** How small a compaction makes the prompt. */
  readonly targetRatio: number;
  readonly tail: TailMeasures & {
    readonly ratio?: number | undefined;
    /** The newest rounds of the open turn; where it has no more, the whole turn. Other measures then do not count. */
    readonly openRounds?: number | undefined;
    /** What stays where the measures above leave nothing to fold. */
    readonly otherwiseTokens?: number | undefined;
    readonly otherwiseExchanges?: number | undefined;
  };
  /** What is folded: the fewest of the oldest rounds that reach the target, all before the tail, or the older half. */
  readonly span: "to-target" | "before-tail" | "half";
  /**
   * What is held back of the window where the caller names no reserve: room for a reply, or nothing, so that ratios are
   * of all that the model takes as input. Absent: room for a reply.
   */
  readonly reserve?: "reply" | "none" | undefined;
  /** Absent: the prompt may take all that the window leaves. */
  readonly budget?: BudgetSettings | undefined;
  /** Whether tool output is pruned before anything is folded. */
  readonly pruneFirst: boolean;
  readonly prune: PruneSettings;
  readonly summary: SummarySettings;
  readonly topics: TopicSettings;
  /** Whether what can wait must pay for itself. */
  readonly gate: boolean;
  /** Prepared beforehand from one share on and applied at the latest from the other on. */
  readonly background?: { readonly prepareRatio: number; readonly applyRatio: number } | undefined;
  /** Whether the request that is being worked on stays word for word when what surrounds it is folded. */
  readonly keepOpenRequest: boolean;
  /** How many messages before the prompt are sent; the rest is reported as a gap. Absent: all of them. */
  readonly visible?: VisibleSettings | undefined;
  /**
   * What `clear` does where its caller does not say. `next-generation` is one document's own: the summary is forgotten,
   * the next reply is made without history, then all of it is back. Absent: for good.
   */
  readonly clear?: "for-good" | "next-generation" | undefined;
  /**
   * What becomes of messages that a summary stands for: all of them stay; their text goes and the rest stays, with a
   * hash that knows a message that is sent again; or the hash goes too. What a fork still reads stays.
   */
  readonly retention: "keep" | "tombstone" | "delete";
  /** Pins may take this share of the budget. */
  readonly pinRatio: number;
  /** By what a compaction must leave the view smaller. */
  readonly shrinksBy: "tokens" | "messages";
  /** How many compactions one prompt may lead to. */
  readonly maxCompactionsPerPrompt: number;
  /** A pause before what can wait is done after a reply. */
  readonly pauseMs: number;
  /** What is done before a prompt where the history has run away because no compaction came. Absent: nothing. */
  readonly emergency?: EmergencySettings | undefined;
  /** Tokens that a cache tier should hold before it is worth a breakpoint. */
  readonly cacheTargetTokens?: number | undefined;
  /** How what a workspace shows is ordered: not at all, by the rules of the document, or by ours. Absent: by ours. */
  readonly cacheTiers?: "off" | "document" | "default" | undefined;
  /**
   * Whether a prompt tells its provider what to remember, where its request does not say: always, never, or while
   * compaction is on and was not needed in vain. Absent: always.
   */
  readonly breakpoints?: "always" | "with-compaction" | "never" | undefined;
  /** What stays of a reply that somebody stopped: what came, with a mark, or nothing. Absent: what came. */
  readonly onCancel?: "keep" | "orphan" | undefined;
  /** When a page takes no words: during every compaction, or only while the window is really full. Absent: the latter. */
  readonly blockInput?: "always" | "full" | undefined;
  /** Laws that this policy relaxes, by name. Every plan and report says so. */
  readonly relaxedLaws: readonly string[];
}

export interface TailMeasures {
  readonly messages?: number | undefined;
  /** Messages of a user or an assistant that have words, and what stands among them. */
  readonly textMessages?: number | undefined;
  /** The newest messages while their sum is at most this. */
  readonly tokens?: number | undefined;
  /** Turns that begin with a user message. */
  readonly exchanges?: number | undefined;
  readonly rounds?: number | undefined;
}

export interface SummarySettings {
  /** What a model is asked for. Without a model, `offline`. */
  readonly strategy: StrategyName | "offline";
  readonly renderer: SummaryRenderer;
  readonly maxTokens: number;
  /** The most that a summary may take of the prompt. */
  readonly ratio: number;
  /** What it may take of a small prompt in any case, up to most of it; 0 where the share holds there too. */
  readonly smallTokens: number;
  readonly onOversize: OnOversize;
  /** When nobody could write one: code does, or nothing is changed. Where the prompt does not fit the staircase goes on. */
  readonly onFailure: "offline" | "keep";
  readonly abortOnFailure: boolean;
  /** The share of a summary that protected facts may take. */
  readonly protectedShare: number;
  /** Models to ask, the first that can first. */
  readonly modelPreference: readonly string[];
  /** Still above the trigger after a compaction: once more, then with a shorter tail. */
  readonly secondPass: boolean;
}

/** How a model reads a summary. `data` is a user message that says what it is; the others are the documents' own. */
export type SummaryRenderer =
  | { readonly type: "data" }
  | { readonly type: "pair"; readonly prefix: string; readonly suffix: string; readonly acknowledgement: string }
  /** With a tag its first line says the depth of the chain. */
  | { readonly type: "system"; readonly tag?: string | undefined }
  | { readonly type: "tagged-user"; readonly tag: string };

export interface TopicSettings {
  /** `first`: asked before summarising, and decides whether to truncate instead; `fallback`: only where folding is not enough. */
  readonly mode: "off" | "first" | "fallback";
  readonly detector: "model" | "offline";
  readonly minConfidence: number;
}

/** The oldest messages leave the view without a summary. */
export interface EmergencySettings {
  /** From a history of more than this many times the trigger on. */
  readonly ratio: number;
  /** How far it goes: back to that size, or to the trigger itself. Absent: to that size. */
  readonly to?: "ratio" | "trigger" | undefined;
}

/** The prompt may take floor((min(threshold, what the model takes) − tools) × share). */
export interface BudgetSettings {
  /** Absent: what the model takes. */
  readonly thresholdTokens?: number | undefined;
  readonly share: number;
}

export interface VisibleSettings {
  readonly messagesWithSummary: number;
  readonly messagesWithoutSummary: number;
  /** Sends only the text of messages before the prompt: no calls, results or files, no system and no blank messages. */
  readonly textOnly?: boolean | undefined;
}

/** Which parts may be pruned. A number that is absent is zero. */
export interface PruneSettings {
  /** `rolling-chat` has numbers of its own and asks for none of those below. */
  readonly rules?: "default" | "rolling-chat" | undefined;
  /** Results smaller than this stay. */
  readonly minimumTokens: number;
  readonly exemptTools: readonly string[];
  /** The newest results within this sum stay, also before the tail. */
  readonly protectTokens?: number | undefined;
  /** A batch that saves less is not worth a cache that has to be written again. */
  readonly minimumBatchTokens?: number | undefined;
  /** What the first and last lines that are left of a result may take. */
  readonly previewTokens?: number | undefined;
  /** Where somebody has to be paid for a summary: pruning alone is enough if it makes the prompt this small. */
  readonly enoughRatio?: number | undefined;
  /** Shown pruned in every prompt, by rules that look at the prompt alone; nothing is written. */
  readonly inLoop?: boolean | undefined;
}
