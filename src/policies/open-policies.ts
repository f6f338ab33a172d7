/** Describes the sources of an engine's policy, and checks and writes its file. */
import { existsSync } from "node:fs";
import { DEFAULT_POLICY } from "./default-policy.ts";
import { checkPolicy, writePolicyFile } from "./policy-file.ts";
import type { PolicyInput, PolicyName, PolicySettings } from "./policy-input.ts";
import { PRESETS } from "./presets.ts";
import { type Environment, listSetVariables, POLICY_VARIABLE } from "./read-environment.ts";

export interface OpenedPolicies {
  /** Later sources win. Variables are listed by name, never with their values. */
  readonly sources: () => readonly {
    readonly type: "defaults" | "file" | "environment" | "options";
    readonly path?: string | undefined;
    readonly names?: readonly string[] | undefined;
  }[];
  /** All named policies. */
  readonly presets: Readonly<Record<PolicyName, PolicySettings>>;
  /** Returns the settings that would result from writing it; throws `config-invalid`. */
  readonly check: (policy: unknown) => PolicySettings;
  /** Absent without a file, and if the environment or the call names the whole policy. */
  readonly write?: ((policy: unknown) => Promise<void>) | undefined;
}

interface PolicyOptions {
  readonly configFile?: string | undefined;
  readonly environment?: Environment | undefined;
  readonly policy?: PolicyInput | undefined;
}

export function openPolicies({ configFile: path, environment = {}, policy: call }: PolicyOptions): OpenedPolicies {
  const names = listSetVariables(environment);
  const isFixed = path === undefined || namesWholePolicy(call) || names.includes(POLICY_VARIABLE);
  return {
    sources: () => [
      { type: "defaults" },
      ...(path === undefined || !existsSync(path) ? [] : [{ type: "file" as const, path }]),
      ...(names.length === 0 ? [] : [{ type: "environment" as const, names }]),
      ...(call === undefined ? [] : [{ type: "options" as const }]),
    ],
    presets: { default: DEFAULT_POLICY, ...PRESETS },
    check: (policy) => checkPolicy(policy, { environment, call }),
    write: isFixed ? undefined : (policy) => writePolicyFile(path, policy, { environment, call }),
  };
}

/** Returns whether the call names the whole policy. */
function namesWholePolicy(policy: PolicyInput | undefined): boolean {
  return typeof policy === "string" || policy?.preset !== undefined;
}
