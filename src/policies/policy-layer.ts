/** One checked source of a policy. Every invalid value is found here; `resolve-layers.ts` combines the layers. */
import { invalidOption } from "../core/check-options.ts";
import { findNearest, isPlainObject } from "../core/check-value.ts";
import { PalimpsestError } from "../core/errors.ts";
import { DOCUMENT_KEYS, type DocumentKey } from "./document-keys.ts";
import { POLICY_NAMES, type PolicyName, type SettingsInput } from "./policy-input.ts";
import { findFault, joinQuoted, oneOf, type SettingRule } from "./setting-rule.ts";
import { isGroup, SETTINGS, type SettingGroup } from "./settings-table.ts";

export interface PolicyLayer {
  /** The preset that the layer was written for: its own or that of the layers below. */
  readonly preset: PolicyName;
  readonly given: GivenSettings;
  readonly models: ReadonlyMap<string, GivenSettings>;
}

export interface GivenSettings {
  readonly settings: SettingsInput;
  /** Keys of the preset's document. They have no meaning under another preset. */
  readonly ofDocument: ReadonlyMap<string, unknown>;
  /** Document keys from the environment, which apply to every policy. */
  readonly ofEnvironment: ReadonlyMap<string, unknown>;
}

const POLICY_NAME = oneOf(...POLICY_NAMES);

/** `below` is the preset of the layers below. */
export function readLayer(input: unknown, below: PolicyName = "default"): PolicyLayer {
  if (POLICY_NAME.holds(input)) return { preset: input, given: NOTHING_GIVEN, models: new Map() };
  if (!isPlainObject(input)) throw invalidOption("policy", input, `${joinQuoted(POLICY_NAMES)}, or an object`);
  const { preset: named, models, ...rest } = input;
  if (named !== undefined && !POLICY_NAME.holds(named)) throw invalidOption("preset", named, POLICY_NAME.allowed);
  const preset = named ?? below;
  return { preset, given: readGiven(rest, preset, ""), models: readModels(models, preset) };
}

export const NOTHING_GIVEN: GivenSettings = { settings: {}, ofDocument: new Map(), ofEnvironment: new Map() };

/** Lists the keys of a preset's document, in the order in which they are applied. */
export function listDocumentKeys(preset: PolicyName): ReadonlyMap<string, DocumentKey> {
  return new Map(preset === "default" ? [] : Object.entries(DOCUMENT_KEYS[preset]));
}

function readModels(models: unknown, preset: PolicyName): ReadonlyMap<string, GivenSettings> {
  if (models === undefined) return new Map();
  if (!isPlainObject(models)) throw invalidOption("models", models, "an object of settings by model id");
  const entries = Object.entries(models).map(([id, value]) => {
    const key = `models.${id}`;
    if (!isPlainObject(value)) throw invalidOption(key, value, "an object of settings");
    return [id, readGiven(value, preset, `${key}.`)] as const;
  });
  return new Map(entries);
}

function readGiven(input: Readonly<Record<string, unknown>>, preset: PolicyName, prefix: string): GivenSettings {
  const documentKeys = listDocumentKeys(preset);
  const settings = new Map<string, unknown>();
  const ofDocument = new Map<string, unknown>();
  for (const [key, value] of Object.entries(input)) {
    const documentKey = documentKeys.get(key);
    const entry = SETTINGS.get(key);
    if (documentKey !== undefined && !(entry !== undefined && isPlainObject(value))) {
      check(documentKey.rule, value, `${prefix}${key}`);
      if (value !== undefined) ofDocument.set(key, cloneValue(value));
    } else if (entry !== undefined) {
      checkEntry(entry, value, `${prefix}${key}`);
      if (value !== undefined) settings.set(key, cloneValue(value));
    } else throw unknownKey(prefix, key, knownKeys(preset, prefix));
  }
  // Every key was checked against the table, which is typed by the settings.
  return { settings: Object.fromEntries(settings) as SettingsInput, ofDocument, ofEnvironment: new Map() };
}

/** Copies the value, so that later changes of the caller's object have no effect. */
function cloneValue(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(cloneValue);
  if (!isPlainObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, field]) => [key, cloneValue(field)]));
}

function checkEntry(entry: SettingRule | SettingGroup, value: unknown, key: string): void {
  if (!isGroup(entry)) {
    check(entry, value, key);
    return;
  }
  if (value === undefined || (value === false && entry.mayBeOff)) return;
  if (!isPlainObject(value)) throw invalidOption(key, value, entry.mayBeOff ? "an object or false" : "an object");
  const fields = new Map(Object.entries(entry.fields));
  for (const [name, field] of Object.entries(value)) {
    const rule = fields.get(name);
    if (rule === undefined) throw unknownKey(`${key}.`, name, [...fields.keys()]);
    check(rule, field, `${key}.${name}`);
  }
}

/** An undefined value counts as not given. */
function check(rule: SettingRule, value: unknown, key: string): void {
  const fault = value === undefined ? undefined : findFault(rule, value);
  if (fault !== undefined) throw invalidOption(`${key}${fault.path}`, fault.value, fault.allowed);
}

function knownKeys(preset: PolicyName, prefix: string): readonly string[] {
  const above = prefix === "" ? ["preset", "models"] : [];
  return [...new Set([...above, ...listDocumentKeys(preset).keys(), ...SETTINGS.keys()])];
}

function unknownKey(prefix: string, name: string, known: readonly string[]): PalimpsestError {
  const nearest = findNearest(name, known);
  const names = known.join(", ");
  const advice = nearest === undefined ? `The settings are ${names}.` : `Did you mean "${prefix}${nearest}"?`;
  const details = { key: `${prefix}${name}`, allowed: `one of the keys ${names}` };
  return new PalimpsestError("config-invalid", `Unknown setting "${prefix}${name}". ${advice}`, { details });
}
