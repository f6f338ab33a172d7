/** Settings of a policy as it was written, for tests that need no file and no environment. */
import type { PolicyInput, PolicySettings } from "../policies/policy-input.ts";
import { readLayer } from "../policies/policy-layer.ts";
import { chooseSettings, resolveLayers } from "../policies/resolve-layers.ts";

export interface ResolveOptions {
  /** The model that the settings are for. Without it, those for any. */
  readonly model?: string | undefined;
}

export function resolvePolicy(input: PolicyInput = "default", { model }: ResolveOptions = {}): PolicySettings {
  return chooseSettings(resolveLayers([readLayer(input)]), model);
}
