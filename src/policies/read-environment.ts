/**
 * The environment's word on the policy: `PALIMPSEST_POLICY` for the name, one name for every setting that a line of text
 * can say (`PALIMPSEST_SUMMARY_MAX_TOKENS` for `summary.maxTokens`), and the names that a document gave to the
 * environment. Other names are somebody else's and are not looked at. A blank value is none.
 */
import { ENVIRONMENT_KEYS } from "./document-keys.ts";
import { POLICY_NAMES, type PolicyName, type SettingsInput } from "./policy-input.ts";
import { NOTHING_GIVEN, type PolicyLayer } from "./policy-layer.ts";
import { invalidSetting, oneOf, type Rule } from "./setting-rule.ts";
import { listPaths } from "./settings-table.ts";

export type Environment = Readonly<Record<string, string | undefined>>;

export const POLICY_VARIABLE = "PALIMPSEST_POLICY";

const POLICY_NAME = oneOf(...POLICY_NAMES);

/** Two layers: the document's names, and above them our own. */
export function readEnvironment(environment: Environment, below: PolicyName): readonly PolicyLayer[] {
  const named = readVariable(environment, { name: POLICY_VARIABLE, rule: POLICY_NAME });
  const preset = POLICY_NAME.holds(named) ? named : below;
  const models = new Map();
  return [
    { preset, given: { ...NOTHING_GIVEN, ofEnvironment: readDocumentKeys(environment) }, models },
    { preset, given: { ...NOTHING_GIVEN, settings: readSettings(environment) }, models },
  ];
}

/** `summary.maxTokens` is `PALIMPSEST_SUMMARY_MAX_TOKENS`. */
export function variableOf(path: string): string {
  const words = path.replaceAll(".", "_").replace(/[A-Z]/g, (letter) => `_${letter}`);
  return `PALIMPSEST_${words.toUpperCase()}`;
}

/** Every variable that can say something of the policy. */
export function listVariables(): readonly string[] {
  const settings = listPaths().filter(([, rule]) => rule.fromText !== undefined);
  return [POLICY_VARIABLE, ...Object.keys(ENVIRONMENT_KEYS), ...settings.map(([path]) => variableOf(path))];
}

/** Those that say something of the policy here, by name. */
export function setVariables(environment: Environment): readonly string[] {
  return listVariables()
    .filter((name) => (environment[name] ?? "").trim() !== "")
    .toSorted();
}

function readDocumentKeys(environment: Environment): ReadonlyMap<string, unknown> {
  const values = Object.entries(ENVIRONMENT_KEYS).flatMap(([name, { rule }]) => {
    const value = readVariable(environment, { name, rule });
    return value === undefined ? [] : [[name, value] as const];
  });
  return new Map(values);
}

function readSettings(environment: Environment): SettingsInput {
  const settings: Record<string, unknown> = {};
  for (const [path, rule] of listPaths()) {
    if (rule.fromText === undefined) continue;
    const value = readVariable(environment, { name: variableOf(path), rule });
    if (value === undefined) continue;
    const [key = "", field] = path.split(".");
    settings[key] = field === undefined ? value : { ...Object(settings[key]), [field]: value };
  }
  // Every value holds by the rule of its path, and paths come from the table of the settings.
  return settings as SettingsInput;
}

interface Variable {
  readonly name: string;
  readonly rule: Rule;
}

function readVariable(environment: Environment, { name, rule }: Variable): unknown {
  const text = Object.hasOwn(environment, name) ? environment[name] : undefined;
  if (text === undefined || text.trim() === "") return undefined;
  const value = rule.fromText === undefined ? text : rule.fromText(text);
  if (!rule.holds(value)) throw invalidSetting(name, text, rule.allowed);
  return value;
}
