/** The documents' own keys, with their rules and effects. A key works under its document's preset. */
import type { ChainGuards, RatioTrigger, Trigger } from "../core/plan/triggers/trigger.ts";
import type { PolicySettings, PresetName } from "./policy-input.ts";
import { PRESETS } from "./presets.ts";
import {
  allowText,
  COUNT,
  FLAG,
  listOfNames,
  oneOf,
  POSITIVE,
  RATIO,
  type SettingRule,
  wholeNumberFrom,
} from "./setting-rule.ts";

export interface DocumentKey {
  readonly rule: SettingRule;
  /** The setting that it renames, so that contradictions can be reported by the document's name. */
  readonly field?: string | undefined;
  readonly apply: (settings: PolicySettings, value: unknown) => PolicySettings;
}

type Change<Value> = (settings: PolicySettings, value: Value) => PolicySettings;

const WHOLE_TEXT = allowText(POSITIVE, "^\\s*0*[1-9][0-9]{0,14}\\s*$");
const FLAG_TEXT = allowText(FLAG, "^\\s*([Tt][Rr][Uu][Ee]|[Ff][Aa][Ll][Ss][Ee]|0|1)\\s*$");

const maxSummaryTokens = key(POSITIVE, (settings, maxTokens) => withSummary(settings, { maxTokens }));

const ROLLING_CHAT: Readonly<Record<string, DocumentKey>> = {
  threshold: key(POSITIVE, (settings, threshold) => withUnsummarised(settings, { threshold }), "threshold"),
  tail: key(POSITIVE, setRollingTail, "tailMessages"),
  windowWithoutSummary: key(POSITIVE, (settings, messagesWithoutSummary) => ({
    ...settings,
    visible: { messagesWithSummary: settings.tail.textMessages ?? 1, ...settings.visible, messagesWithoutSummary },
  })),
  maxSummaryTokens,
  countMode: key(oneOf("unsummarized", "beyondTail"), (settings, countMode) =>
    withUnsummarised(settings, { countMode }),
  ),
};

const setMaxMessages: Change<number | string> = (settings, value) =>
  withTrigger(settings, { type: "messages", maxMessages: Number(value) });

/** Keys that work with every policy. MAX_CHAT_HISTORY sets the tail too, but only under its document's preset. */
export const ENVIRONMENT_KEYS: Readonly<Record<string, DocumentKey>> = {
  MAX_CHAT_HISTORY: key(WHOLE_TEXT, setMaxMessages),
  CHAT_TOKEN_THRESHOLD: key(WHOLE_TEXT, (settings, value) => setTriggerTokens(settings, Number(value))),
  ENABLE_CHAT_SUMMARIZATION: key(FLAG_TEXT, (settings, value) => ({
    ...settings,
    enabled: typeof value === "string" ? FLAG.fromText?.(value) === true : value,
  })),
};

const WINDOWED_SQL: Readonly<Record<string, DocumentKey>> = {
  ...ENVIRONMENT_KEYS,
  MAX_CHAT_HISTORY: key(WHOLE_TEXT, (settings, value) => {
    return withTail(setMaxMessages(settings, value), { messages: Number(value) });
  }),
  CHAT_TOKEN_THRESHOLD: key(WHOLE_TEXT, (settings, value) => setTokenWindow(settings, Number(value))),
};

const AGENT_ROUNDS: Readonly<Record<string, DocumentKey>> = {
  SummarizeAgentConversationHistory: key(FLAG, (settings, enabled) => ({ ...settings, enabled })),
  SummarizeAgentConversationHistoryThreshold: key(POSITIVE, (settings, thresholdTokens) => ({
    ...settings,
    budget: { share: 1, ...settings.budget, thresholdTokens },
  })),
  // Applied before the mode, so that a forced simple request wins.
  AgentHistorySummarizationWithPromptCache: key(FLAG, setPromptCache),
  AgentHistorySummarizationMode: key(oneOf("simple", "full"), setMode),
  AgentHistorySummarizationForceGpt41: key(FLAG, setForced),
  maxSummaryTokens,
};

