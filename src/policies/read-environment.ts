/** Reads the policy from the environment: `PALIMPSEST_POLICY`, a variable for each setting, and the documents' own. */
import { invalidOption } from "../core/check-options.ts";
import { ENVIRONMENT_KEYS } from "./document-keys.ts";
import { POLICY_NAMES, type PolicyName, type SettingsInput } from "./policy-input.ts";
import { NOTHING_GIVEN, type PolicyLayer } from "./policy-layer.ts";
import { oneOf, type SettingRule } from "./setting-rule.ts";
import { listPaths } from "./settings-table.ts";

export type Environment = Readonly<Record<string, string | undefined>>;

export const POLICY_VARIABLE = "PALIMPSEST_POLICY";

const POLICY_NAME = oneOf(...POLICY_NAMES);

/** Returns two layers: the documents' variables, and above them those of Palimpsest. */
export function readEnvironment(environment: Environment, below: PolicyName): readonly PolicyLayer[] {
  const named = readVariable(environment, POLICY_VARIABLE, POLICY_NAME);
  const preset = POLICY_NAME.holds(named) ? named : below;
  const models = new Map();
  return [
    { preset, given: { ...NOTHING_GIVEN, ofEnvironment: readDocumentKeys(environment) }, models },
    { preset, given: { ...NOTHING_GIVEN, settings: readSettings(environment) }, models },
  ];
}

/** Returns the variable of a setting: `summary.maxTokens` is `PALIMPSEST_SUMMARY_MAX_TOKENS`. */
export function buildVariableName(path: string): string {
  const words = path.replaceAll(".", "_").replace(/[A-Z]/g, (letter) => `_${letter}`);
  return `PALIMPSEST_${words.toUpperCase()}`;
}

export function listVariables(): readonly string[] {
  const settings = listPaths().filter(([, rule]) => rule.fromText !== undefined);
  return [POLICY_VARIABLE, ...Object.keys(ENVIRONMENT_KEYS), ...settings.map(([path]) => buildVariableName(path))];
}

export function listSetVariables(environment: Environment): readonly string[] {
  return listVariables()
    .filter((name) => (environment[name] ?? "").trim() !== "")
    .toSorted();
}

function readDocumentKeys(environment: Environment): ReadonlyMap<string, unknown> {
  const values = Object.entries(ENVIRONMENT_KEYS).flatMap(([name, { rule }]) => {
    const value = readVariable(environment, name, rule);
    return value === undefined ? [] : [[name, value] as const];
  });
  return new Map(values);
}

function readSettings(environment: Environment): SettingsInput {
  const settings: Record<string, unknown> = {};
  for (const [path, rule] of listPaths()) {
    if (rule.fromText === undefined) continue;
    const value = readVariable(environment, buildVariableName(path), rule);
    if (value === undefined) continue;
    const [key = "", field] = path.split(".");
    settings[key] = field === undefined ? value : { ...Object(settings[key]), [field]: value };
  }
  // Every value satisfies the rule of its path, and paths come from the settings table.
  return settings as SettingsInput;
}

function readVariable(environment: Environment, name: string, rule: SettingRule): unknown {
  const text = Object.hasOwn(environment, name) ? environment[name] : undefined;
  if (text === undefined || text.trim() === "") return undefined;
  const value = rule.fromText === undefined ? text : rule.fromText(text);
  if (!rule.holds(value)) throw invalidOption(name, text, rule.allowed);
  return value;
}
