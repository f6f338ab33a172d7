/**
 * Layers, the lowest first, become settings. The highest that names a preset chooses it; what each gives is then put on
 * top of it in order. Keys of a document go with their preset: a layer written for another one keeps only the settings
 * that every policy has.
 */
import { candidateIds, canonicalModelId } from "../core/budget/canonical-model-id.ts";
import { DEFAULT_POLICY } from "./default-policy.ts";
import { ENVIRONMENT_KEYS, setTriggerTokens } from "./document-keys.ts";
import { findContradiction } from "./find-contradiction.ts";
import { findRelaxedLaws } from "./laws.ts";
import type { PolicyName, PolicySettings, SettingsInput } from "./policy-input.ts";
import { documentKeysOf, type GivenSettings, type PolicyLayer } from "./policy-layer.ts";
import { PRESETS } from "./presets.ts";
import { invalidSetting } from "./setting-rule.ts";
import { isGroup, SETTINGS } from "./settings-table.ts";

export interface ResolvedPolicy {
  readonly settings: PolicySettings;
  /** Whole settings for the models that have some of their own. */
  readonly models: ReadonlyMap<string, PolicySettings>;
}

/** `standard` takes the place of the default policy while no layer says when to compact. */
export function resolveLayers(
  layers: readonly PolicyLayer[],
  standard: PolicySettings = DEFAULT_POLICY,
): ResolvedPolicy {
  const preset = layers.at(-1)?.preset ?? "default";
  const general = layers.map((layer): Step => ({ writtenFor: layer.preset, given: layer.given }));
  const ids = new Set(layers.flatMap(({ models }) => [...models.keys()]));
  const models = [...ids].map((id) => {
    const own = layers.flatMap((layer): Step[] => {
      const given = layer.models.get(id);
      return given === undefined ? [] : [{ writtenFor: layer.preset, given }];
    });
    return [id, resolveSteps([...general, ...own], { preset, prefix: `models.${id}.`, standard })] as const;
  });
  return { settings: resolveSteps(general, { preset, prefix: "", standard }), models: new Map(models) };
}

/** The settings of a model, whatever way its id is written; the general ones where it has none of its own. */
export function chooseSettings({ settings, models }: ResolvedPolicy, model: string | undefined): PolicySettings {
  if (model === undefined || models.size === 0) return settings;
  const exact = models.get(model);
  if (exact !== undefined) return exact;
  const byCanonicalId = new Map([...models].map(([id, own]) => [canonicalModelId(id), own]));
  const found = candidateIds(model).find((id) => byCanonicalId.has(id));
  return found === undefined ? settings : (byCanonicalId.get(found) ?? settings);
}

interface Step {
  readonly writtenFor: PolicyName;
  readonly given: GivenSettings;
}

interface Target {
  readonly preset: PolicyName;
  readonly prefix: string;
}

interface Resolution extends Target {
  readonly standard: PolicySettings;
}

function resolveSteps(steps: readonly Step[], { preset, prefix, standard }: Resolution): PolicySettings {
  const general = steps.some(saysWhen) ? DEFAULT_POLICY : standard;
  const base: PolicySettings = preset === "default" ? general : PRESETS[preset];
  let settings: PolicySettings = { ...base, relaxedLaws: [] };
  for (const step of steps) settings = applyStep(settings, step, preset);
  checkWhole(settings, prefix);
  const usesDocument = steps.some(({ writtenFor, given }) => writtenFor === preset && given.ofDocument.size > 0);
  checkTogether(settings, { preset: usesDocument ? preset : "default", prefix });
  return { ...settings, relaxedLaws: findRelaxedLaws(settings) };
}

/** Whether a layer gives triggers, or a number that moves them. */
function saysWhen({ given }: Step): boolean {
  const { triggers, triggerRatio, triggerTokens } = given.settings;
  return triggers !== undefined || triggerRatio !== undefined || triggerTokens !== undefined;
}