const WORKSPACE: Readonly<Record<string, DocumentKey>> = {
  compaction_trigger_tokens: key(POSITIVE, setTriggerTokens),
  verbatim_window_tokens: key(COUNT, (settings, tokens) => withTail(settings, { tokens })),
  summary_budget_tokens: maxSummaryTokens,
  min_verbatim_exchanges: key(COUNT, (settings, exchanges) => withTail(settings, { exchanges })),
  cache_target_tokens: key(COUNT, (settings, cacheTargetTokens) => ({ ...settings, cacheTargetTokens })),
};

/** Minimum number of messages in a tail. A second pass may shorten the tail to it. */
const MIN_TAIL_MESSAGES = 2;

const RATIO_CHAIN: Readonly<Record<string, DocumentKey>> = {
  triggerTokenRatio: key(RATIO, setTriggerTokenRatio, "triggerRatio"),
  resetTokenRatio: key(RATIO, (settings, resetRatio) => withRatio(settings, { resetRatio }), "resetRatio"),
  minMessages: key(COUNT, (settings, minMessages) => withRatio(settings, { minMessages })),
  preserveRecent: key(wholeNumberFrom(MIN_TAIL_MESSAGES), (settings, messages) => withTail(settings, { messages })),
  maxSummaryChainDepth: key(POSITIVE, (settings, depth) => withRatio(settings, { maxSummaryChainDepth: depth })),
  cooldownMessages: key(COUNT, (settings, cooldownMessages) => withRatio(settings, { cooldownMessages })),
  forceRefreshAfterMessages: key(POSITIVE, setRefresh),
  summarizerModelPreference: key(listOfNames("model ids"), (settings, modelPreference) =>
    withSummary(settings, { modelPreference }),
  ),
  abortOnFailure: key(FLAG, (settings, abortOnFailure) => withSummary(settings, { abortOnFailure })),
};

/** Keys are applied in this order. `enabled` is not listed, because every policy has that setting. */
export const DOCUMENT_KEYS: Readonly<Record<PresetName, Readonly<Record<string, DocumentKey>>>> = {
  "rolling-chat": ROLLING_CHAT,
  "windowed-sql": WINDOWED_SQL,
  "agent-rounds": AGENT_ROUNDS,
  workspace: WORKSPACE,
  "ratio-chain": RATIO_CHAIN,
};

function key<Value>(rule: SettingRule<Value>, change: Change<Value>, field?: string): DocumentKey {
  return { rule, field, apply: (settings, value) => (rule.holds(value) ? change(settings, value) : settings) };
}

function withSummary(settings: PolicySettings, summary: Partial<PolicySettings["summary"]>): PolicySettings {
  return { ...settings, summary: { ...settings.summary, ...summary } };
}

function withTail(settings: PolicySettings, tail: Partial<PolicySettings["tail"]>): PolicySettings {
  return { ...settings, tail: { ...settings.tail, ...tail } };
}

function withTrigger(settings: PolicySettings, trigger: Trigger): PolicySettings {
  const { triggers } = settings;
  const isThere = triggers.some(({ type }) => type === trigger.type);
  if (!isThere) return { ...settings, triggers: [...triggers, trigger] };
  return { ...settings, triggers: triggers.map((each) => (each.type === trigger.type ? trigger : each)) };
}

/**
 * Sets the tokens trigger, and a tail of its threshold minus the summary's cap if the other settings leave nothing to
 * fold.
 */
function setTokenWindow(settings: PolicySettings, maxTokens: number): PolicySettings {
  const otherwiseTokens = Math.max(0, maxTokens - settings.summary.maxTokens);
  return withTail(setTriggerTokens(settings, maxTokens), { otherwiseTokens });
}

/** Sets the number and its trigger, independent of the model's window. */
export function setTriggerTokens(settings: PolicySettings, maxTokens: number): PolicySettings {
  const triggered = withTrigger(settings, { type: "tokens", maxTokens });
  return { ...triggered, triggerTokens: maxTokens, triggerTokensByWindow: undefined };
}

