/** From a name or an object to settings. What is wrong is said with the key, the value and the allowed range. */
import type { PolicyInput, PolicySettings } from "./policy-input.ts";
import { readLayer } from "./policy-layer.ts";
import { chooseSettings, resolveLayers } from "./resolve-layers.ts";

export type { PolicyInput } from "./policy-input.ts";

export interface ResolveOptions {
  /** The model that the settings are for. Without it, those for any. */
  readonly model?: string | undefined;
}

export function resolvePolicy(input: PolicyInput = "default", { model }: ResolveOptions = {}): PolicySettings {
  return chooseSettings(resolveLayers([readLayer(input)]), model);
}