function applyStep(from: PolicySettings, { writtenFor, given }: Step, preset: PolicyName): PolicySettings {
  let settings = moveTriggers(applySettings(from, given.settings), given.settings, preset);
  const documentKeys = documentKeysOf(preset);
  const values = writtenFor === preset ? given.ofDocument : new Map<string, unknown>();
  for (const [key, { apply }] of documentKeys) if (values.has(key)) settings = apply(settings, values.get(key));
  for (const [key, value] of given.ofEnvironment) {
    const documentKey = documentKeys.get(key) ?? ENVIRONMENT_KEYS[key];
    if (documentKey !== undefined) settings = documentKey.apply(settings, value);
  }
  return settings;
}

/** How far below its trigger a ratio must fall at least before it acts again. */
const LEAST_HYSTERESIS = 0.05;

/** A number that says when to act moves the trigger that acts by it, unless the triggers themselves were given too. */
function moveTriggers(settings: PolicySettings, given: SettingsInput, preset: PolicyName): PolicySettings {
  if (given.triggers !== undefined) {
    return { ...settings, triggerTokensByWindow: given.triggerTokensByWindow };
  }
  const { triggerRatio, triggerTokens } = given;
  const moved = triggerTokens === undefined ? settings : setTriggerTokens(settings, triggerTokens);
  if (triggerRatio === undefined || preset !== "default") return moved;
  const highest = Math.max(0, Math.round((triggerRatio - LEAST_HYSTERESIS) * 1e6) / 1e6);
  return {
    ...moved,
    triggers: moved.triggers.map((trigger) => {
      if (trigger.type !== "ratio") return trigger;
      return { ...trigger, triggerRatio, resetRatio: Math.min(trigger.resetRatio, highest) };
    }),
  };
}

/** Groups are merged, everything else is replaced. */
function applySettings(settings: PolicySettings, given: SettingsInput): PolicySettings {
  const before = new Map<string, unknown>(Object.entries(settings));
  const changes = Object.entries(given).map(([key, value]) => {
    return [key, isGroupKey(key) ? mergeGroup(before.get(key), value) : value];
  });
  // What was given was checked against the table when its layer was read.
  return { ...settings, ...(Object.fromEntries(changes) as Partial<PolicySettings>) };
}

/** A group without any value is one that was not given. */
function mergeGroup(before: unknown, given: unknown): unknown {
  if (given === false) return undefined;
  const fields = Object.entries(spread(given)).filter(([, field]) => field !== undefined);
  return fields.length === 0 ? before : { ...spread(before), ...Object.fromEntries(fields) };
}

function isGroupKey(key: string): boolean {
  const entry = SETTINGS.get(key);
  return entry !== undefined && isGroup(entry);
}

function spread(value: unknown): object {
  return typeof value === "object" && value !== null ? value : {};
}

/** A group that was absent before may have been given in part only. */
function checkWhole(settings: PolicySettings, prefix: string): void {
  for (const [key, value] of Object.entries(settings)) {
    const entry = SETTINGS.get(key);
    if (value === undefined || entry === undefined || !isGroup(entry)) continue;
    const present = new Map<string, unknown>(Object.entries(spread(value)));
    for (const [name, rule] of Object.entries(entry.fields)) {
      if (rule.isOptional || present.has(name)) continue;
      throw invalidSetting(`${prefix}${key}.${name}`, undefined, rule.allowed);
    }
  }
}

/** Whoever wrote in a document's words is told in them. */
function checkTogether(settings: PolicySettings, { preset, prefix }: Target): void {
  const found = findContradiction(settings);
  if (found === undefined) return;
  const names = [...documentKeysOf(preset)].flatMap(([key, { field }]) =>
    field === undefined ? [] : [{ key, field }],
  );
  const own = names.find(({ field }) => found.key.endsWith(`.${field}`))?.key;
  if (own === undefined) throw invalidSetting(`${prefix}${found.key}`, found.value, found.allowed);
  const allowed = names.reduce((text, { key, field }) => text.replace(`the ${field},`, `the ${key},`), found.allowed);
  throw invalidSetting(`${prefix}${own}`, found.value, allowed);
}