/** Sets the trigger, the tail and the visible window, which are one number in the document. */
function setRollingTail(settings: PolicySettings, messages: number): PolicySettings {
  const tailed = withTail(withUnsummarised(settings, { tailMessages: messages }), { textMessages: messages });
  const visible = settings.visible && { ...settings.visible, messagesWithSummary: messages };
  return { ...tailed, visible };
}

/** Adds the preset's trigger again if it was removed: an accepted key must have an effect. */
function ensurePresetTrigger(settings: PolicySettings, preset: PresetName): PolicySettings {
  const [own] = PRESETS[preset].triggers;
  if (own === undefined || settings.triggers.some(({ type }) => type === own.type)) return settings;
  return { ...settings, triggers: [...settings.triggers, own] };
}

function withUnsummarised(
  settings: PolicySettings,
  patch: Partial<Omit<Extract<Trigger, { type: "unsummarised" }>, "type">>,
): PolicySettings {
  const ensured = ensurePresetTrigger(settings, "rolling-chat");
  return {
    ...ensured,
    triggers: ensured.triggers.map((each) => (each.type === "unsummarised" ? { ...each, ...patch } : each)),
  };
}

/** Applies guards to a refresh trigger too, if there is one. */
function withRatio(settings: PolicySettings, patch: Partial<Omit<RatioTrigger, "type" | "of">>): PolicySettings {
  const ensured = ensurePresetTrigger(settings, "ratio-chain");
  const { triggerRatio, resetRatio, rearmAfterMessages, ...guards } = patch;
  return {
    ...ensured,
    triggers: ensured.triggers.map((each): Trigger => {
      if (each.type === "ratio") return { ...each, ...patch };
      return each.type === "refresh" ? { ...each, ...guards } : each;
    }),
  };
}

/** Moves the target with the trigger while both are the same number, and keeps it at or below the trigger. */
function setTriggerTokenRatio(settings: PolicySettings, triggerRatio: number): PolicySettings {
  const isOneNumber = settings.targetRatio === settings.triggerRatio;
  const targetRatio = isOneNumber ? triggerRatio : Math.min(settings.targetRatio, triggerRatio);
  return { ...withRatio(settings, { triggerRatio }), triggerRatio, targetRatio };
}

function setRefresh(settings: PolicySettings, everyMessages: number): PolicySettings {
  const ensured = ensurePresetTrigger(settings, "ratio-chain");
  const ratio = ensured.triggers.find((each) => each.type === "ratio");
  if (ratio === undefined) return ensured;
  const { minMessages, cooldownMessages, maxSummaryChainDepth, onDepthCap } = ratio;
  const guards: ChainGuards = { minMessages, cooldownMessages, maxSummaryChainDepth, onDepthCap };
  return withTrigger(ensured, { type: "refresh", everyMessages, ...guards });
}

function setPromptCache(settings: PolicySettings, isOn: boolean): PolicySettings {
  if (isOn) return withSummary(settings, { strategy: "handoff-after-prompt" });
  if (settings.summary.strategy !== "handoff-after-prompt") return settings;
  return withSummary(settings, { strategy: "handoff-full" });
}

/** `handoff-after-prompt` is a full request too, so `full` keeps it. */
function setMode(settings: PolicySettings, mode: "simple" | "full"): PolicySettings {
  if (mode === "simple") return withSummary(settings, { strategy: "handoff-simple" });
  if (settings.summary.strategy === "handoff-after-prompt") return settings;
  return withSummary(settings, { strategy: "handoff-full" });
}

const FORCED_MODEL = "gpt-4.1";

function setForced(settings: PolicySettings, isForced: boolean): PolicySettings {
  const [first, ...others] = settings.summary.modelPreference;
  const rest = first === FORCED_MODEL ? others : settings.summary.modelPreference;
  return withSummary(settings, { modelPreference: isForced ? [FORCED_MODEL, ...rest] : rest });
}
