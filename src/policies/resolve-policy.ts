/** From a name or an object to settings. What is wrong is said with the key, the value and the allowed range. */
import { PalimpsestError } from "../core/errors.ts";
import type { PlanSettings } from "../core/plan/plan-settings.ts";
import { DEFAULT_POLICY } from "./default-policy.ts";

/** A name, or the numbers that should differ from the default's. */
export type PolicyInput =
  | "default"
  | (Partial<Omit<PlanSettings, "tail" | "prune">> & {
      readonly tail?: Partial<PlanSettings["tail"]> | undefined;
      readonly prune?: Partial<PlanSettings["prune"]> | undefined;
    });

interface Rule {
  readonly allowed: string;
  readonly holds: (value: unknown) => boolean;
}

const RATIO: Rule = {
  allowed: "a number above 0 and up to 1",
  holds: (value) => isNumber(value) && value > 0 && value <= 1,
};
const COUNT: Rule = {
  allowed: "a whole number from 0 on",
  holds: (value) => Number.isInteger(value) && Number(value) >= 0,
};
const FLAG: Rule = { allowed: "true or false", holds: (value) => typeof value === "boolean" };
const NAMES: Rule = {
  allowed: "a list of tool names",
  holds: (value) => Array.isArray(value) && value.every((name) => typeof name === "string"),
};
const RULE_SETS: Rule = {
  allowed: '"default" or "rolling-chat"',
  holds: (value) => value === "default" || value === "rolling-chat",
};

const RULES: Readonly<Record<string, Rule>> = {
  enabled: FLAG,
  triggerTokens: COUNT,
  triggerRatio: RATIO,
  targetRatio: RATIO,
  "tail.messages": COUNT,
  "tail.tokens": COUNT,
  "tail.exchanges": COUNT,
  "tail.rounds": COUNT,
  "tail.ratio": RATIO,
  "prune.rules": RULE_SETS,
  "prune.minimumTokens": COUNT,
  "prune.exemptTools": NAMES,
  "prune.protectTokens": COUNT,
  "prune.minimumBatchTokens": COUNT,
  "prune.previewTokens": COUNT,
  pinRatio: RATIO,
};

export function resolvePolicy(input: PolicyInput = "default"): PlanSettings {
  if (input === "default") return DEFAULT_POLICY;
  if (typeof input !== "object" || input === null) throw invalid("policy", input, '"default" or an object');
  checkKeys(input, "");
  const { tail, prune, ...rest } = input;
  const settings = {
    ...DEFAULT_POLICY,
    ...given(rest),
    tail: { ...DEFAULT_POLICY.tail, ...given(tail ?? {}) },
    prune: { ...DEFAULT_POLICY.prune, ...given(prune ?? {}) },
  };
  if (settings.targetRatio > settings.triggerRatio) {
    throw invalid("targetRatio", settings.targetRatio, `at most the triggerRatio, ${settings.triggerRatio}`);
  }
  return settings;
}

function checkKeys(value: object, prefix: string): void {
  for (const [name, field] of Object.entries(value)) {
    const key = `${prefix}${name}`;
    const rule = Object.hasOwn(RULES, key) ? RULES[key] : undefined;
    if (field === undefined && (rule !== undefined || isGroup(key))) continue;
    if (rule === undefined && isGroup(key) && typeof field === "object" && field !== null) checkKeys(field, `${key}.`);
    else if (rule === undefined) throw invalid(key, field, `one of the keys ${Object.keys(RULES).join(", ")}`);
    else if (!rule.holds(field)) throw invalid(key, field, rule.allowed);
  }
}

/** A key without a value is a key that was not given. */
function given<Value extends object>(value: Value): Partial<Value> {
  return Object.fromEntries(Object.entries(value).filter(([, field]) => field !== undefined)) as Partial<Value>;
}

function isGroup(key: string): boolean {
  return Object.keys(RULES).some((known) => known.startsWith(`${key}.`));
}

function isNumber(value: unknown): value is number {
  return typeof value === "number" && Number.isFinite(value);
}

function invalid(key: string, value: unknown, allowed: string): PalimpsestError {
  const isJson = typeof value === "string" || typeof value === "object";
  const found = (isJson ? JSON.stringify(value) : String(value)).slice(0, 60);
  return new PalimpsestError("config-invalid", `${key}: expected ${allowed}, found ${found}.`, {
    details: { key, allowed },
  });
}
