/**
 * Checks and writes the configuration file. A policy is checked together with the sources above it, and replaces the
 * file atomically.
 */
import { randomBytes } from "node:crypto";
import { existsSync } from "node:fs";
import { open, rename, rm } from "node:fs/promises";
import { invalidOption } from "../core/check-options.ts";
import { isPlainObject } from "../core/check-value.ts";
import { PalimpsestError } from "../core/errors.ts";
import { mergeSources, type PolicySources, readConfigFile } from "./config-sources.ts";
import type { PolicySettings } from "./policy-input.ts";

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
  const temporary = `${path}.${randomBytes(6).toString("hex")}.tmp`;
  try {
    const handle = await open(temporary, "wx", 0o600);
    try {
      await handle.writeFile(`${JSON.stringify(file, null, 2)}\n`);
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
  if (Object.hasOwn(policy, "server"))
    throw invalidOption("server", undefined, "no `server` key: it is not part of a policy");
  return policy;
}

/** Keeps the `server` section of the file. An unreadable file is not overwritten. */
function readKeptSection(path: string): Readonly<Record<string, unknown>> {
  if (!existsSync(path)) return {};
  const file = readConfigFile(path);
  return isPlainObject(file) && file.server !== undefined ? { server: file.server } : {};
}
