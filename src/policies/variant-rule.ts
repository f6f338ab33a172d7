/** Rules for triggers and renderers, which have different fields. A field without a rule does not compile. */
import { isPlainObject } from "../core/check-value.ts";
import type { JsonObject } from "../core/message/json.ts";
import type { SummaryRenderer } from "../core/plan/plan-settings.ts";
import type { ChainGuards, Trigger } from "../core/plan/triggers/trigger.ts";
import {
  COUNT,
  findFault,
  joinQuoted,
  NON_BLANK,
  oneOf,
  optional,
  POSITIVE,
  RATIO,
  type SettingFault,
  type SettingRule,
  TEXT,
} from "./setting-rule.ts";

type FieldRules<Value> = {
  readonly [Key in Exclude<keyof Value, "type">]-?: SettingRule<Exclude<Value[Key], undefined>>;
};

type Kinds<Value extends { readonly type: string }> = {
  readonly [Type in Value["type"]]: FieldRules<Extract<Value, { readonly type: Type }>>;
};

const GUARDS: FieldRules<ChainGuards> = {
  minMessages: COUNT,
  cooldownMessages: COUNT,
  maxSummaryChainDepth: POSITIVE,
  onDepthCap: oneOf("fold", "stop", "truncate"),
};

const TRIGGER = variants<Trigger>("a trigger with its type", {
  messages: { maxMessages: POSITIVE },
  unsummarised: { threshold: POSITIVE, countMode: oneOf("unsummarized", "beyondTail"), tailMessages: COUNT },
  tokens: { maxTokens: POSITIVE },
  ratio: {
    of: oneOf("window", "budget"),
    triggerRatio: RATIO,
    resetRatio: RATIO,
    rearmAfterMessages: optional(COUNT),
    ...GUARDS,
  },
  refresh: { everyMessages: POSITIVE, ...GUARDS },
  "cold-cache": { ttlMs: optional(COUNT), fromRatio: optional(RATIO) },
  overflow: {},
  refusal: {},
  manual: {},
});

export const TRIGGERS: SettingRule<readonly Trigger[]> = createListRule("a list of triggers", TRIGGER);

/** Used between angle brackets or at the start of a line. */
const TAG: SettingRule<string> = {
  allowed: "a tag of letters, digits, - and _",
  holds: (value): value is string => typeof value === "string" && /^[A-Za-z][\w-]*$/.test(value),
  schema: { type: "string", pattern: "^[A-Za-z][\\w-]*$" },
};

export const RENDERER: SettingRule<SummaryRenderer> = variants<SummaryRenderer>("a renderer with its type", {
  data: {},
  pair: { prefix: TEXT, suffix: TEXT, acknowledgement: NON_BLANK },
  system: { tag: optional(TAG) },
  "tagged-user": { tag: TAG },
});

function variants<Value extends { readonly type: string }>(allowed: string, kinds: Kinds<Value>): SettingRule<Value> {
  const rulesOf = new Map<unknown, Readonly<Record<string, SettingRule>>>(Object.entries(kinds));
  const find = (value: unknown): SettingFault | undefined => {
    if (!isPlainObject(value)) return { path: "", value, allowed };
    const rules = rulesOf.get(value.type);
    if (rules !== undefined) return findFieldFault(value, rules);
    return { path: ".type", value: value.type, allowed: joinQuoted(Object.keys(kinds)) };
  };
  return {
    allowed,
    holds: (value): value is Value => find(value) === undefined,
    findFault: find,
    schema: { anyOf: Object.entries<Readonly<Record<string, SettingRule>>>(kinds).map(kindSchema) },
  };
}

function findFieldFault(value: Readonly<Record<string, unknown>>, rules: Readonly<Record<string, SettingRule>>) {
  const fields = new Map(Object.entries(rules));
  for (const key of Object.keys(value)) {
    if (key === "type" || fields.has(key)) continue;
    const known = ["type", ...fields.keys()].join(", ");
    return { path: `.${key}`, value: value[key], allowed: `one of the keys ${known}` };
  }
  for (const [key, rule] of fields) {
    const field = Object.hasOwn(value, key) ? value[key] : undefined;
    if (field === undefined && rule.isOptional) continue;
    const fault = findFault(rule, field);
    if (fault !== undefined) return { ...fault, path: `.${key}${fault.path}` };
  }
  return undefined;
}

function kindSchema([type, rules]: readonly [string, Readonly<Record<string, SettingRule>>]): JsonObject {
  const fields = Object.entries(rules);
  return {
    type: "object",
    properties: { type: { const: type }, ...Object.fromEntries(fields.map(([key, rule]) => [key, rule.schema])) },
    required: ["type", ...fields.filter(([, rule]) => !rule.isOptional).map(([key]) => key)],
    additionalProperties: false,
  };
}

function createListRule<Value>(allowed: string, item: SettingRule<Value>): SettingRule<readonly Value[]> {
  const find = (value: unknown): SettingFault | undefined => {
    if (!Array.isArray(value)) return { path: "", value, allowed };
    for (const [index, each] of Array.from<unknown>(value).entries()) {
      const fault = findFault(item, each);
      if (fault !== undefined) return { ...fault, path: `[${index}]${fault.path}` };
    }
    return undefined;
  };
  return {
    allowed,
    holds: (value): value is readonly Value[] => find(value) === undefined,
    findFault: find,
    schema: { type: "array", items: item.schema },
  };
}
