/** Where the policy of an engine comes from, for whoever shows it, and how its file is written. */
import { existsSync } from "node:fs";
import { DEFAULT_POLICY } from "./default-policy.ts";
import { checkPolicy, writePolicyFile } from "./policy-file.ts";
import type { PolicyInput, PolicyName, PolicySettings } from "./policy-input.ts";
import { PRESETS } from "./presets.ts";
import { type Environment, POLICY_VARIABLE, setVariables } from "./read-environment.ts";

export interface OpenedPolicies {
  /** What comes later wins. Of variables the names are told, never the values. */
  readonly sources: () => readonly {
    readonly type: "defaults" | "file" | "environment" | "options";
    readonly path?: string | undefined;
    readonly names?: readonly string[] | undefined;
  }[];
  /** Every policy that has a name. */
  readonly presets: Readonly<Record<PolicyName, PolicySettings>>;
  /** What would hold if it were written; throws `config-invalid`. */
  readonly check: (policy: unknown) => PolicySettings;
  /** Absent where no file was named, and where what comes after it names the whole policy. */
  readonly write?: ((policy: unknown) => Promise<void>) | undefined;
}

interface PolicyOptions {
  readonly configFile?: string | undefined;
  readonly environment?: Environment | undefined;
  readonly policy?: PolicyInput | undefined;
}

export function openPolicies({ configFile: path, environment = {}, policy: call }: PolicyOptions): OpenedPolicies {
  const names = setVariables(environment);
  const isFixed = path === undefined || isWhole(call) || names.includes(POLICY_VARIABLE);
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

/** Whether nothing is left for a file to name. */
function isWhole(policy: PolicyInput | undefined): boolean {
  return typeof policy === "string" || policy?.preset !== undefined;
}
