/**
 * The configuration file as something that can be written: a policy is checked together with everything that comes
 * after it, and takes the file's place in one step. Whoever follows the file sees the old one or the new one.
 */
import { randomBytes } from "node:crypto";
import { existsSync } from "node:fs";
import { open, rename, rm } from "node:fs/promises";
import { PalimpsestError } from "../core/errors.ts";
import { mergeSources, type PolicySources, readConfigFile } from "./config-sources.ts";
import type { PolicySettings } from "./policy-input.ts";
import { invalidSetting, isRecord } from "./setting-rule.ts";

/** What would hold if it stood in the file. Throws `config-invalid` for what no policy may say. */
export function checkPolicy(policy: unknown, others: Omit<PolicySources, "file">): PolicySettings {
  return mergeSources({ ...others, file: typeof policy === "string" ? { preset: policy } : requireRecord(policy) });
}

/** Throws `config-invalid` for what no policy may say, and then the file is as it was. */
export async function writePolicyFile(
  path: string,
  policy: unknown,
  others: Omit<PolicySources, "file">,
): Promise<void> {
  const file = { ...(typeof policy === "string" ? { preset: policy } : requireRecord(policy)), ...keptOf(path) };
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
    const text = `${path}: the file cannot be written, and is as it was: ${reason}`;
    throw new PalimpsestError("config-invalid", text, { details: { key: "path", path }, cause: error });
  }
}

/** Where models are asked is for whoever runs the server to say, in the file itself. */
function requireRecord(policy: unknown): Readonly<Record<string, unknown>> {
  if (!isRecord(policy)) throw invalidSetting("policy", policy, "a name or an object");
  if (Object.hasOwn(policy, "server")) throw invalidSetting("server", undefined, "nothing: it is no part of a policy");
  return policy;
}

/** The part of the file that is not the policy's stays. A file that cannot be read is not written over. */
function keptOf(path: string): Readonly<Record<string, unknown>> {
  if (!existsSync(path)) return {};
  const file = readConfigFile(path);
  return isRecord(file) && file.server !== undefined ? { server: file.server } : {};
}
