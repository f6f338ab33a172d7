/** Checks the configuration file together with the sources above it, and writes it atomically. */
import { randomBytes } from "node:crypto";
import { existsSync } from "node:fs";
import { open, rename, rm } from "node:fs/promises";
import { invalidOption } from "../core/check-options.ts";
import { isPlainObject } from "../core/check-value.ts";
import { PalimpsestError } from "../core/errors.ts";
import { mergeSources, type PolicySources, readConfigFile, readConfigText } from "./config-sources.ts";
import { DEFAULT_POLICY } from "./default-policy.ts";
import type { PolicyInput, PolicyName, PolicySettings } from "./policy-input.ts";
import { PRESETS } from "./presets.ts";
import { type Environment, listSetVariables, POLICY_VARIABLE } from "./read-environment.ts";
import { readHeaderComments } from "./relaxed-json.ts";

/** Returns the settings that would result from this file. Throws `config-invalid` for an invalid policy. */
export function checkPolicy(policy: unknown, others: Omit<PolicySources, "file">): PolicySettings {
  return mergeSources({ ...others, file: typeof policy === "string" ? { preset: policy } : requireRecord(policy) });
}

/** Writes the policy. Throws `config-invalid` for an invalid one and leaves the file unchanged. */
export async function writePolicyFile(
  path: string,
  policy: unknown,
  others: Omit<PolicySources, "file">,
): Promise<void> {
  const file = {
    ...(typeof policy === "string" ? { preset: policy } : requireRecord(policy)),
    ...readKeptSection(path),
  };
  mergeSources({ ...others, file });
  const header = readKeptHeader(path);
  const temporary = `${path}.${randomBytes(6).toString("hex")}.tmp`;
  try {
    const handle = await open(temporary, "wx", 0o600);
    try {
      await handle.writeFile(`${header}${JSON.stringify(file, null, 2)}\n`);
      await handle.sync();
    } finally {
      await handle.close();
    }
    await rename(temporary, path);
  } catch (error) {
    await rm(temporary, { force: true });
    const reason = error instanceof Error ? error.message : String(error);
    const text = `${path}: the file cannot be written and is unchanged: ${reason}`;
    throw new PalimpsestError("config-invalid", text, { details: { key: "path", path }, cause: error });
  }
}

/** The `server` section belongs to the operator and cannot be set through a policy. */
function requireRecord(policy: unknown): Readonly<Record<string, unknown>> {
  if (!isPlainObject(policy)) throw invalidOption("policy", policy, "a name or an object");
  if (Object.hasOwn(policy, "server")) {
    const text = 'policy: Remove the key "server"; it is not part of a policy.';
    throw new PalimpsestError("config-invalid", text, { details: { key: "server" } });
  }
  return policy;
}

/** Keeps the `server` section of the file. An unreadable file is not overwritten. */
function readKeptSection(path: string): Readonly<Record<string, unknown>> {
  if (!existsSync(path)) return {};
  const file = readConfigFile(path);
  return isPlainObject(file) && file.server !== undefined ? { server: file.server } : {};
}

/** The comments at the top of the file stay; those between its keys belong to the text that is replaced. */
function readKeptHeader(path: string): string {
  const header = existsSync(path) ? readHeaderComments(readConfigText(path)) : "";
  return header === "" ? "" : `${header}\n`;
}

export interface OpenedPolicies {
  /** Later sources win. Variables are listed by name, never with their values. */
  readonly sources: () => readonly {
    readonly type: "defaults" | "file" | "environment" | "options";
    readonly path?: string | undefined;
    readonly names?: readonly string[] | undefined;
  }[];
  readonly presets: Readonly<Record<PolicyName, PolicySettings>>;
  /** Returns the settings that would result from writing the policy; throws `config-invalid`. */
  readonly check: (policy: unknown) => PolicySettings;
  /** Absent if there is no file, or if the environment or the options name the whole policy. */
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

function namesWholePolicy(policy: PolicyInput | undefined): boolean {
  return typeof policy === "string" || policy?.preset !== undefined;
}
