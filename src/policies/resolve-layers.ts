/** Combines layers, lowest first, into settings. Document keys written for another preset are ignored. */
import { listCandidateIds, normalizeModelId } from "../core/budget/find-model.ts";
import { invalidOption } from "../core/check-options.ts";
import { findTriggerFault, type Trigger } from "../core/plan/triggers/trigger.ts";
import { DEFAULT_POLICY } from "./default-policy.ts";
import { ENVIRONMENT_KEYS, setTriggerTokens } from "./document-keys.ts";
import { findRelaxedLaws, type PolicyName, type PolicySettings, type SettingsInput } from "./policy-input.ts";
import { type GivenSettings, listDocumentKeys, type PolicyLayer } from "./policy-layer.ts";
import { PRESETS } from "./presets.ts";
import { isGroup, SETTINGS } from "./settings-table.ts";

export interface ResolvedPolicy {
  readonly settings: PolicySettings;
  readonly models: ReadonlyMap<string, PolicySettings>;
}

/** `standard` replaces the default policy while no layer sets a trigger. */
export function resolveLayers(
  layers: readonly PolicyLayer[],
  standard: PolicySettings = DEFAULT_POLICY,
): ResolvedPolicy {
  const preset = layers.at(-1)?.preset ?? "default";
  const general = layers.map((layer): LayerStep => ({ writtenFor: layer.preset, given: layer.given }));
  const ids = new Set(layers.flatMap(({ models }) => [...models.keys()]));
  const models = [...ids].map((id) => {
    const own = layers.flatMap((layer): LayerStep[] => {
      const given = layer.models.get(id);
      return given === undefined ? [] : [{ writtenFor: layer.preset, given }];
    });
    return [id, resolveSteps([...general, ...own], { preset, prefix: `models.${id}.`, standard })] as const;
  });
  return { settings: resolveSteps(general, { preset, prefix: "", standard }), models: new Map(models) };
}

/** Returns the settings of a model by any spelling of its id, or the general ones. */
export function chooseSettings({ settings, models }: ResolvedPolicy, model: string | undefined): PolicySettings {
  if (model === undefined || models.size === 0) return settings;
  const exact = models.get(model);
  if (exact !== undefined) return exact;
  const byCanonicalId = new Map([...models].map(([id, own]) => [normalizeModelId(id), own]));
  const found = listCandidateIds(model).find((id) => byCanonicalId.has(id));
  return found === undefined ? settings : (byCanonicalId.get(found) ?? settings);
}

interface LayerStep {
  readonly writtenFor: PolicyName;
  readonly given: GivenSettings;
}

interface CheckContext {
  readonly preset: PolicyName;
  readonly prefix: string;
}

interface Resolution extends CheckContext {
  readonly standard: PolicySettings;
}

function resolveSteps(steps: readonly LayerStep[], { preset, prefix, standard }: Resolution): PolicySettings {
  const general = steps.some(setsTriggers) ? DEFAULT_POLICY : standard;
  const base: PolicySettings = preset === "default" ? general : PRESETS[preset];
  let settings: PolicySettings = { ...base, relaxedLaws: [] };
  for (const step of steps) settings = applyStep(settings, step, preset);
  checkComplete(settings, prefix);
  const usesDocument = steps.some(({ writtenFor, given }) => writtenFor === preset && given.ofDocument.size > 0);
  checkContradictions(settings, { preset: usesDocument ? preset : "default", prefix });
  return { ...settings, relaxedLaws: findRelaxedLaws(settings) };
}

function setsTriggers({ given }: LayerStep): boolean {
  const { triggers, triggerRatio, triggerTokens } = given.settings;
  return triggers !== undefined || triggerRatio !== undefined || triggerTokens !== undefined;
}

function applyStep(from: PolicySettings, { writtenFor, given }: LayerStep, preset: PolicyName): PolicySettings {
  let settings = moveTriggers(applySettings(from, given.settings), given.settings, preset);
  const documentKeys = listDocumentKeys(preset);
  const values = writtenFor === preset ? given.ofDocument : new Map<string, unknown>();
  for (const [key, { apply }] of documentKeys) if (values.has(key)) settings = apply(settings, values.get(key));
  for (const [key, value] of given.ofEnvironment) {
    const documentKey = documentKeys.get(key) ?? ENVIRONMENT_KEYS[key];
    if (documentKey !== undefined) settings = documentKey.apply(settings, value);
  }
  return settings;
}

/** Minimum distance by which the ratio must fall below the trigger before the trigger is armed again. */
const MIN_HYSTERESIS = 0.05;

/** Sets the thresholds of triggers from `triggerTokens` and `triggerRatio`, unless `triggers` is given too. */
function moveTriggers(settings: PolicySettings, given: SettingsInput, preset: PolicyName): PolicySettings {
  if (given.triggers !== undefined) return { ...settings, triggerTokensByWindow: given.triggerTokensByWindow };
  const { triggerRatio, triggerTokens } = given;
  const moved = triggerTokens === undefined ? settings : setTriggerTokens(settings, triggerTokens);
  if (triggerRatio === undefined || preset !== "default") return moved;
  const highest = Math.max(0, Math.round((triggerRatio - MIN_HYSTERESIS) * 1e6) / 1e6);
  return {
    ...moved,
    triggers: moved.triggers.map((trigger) => {
      if (trigger.type !== "ratio") return trigger;
      return { ...trigger, triggerRatio, resetRatio: Math.min(trigger.resetRatio, highest) };
    }),
  };
}

