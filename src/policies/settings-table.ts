/** All settings with their rules, for policies, variables and the JSON schema. A missing setting does not compile. */
import { COUNTER_NAMES } from "../core/budget/model-info.ts";
import type { PolicySettings } from "./policy-input.ts";
import { LAWS } from "./policy-input.ts";
import {
  COUNT,
  FACTOR,
  FLAG,
  listOfNames,
  NON_BLANK,
  oneOf,
  optional,
  POSITIVE,
  RATIO,
  type SettingRule,
  someOf,
} from "./setting-rule.ts";
import { RENDERER, TRIGGERS } from "./variant-rule.ts";

export interface SettingGroup {
  readonly fields: Readonly<Record<string, SettingRule>>;
  /** `false` in place of the group removes it. */
  readonly mayBeOff: boolean;
}

type TableOf<Settings> = {
  readonly [Key in keyof Settings]-?: EntryOf<
    Exclude<Settings[Key], undefined>,
    undefined extends Settings[Key] ? boolean : false
  >;
};

type EntryOf<Value, MayBeOff> = [Value] extends [string | number | boolean | readonly unknown[]]
  ? SettingRule<Value>
  : {
      readonly fields: { readonly [Key in keyof Value]-?: SettingRule<Exclude<Value[Key], undefined>> };
      readonly mayBeOff: MayBeOff;
    };

const TABLE: TableOf<PolicySettings> = {
  name: NON_BLANK,
  enabled: FLAG,
  phase: oneOf("pre-request", "post-response"),
  triggers: TRIGGERS,
  counter: oneOf(...COUNTER_NAMES),
  triggerTokens: POSITIVE,
  triggerTokensByWindow: FLAG,
  triggerRatio: RATIO,
  targetRatio: RATIO,
  tail: {
    mayBeOff: false,
    fields: {
      messages: optional(COUNT),
      textMessages: optional(COUNT),
      tokens: optional(COUNT),
      exchanges: optional(COUNT),
      rounds: optional(COUNT),
      ratio: optional(RATIO),
      openRounds: optional(POSITIVE),
      otherwiseTokens: optional(COUNT),
      otherwiseExchanges: optional(COUNT),
    },
  },
  span: oneOf("to-target", "before-tail", "half"),
  shrinksBy: oneOf("tokens", "messages"),
  reserve: oneOf("reply", "none"),
  budget: { mayBeOff: true, fields: { thresholdTokens: optional(POSITIVE), share: RATIO } },
  pruneFirst: FLAG,
  prune: {
    mayBeOff: false,
    fields: {
      rules: optional(oneOf("default", "rolling-chat")),
      minimumTokens: COUNT,
      exemptTools: listOfNames("tool names"),
      protectTokens: optional(COUNT),
      minimumBatchTokens: optional(COUNT),
      previewTokens: optional(COUNT),
      enoughRatio: optional(RATIO),
      inLoop: optional(FLAG),
    },
  },
  summary: {
    mayBeOff: false,
    fields: {
      strategy: oneOf(
        "brief",
        "keypoints",
        "handoff-full",
        "handoff-simple",
        "handoff-after-prompt",
        "topic",
        "structured",
        "offline",
      ),
      renderer: RENDERER,
      maxTokens: POSITIVE,
      ratio: RATIO,
      smallTokens: COUNT,
      onOversize: oneOf("reask-trim", "reject"),
      onFailure: oneOf("offline", "keep"),
      abortOnFailure: FLAG,
      waitMs: POSITIVE,
      protectedShare: RATIO,
      addMissing: FLAG,
      headings: oneOf("english", "conversation"),
      modelPreference: listOfNames("model ids"),
      secondPass: FLAG,
    },
  },
  topics: {
    mayBeOff: false,
    fields: { mode: oneOf("off", "first", "fallback"), detector: oneOf("model", "offline"), minConfidence: RATIO },
  },
  gate: FLAG,
  background: { mayBeOff: true, fields: { prepareRatio: RATIO, applyRatio: RATIO } },
  keepOpenRequest: FLAG,
  visible: {
    mayBeOff: true,
    fields: { messagesWithSummary: POSITIVE, messagesWithoutSummary: POSITIVE, textOnly: optional(FLAG) },
  },
  clear: oneOf("for-good", "next-generation"),
  recall: {
    mayBeOff: true,
    fields: {
      enabled: FLAG,
      ratio: RATIO,
      smallTokens: COUNT,
      largeRatio: RATIO,
      maxTokens: COUNT,
      otherSessions: COUNT,
    },
  },
  providerCompaction: oneOf("carry", "allow"),
  retention: oneOf("keep", "tombstone", "delete"),
  pinRatio: RATIO,
  maxCompactionsPerPrompt: POSITIVE,
  pauseMs: COUNT,
  emergency: { mayBeOff: true, fields: { ratio: FACTOR, to: optional(oneOf("ratio", "trigger")) } },
  relaxedLaws: someOf(...LAWS),
  cacheTargetTokens: COUNT,
  cacheTiers: oneOf("off", "document", "default"),
  breakpoints: oneOf("always", "with-compaction", "never"),
  onCancel: oneOf("keep", "orphan"),
  blockInput: oneOf("always", "full"),
};

export const SETTINGS: ReadonlyMap<string, SettingRule | SettingGroup> = new Map(Object.entries(TABLE));

export function isGroup(entry: SettingRule | SettingGroup): entry is SettingGroup {
  return "fields" in entry;
}

/** Lists all settings other than groups by path: `tail.messages`. */
export function listPaths(): readonly (readonly [path: string, rule: SettingRule])[] {
  return [...SETTINGS].flatMap(([key, entry]) => {
    if (!isGroup(entry)) return [[key, entry] as const];
    return Object.entries(entry.fields).map(([name, rule]) => [`${key}.${name}`, rule] as const);
  });
}
