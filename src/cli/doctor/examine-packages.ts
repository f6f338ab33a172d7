/** Checks the versions of the optional packages against the manifest. Loads none of them. */
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { describeStoreAddress } from "../../stores/open-store.ts";
import { badFinding, type Finding, goodFinding, warningFinding } from "./finding.ts";

export const PURPOSES: Readonly<Record<string, string>> = {
  ai: "models",
  "@ai-sdk/anthropic": "Anthropic models",
  "@ai-sdk/google": "Google models",
  "@ai-sdk/openai": "OpenAI models",
  "@ai-sdk/openai-compatible": "models on other servers",
  "@langchain/core": "agents of LangChain",
  "@mastra/core": "agents of Mastra",
  "@modelcontextprotocol/server": "palimpsest mcp",
  "@mozilla/readability": "reading the pages of links",
  "@openai/agents": "sessions of the OpenAI Agents SDK",
  "@opentelemetry/api": "telemetry",
  "@vscode/tree-sitter-wasm": "outlines of code",
  "fast-check": "palimpsest/testing",
  langchain: "agents of LangChain",
  linkedom: "reading the pages of links",
  pg: "a store on PostgreSQL",
  "pg-boss": "jobs on PostgreSQL",
};

interface Peer {
  readonly name: string;
  readonly range: string;
  readonly version: string | undefined;
  readonly isNeeded: boolean;
}

/** `from` is the module that would import them. */
export function examinePackages(store: string, from: string = import.meta.url): readonly Finding[] {
  const needed = describeStoreAddress(store).packages;
  const peers = Object.entries(readRanges()).map(([name, range]) => ({
    name,
    range,
    version: findVersion(name, from),
    isNeeded: needed.includes(name),
  }));
  const wrong = peers.flatMap(reportPeer);
  const installed = peers.flatMap(({ name, version }) => (version === undefined ? [] : [`${name} ${version}`]));
  const absent = peers
    .filter(({ version, name, isNeeded }) => version === undefined && name !== "ai" && !isNeeded)
    .map(({ name }) => `${name} (${PURPOSES[name]})`);
  return [
    ...wrong,
    goodFinding("packages", installed.length === 0 ? "No optional package is installed" : installed.join(", ")),
    ...(absent.length === 0 ? [] : [goodFinding("packages", `Not installed and not needed: ${absent.join(", ")}`)]),
  ];
}

function reportPeer({ name, range, version, isNeeded }: Peer): readonly Finding[] {
  const advice = `Run: npm install "${name}@${range}"`;
  const find = isNeeded ? badFinding : warningFinding;
  if (version !== undefined) {
    const text = `${name} is ${version}, but ${range} is needed for ${PURPOSES[name]}`;
    return isInRange(version, range) ? [] : [find("packages", text, advice)];
  }
  if (isNeeded) return [badFinding("packages", `${name} is not installed, but the store needs it`, advice)];
  return name === "ai"
    ? [warningFinding("packages", "ai is not installed: only the offline model answers chats", advice)]
    : [];
}

function readRanges(): Readonly<Record<string, string>> {
  const text = readFileSync(new URL("../../../package.json", import.meta.url), "utf8");
  const { peerDependencies }: { readonly peerDependencies: Readonly<Record<string, string>> } = JSON.parse(text);
  return peerDependencies;
}

/** Searches the folders that Node searches, because a package need not export its manifest. */
function findVersion(name: string, from: string): string | undefined {
  for (const folder of createRequire(from).resolve.paths(name) ?? []) {
    try {
      const { version }: { readonly version?: unknown } = JSON.parse(
        readFileSync(join(folder, name, "package.json"), "utf8"),
      );
      if (typeof version === "string") return version;
    } catch {
      // Not in this folder; try the next.
    }
  }
  return undefined;
}

/** Returns whether a range of our manifest allows the version: `^1.2.3`, or one exact version. */
export function isInRange(version: string, range: string): boolean {
  if (!range.startsWith("^")) return version === range;
  const [found, least] = [readVersion(version), readVersion(range.slice(1))];
  const fixed = least.findIndex((part) => part > 0);
  const keeps = least.slice(0, fixed + 1).every((part, index) => found[index] === part);
  // A pre-release is older than its release.
  return keeps && compareVersions(found, least) >= 0 && !(version.includes("-") && compareVersions(found, least) === 0);
}

function readVersion(version: string): readonly number[] {
  return (version.split(/[-+]/)[0] ?? "").split(".").map(Number);
}

function compareVersions(left: readonly number[], right: readonly number[]): number {
  const index = left.findIndex((part, place) => part !== right[place]);
  return index === -1 ? 0 : (left[index] ?? 0) - (right[index] ?? 0);
}
