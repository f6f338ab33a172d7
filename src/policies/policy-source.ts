/** Merges the layers of a policy: defaults, file, environment, call; later ones win. */
import type { PolicyInput, PolicySettings } from "./policy-input.ts";
import { type PolicyLayer, readLayer } from "./policy-layer.ts";
import { type Environment, readEnvironment } from "./read-environment.ts";
import { chooseSettings, type ResolvedPolicy, resolveLayers } from "./resolve-layers.ts";

export interface PolicySource {
  /** Returns the current settings for a model, or the general ones. Never throws after creation. */
  current(model?: string): PolicySettings;
}

export interface FixedSources {
  /** Read once, at creation. */
  readonly environment?: Environment | undefined;
  readonly call?: PolicyInput | undefined;
  /** Replaces the default policy while no source sets a trigger. */
  readonly standard?: PolicySettings | undefined;
}

/** Throws `config-invalid` if the sources are invalid. */
export function createFixedPolicy(sources: FixedSources): PolicySource {
  const resolved = mergeLayers(undefined, sources);
  return { current: (model) => chooseSettings(resolved, model) };
}

export function mergeLayers(
  file: PolicyLayer | undefined,
  { environment, call, standard }: FixedSources,
): ResolvedPolicy {
  const layers = file === undefined ? [] : [file];
  const below = () => layers.at(-1)?.preset ?? "default";
  if (environment !== undefined) layers.push(...readEnvironment(environment, below()));
  if (call !== undefined) layers.push(readLayer(call, below()));
  return resolveLayers(layers, standard);
}
