/** The settings of a policy as rows: path and value, as a configuration file writes them. */
import { DEFAULT_POLICY } from "../../policies/default-policy.ts";
import { POLICY_NAMES, type PolicyName, type PolicySettings } from "../../policies/policy-input.ts";
import { PRESETS, UNCAPPED_TOKENS } from "../../policies/presets.ts";
import { listPaths } from "../../policies/settings-table.ts";

const [ABSENT, UNCAPPED] = ["—", "no cap"];

export function settingsOf(name: PolicyName): PolicySettings {
  return name === "default" ? DEFAULT_POLICY : PRESETS[name];
}

export function findPolicy(given: string): PolicyName | undefined {
  return POLICY_NAMES.find((name) => name === given);
}

export function showSetting(settings: object, path: string): string {
  const value = path.split(".").reduce<unknown>((group, key) => Object(group)[key], settings);
  if (value === UNCAPPED_TOKENS) return UNCAPPED;
  return value === undefined ? ABSENT : JSON.stringify(value);
}

/** Returns false for a value that a configuration file cannot contain. */
export function isWritable(shown: string): boolean {
  return shown !== ABSENT && shown !== UNCAPPED;
}

/** Returns the settings in which not all of the policies agree. Names differ in any case. */
export function listDifferences(policies: readonly object[]): readonly string[] {
  const paths = listPaths().map(([path]) => path);
  return paths.filter(
    (path) => path !== "name" && new Set(policies.map((settings) => showSetting(settings, path))).size > 1,
  );
}

/** Returns a line for each setting that differs from the named policy that it started from. */
export function describeChanges(settings: { readonly name?: unknown }): readonly string[] {
  const base = settingsOf(findPolicy(String(settings.name)) ?? "default");
  return listDifferences([settings, base]).map(
    (path) => `${path}: ${showSetting(settings, path)} instead of ${showSetting(base, path)}`,
  );
}
