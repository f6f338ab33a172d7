/** The five documents' behaviors as settings. A share that a document does not name is 1. */
import type { SummarySettings, TopicSettings } from "../core/plan/plan-settings.ts";
import { DOCUMENT_MARKS } from "../core/summary/record/cover-text.ts";
import type { PolicySettings, PresetName } from "./policy-input.ts";

/** For documents without a cap: only the share of the prompt limits the summary. */
export const UNCAPPED_TOKENS = Number.MAX_SAFE_INTEGER;

const TOPICS_OFF: TopicSettings = { mode: "off", detector: "model", minConfidence: 0.5 };

const SUMMARY = {
  ratio: 1,
  smallTokens: 0,
  onOversize: "reask-trim",
  onFailure: "keep",
  abortOnFailure: false,
  waitMs: 20_000,
  protectedShare: 0.5,
  addMissing: false,
  headings: "english",
  modelPreference: [],
  secondPass: false,
} as const satisfies Partial<SummarySettings>;

/** Settings that all five share. The prune rules are for prompts that do not fit, and change the view only. */
const COMMON = {
  enabled: true,
  triggerRatio: 1,
  targetRatio: 1,
  span: "before-tail",
  pruneFirst: false,
  prune: { rules: "default", minimumTokens: 200, exemptTools: [], previewTokens: 60 },
  topics: TOPICS_OFF,
  gate: false,
  keepOpenRequest: true,
  retention: "keep",
  shrinksBy: "tokens",
  pinRatio: 0.25,
  maxCompactionsPerPrompt: 1,
  pauseMs: 0,
  relaxedLaws: [],
} as const satisfies Partial<PolicySettings>;

const ROLLING_CHAT: PolicySettings = {
  ...COMMON,
  name: "rolling-chat",
  phase: "post-response",
  triggers: [{ type: "unsummarised", threshold: 10, countMode: "unsummarized", tailMessages: 6 }],
  tail: { textMessages: 6 },
  prune: { rules: "rolling-chat", minimumTokens: 0, exemptTools: [], inLoop: true },
  summary: {
    ...SUMMARY,
    strategy: "brief",
    renderer: {
      type: "pair",
      prefix: DOCUMENT_MARKS.rollingChat,
      suffix: "]",
      acknowledgement: "Understood, I have context from our earlier conversation.",
    },
    maxTokens: 500,
  },
  visible: { messagesWithSummary: 6, messagesWithoutSummary: 20, textOnly: true },
  clear: "next-generation",
  shrinksBy: "messages",
  relaxedLaws: ["3 no gap", "6 stable"],
};

const WINDOWED_SQL: PolicySettings = {
  ...COMMON,
  name: "windowed-sql",
  phase: "pre-request",
  triggers: [
    { type: "tokens", maxTokens: 6_000 },
    { type: "messages", maxMessages: 12 },
  ],
  triggerTokens: 6_000,
  triggerTokensByWindow: true,
  counter: "words13",
  tail: { messages: 12, otherwiseTokens: 5_500, otherwiseExchanges: 2 },
  summary: { ...SUMMARY, strategy: "keypoints", renderer: { type: "system" }, maxTokens: 500 },
  retention: "delete",
  shrinksBy: "messages",
  relaxedLaws: ["4 nothing lost"],
};

/** Overflow always triggers, so no trigger is listed; the smaller budget makes it happen early. */
const AGENT_ROUNDS: PolicySettings = {
  ...COMMON,
  name: "agent-rounds",
  phase: "pre-request",
  triggers: [],
  tail: { openRounds: 1 },
  summary: {
    ...SUMMARY,
    strategy: "handoff-full",
    renderer: { type: "tagged-user", tag: DOCUMENT_MARKS.agentRounds },
    maxTokens: UNCAPPED_TOKENS,
    onOversize: "reject",
  },
  budget: { share: 0.85 },
  keepOpenRequest: false,
  breakpoints: "with-compaction",
};

const WORKSPACE: PolicySettings = {
  ...COMMON,
  name: "workspace",
  phase: "post-response",
  pauseMs: 500,
  triggers: [{ type: "tokens", maxTokens: 24_000 }],
  triggerTokens: 24_000,
  tail: { tokens: 4_000, exchanges: 2 },
  summary: {
    ...SUMMARY,
    strategy: "topic",
    renderer: {
      type: "pair",
      prefix: DOCUMENT_MARKS.workspace,
      suffix: "",
      acknowledgement: "Understood. I have the summary of what came before and go on from there.",
    },
    maxTokens: 500,
  },
  topics: { mode: "first", detector: "model", minConfidence: 0.5 },
  emergency: { ratio: 2, to: "ratio" },
  cacheTargetTokens: 1_536,
  cacheTiers: "document",
  onCancel: "orphan",
  blockInput: "always",
};

/**
 * The target equals the trigger, so a prompt above it gets a second pass. The emergency step begins at the whole
 * window.
 */
const RATIO_CHAIN: PolicySettings = {
  ...COMMON,
  name: "ratio-chain",
  phase: "pre-request",
  triggers: [
    {
      type: "ratio",
      of: "window",
      triggerRatio: 0.8,
      resetRatio: 0.7,
      minMessages: 12,
      cooldownMessages: 4,
      maxSummaryChainDepth: 3,
      onDepthCap: "stop",
    },
  ],
  triggerRatio: 0.8,
  targetRatio: 0.8,
  tail: { messages: 6 },
  reserve: "none",
  summary: {
    ...SUMMARY,
    strategy: "structured",
    renderer: { type: "system", tag: DOCUMENT_MARKS.ratioChain },
    maxTokens: UNCAPPED_TOKENS,
    onOversize: "reject",
    secondPass: true,
  },
  maxCompactionsPerPrompt: 2,
};

export const PRESETS: Readonly<Record<PresetName, PolicySettings>> = {
  "rolling-chat": ROLLING_CHAT,
  "windowed-sql": WINDOWED_SQL,
  "agent-rounds": AGENT_ROUNDS,
  workspace: WORKSPACE,
  "ratio-chain": RATIO_CHAIN,
};
