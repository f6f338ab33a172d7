/** The policy in use, the presets, the models, and the validation of a policy. */
import type { Fields } from "../../src/client/fields.ts";
import { client } from "./client.ts";
import type { Model, PolicyCheck, Preset, Settings } from "./values.ts";

export async function loadSettings(signal?: AbortSignal): Promise<Settings> {
  return client.readSettings({ signal });
}

/** The server's default first. */
export async function listModels(signal?: AbortSignal): Promise<readonly Model[]> {
  return (await loadSettings(signal)).models;
}

/** Settings of the policy that the page itself follows. */
export interface PageRules {
  /** Whether the composer is disabled during every compaction. */
  readonly blocksInput: boolean;
}

export async function loadRules(signal?: AbortSignal): Promise<PageRules> {
  return { blocksInput: (await loadSettings(signal)).policy.blockInput === "always" };
}

export async function loadPresets(signal?: AbortSignal): Promise<readonly Preset[]> {
  return (await client.listPresets({ signal })).presets;
}

export async function checkPolicy(policy: Fields, signal?: AbortSignal): Promise<PolicyCheck> {
  return client.checkSettings({ body: { policy }, signal });
}

export async function writePolicy(policy: Fields): Promise<void> {
  await client.writeSettings({ body: { policy } });
}

export function describeSource({ type, path, names = [] }: Settings["sources"][number]): string {
  if (type === "file") return `the file ${path}`;
  if (type === "environment") return `environment variables of the server: ${names.join(", ")}`;
  return type === "options" ? "the options of the server" : "the defaults";
}