function applySettings(settings: PolicySettings, given: SettingsInput): PolicySettings {
  const before = new Map<string, unknown>(Object.entries(settings));
  const changes = Object.entries(given).map(([key, value]) => {
    return [key, isGroupKey(key) ? mergeGroup(before.get(key), value, DEFAULTS.get(key)) : value];
  });
  // All values were checked when their layer was read.
  return { ...settings, ...(Object.fromEntries(changes) as Partial<PolicySettings>) };
}

const DEFAULTS: ReadonlyMap<string, unknown> = new Map(Object.entries(DEFAULT_POLICY));

/** A group without values counts as not given. A group that the policy lacks starts from that of the default policy. */
function mergeGroup(before: unknown, given: unknown, standard: unknown): unknown {
  if (given === false) return undefined;
  const fields = Object.entries(toObject(given)).filter(([, field]) => field !== undefined);
  return fields.length === 0 ? before : { ...toObject(before ?? standard), ...Object.fromEntries(fields) };
}

function isGroupKey(key: string): boolean {
  const entry = SETTINGS.get(key);
  return entry !== undefined && isGroup(entry);
}

function toObject(value: unknown): object {
  return typeof value === "object" && value !== null ? value : {};
}

function checkComplete(settings: PolicySettings, prefix: string): void {
  for (const [key, value] of Object.entries(settings)) {
    const entry = SETTINGS.get(key);
    if (value === undefined || entry === undefined || !isGroup(entry)) continue;
    const present = new Map<string, unknown>(Object.entries(toObject(value)));
    for (const [name, rule] of Object.entries(entry.fields)) {
      if (rule.isOptional || present.has(name)) continue;
      throw invalidOption(`${prefix}${key}.${name}`, undefined, rule.allowed);
    }
  }
}

/** Reports contradictions by the document's names if its keys were used. */
function checkContradictions(settings: PolicySettings, { preset, prefix }: CheckContext): void {
  const found = findContradiction(settings);
  if (found === undefined) return;
  const names = [...listDocumentKeys(preset)].flatMap(([key, { field }]) =>
    field === undefined ? [] : [{ key, field }],
  );
  const own = names.find(({ field }) => found.key.endsWith(`.${field}`))?.key;
  if (own === undefined) throw invalidOption(`${prefix}${found.key}`, found.value, found.allowed);
  const allowed = names.reduce((text, { key, field }) => text.replace(`the ${field},`, `the ${key},`), found.allowed);
  throw invalidOption(`${prefix}${own}`, found.value, allowed);
}

export interface Contradiction {
  readonly key: string;
  readonly value: unknown;
  readonly allowed: string;
}

export function findContradiction(settings: PolicySettings): Contradiction | undefined {
  return findRatioFault(settings) ?? findTriggersFault(settings.triggers) ?? findVisibleFault(settings);
}

function findRatioFault({ triggerRatio, targetRatio, background }: PolicySettings): Contradiction | undefined {
  if (targetRatio > triggerRatio) {
    return { key: "targetRatio", value: targetRatio, allowed: `at most the triggerRatio, ${triggerRatio}` };
  }
  if (background === undefined || background.prepareRatio <= background.applyRatio) return undefined;
  const { prepareRatio, applyRatio } = background;
  return { key: "background.prepareRatio", value: prepareRatio, allowed: `at most the applyRatio, ${applyRatio}` };
}

function findTriggersFault(triggers: readonly Trigger[]): Contradiction | undefined {
  for (const [index, trigger] of triggers.entries()) {
    const fault = findTriggerFault(trigger) ?? findTailFault(trigger);
    if (fault !== undefined) return { ...fault, key: `triggers[${index}].${fault.key}` };
  }
  return undefined;
}

/** With a tail above the threshold, the first summary would have nothing to cover. */
function findTailFault(trigger: Trigger): Contradiction | undefined {
  if (trigger.type !== "unsummarised" || trigger.tailMessages <= trigger.threshold) return undefined;
  const { tailMessages, threshold } = trigger;
  return { key: "tailMessages", value: tailMessages, allowed: `at most the threshold, ${threshold}` };
}

/** Messages that the tail keeps out of the summary and the window does not show would be invisible. */
function findVisibleFault({ visible, tail }: PolicySettings): Contradiction | undefined {
  if (visible === undefined) return undefined;
  const { messagesWithSummary } = visible;
  const kept = Math.max(tail.messages ?? 0, tail.textMessages ?? 0);
  if (messagesWithSummary >= kept) return undefined;
  const allowed = `at least the messages of the tail, ${kept}`;
  return { key: "visible.messagesWithSummary", value: messagesWithSummary, allowed };
}
