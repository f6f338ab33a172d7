/** The policy in force, those that have names, and what is wrong with one that somebody writes. */
import { client } from "./client.ts";
import { type Fields, readFields } from "./fields.ts";
import type { Model } from "./values.ts";

export interface Settings {
  readonly policy: Fields;
  readonly sources: readonly string[];
  readonly isWritable: boolean;
  readonly models: readonly Model[];
  readonly version: string;
}

export async function loadSettings(signal?: AbortSignal): Promise<Settings> {
  const { policy, sources, isWritable, models, version } = await client.readSettings({ signal });
  return { policy: readFields(policy), sources: sources.map(saySource), isWritable, models, version };
}

/** What the page itself follows of the policy. */
export interface PageRules {
  readonly blocksAlways: boolean;
}

export async function loadRules(signal?: AbortSignal): Promise<PageRules> {
  const { policy } = await loadSettings(signal);
  return { blocksAlways: policy.blockInput === "always" };
}

export interface Preset {
  readonly name: string;
  readonly policy: Fields;
}

export async function loadPresets(signal?: AbortSignal): Promise<readonly Preset[]> {
  return (await client.listPresets({ signal })).presets;
}

export type Checked =
  | { readonly type: "valid"; readonly policy: Fields }
  | { readonly type: "invalid"; readonly key?: string | undefined; readonly message: string };

export async function checkPolicy(policy: Fields, signal?: AbortSignal): Promise<Checked> {
  return client.checkSettings({ body: { policy }, signal });
}

export async function writePolicy(policy: Fields): Promise<void> {
  await client.writeSettings({ body: { policy } });
}

interface Source {
  readonly type: string;
  readonly path?: string | undefined;
  readonly names?: readonly string[] | undefined;
}

function saySource({ type, path, names = [] }: Source): string {
  if (type === "file") return `the file ${path}`;
  if (type === "environment") return `variables of the server: ${names.join(", ")}`;
  return type === "options" ? "what the server was started with" : "the defaults";
}
