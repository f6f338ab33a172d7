/**
 * Real conversations for tests and benches from `../shared/data` next to the project's root, which may be absent. Items
 * keep their recorded format, faults included, because repairing them is under test. Unreadable lines are counted and
 * never throw.
 */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { TestContext } from "vitest";
import { readFields, readNumber } from "../../src/client/fields.ts";
import { type Fields, isObject } from "../../src/core/check-value.ts";

export interface RealLog {
  readonly name: string;
  readonly items: readonly unknown[];
}

export interface ClaudeCodeLog extends RealLog {
  /** Time of each item in epoch milliseconds; of an item with several lines, the first. */
  readonly at: readonly (number | undefined)[];
  readonly usage: readonly RecordedUsage[];
  readonly compactions: readonly RecordedCompaction[];
  /** User items that the tool wrote. */
  readonly metaIndexes: readonly number[];
  /** Counted over the whole file, if it has several conversations. */
  readonly malformedLines: number;
}

/** Usage that the provider reported for this assistant item. */
export interface RecordedUsage {
  readonly index: number;
  readonly model: string | undefined;
  readonly inputTokens: number;
  readonly cacheReadTokens: number;
  readonly cacheWriteTokens: number;
  readonly outputTokens: number;
}

/** After `index`, the model saw a summary instead of earlier items. */
export interface RecordedCompaction {
  readonly index: number;
  /** The item at `index` is the summary itself. */
  readonly hasSummary: boolean;
  readonly trigger?: string | undefined;
  readonly beforeTokens?: number | undefined;
}

const SHARED_DATA = fileURLToPath(new URL("../../../shared/data", import.meta.url));

export function sharedDataFolder(): string | undefined {
  return existsSync(SHARED_DATA) ? SHARED_DATA : undefined;
}

/** For `beforeEach`: skips tests without the data, with the reason. */
export function skipWithoutData(context: TestContext): void {
  context.skip(sharedDataFolder() === undefined, "the real logs are not next to the project (../shared/data)");
}

/** Yields customer-service conversations, in OpenAI's chat format. */
export function* readTauBench(): Generator<RealLog> {
  for (const file of filesOf("tau-bench", ".json")) {
    const trajectories: unknown = JSON.parse(readFileSync(file.path, "utf8"));
    for (const trajectory of Array.isArray(trajectories) ? trajectories : []) {
      const { task_id: task, trial, traj } = readFields(trajectory);
      if (Array.isArray(traj)) yield { name: `${file.name}/${task}/${trial}`, items: traj };
    }
  }
}

/** Yields coding sessions, in Anthropic's format. Side conversations of a file follow their main one. */
export function* readClaudeCode(folder = "claude-code"): Generator<ClaudeCodeLog> {
  for (const file of filesOf(folder, ".jsonl")) yield* parseClaudeCode(readFileSync(file.path, "utf8"), file.name);
}

export function parseClaudeCode(text: string, name: string): readonly ClaudeCodeLog[] {
  const conversations = new Map<string, Draft>();
  let malformedLines = 0;
  for (const written of text.split("\n")) {
    if (written.trim() === "") continue;
    const line = parseLine(written);
    if (line === undefined) {
      malformedLines += 1;
      continue;
    }
    if (line.type !== "user" && line.type !== "assistant" && line.subtype !== "compact_boundary") continue;
    const title = conversationOf(line, name);
    const draft = conversations.get(title) ?? emptyDraft(title);
    conversations.set(title, draft);
    addLine(draft, line);
  }
  return [...conversations.values()].map(({ lastMessageId: _, ...log }) => ({ ...log, malformedLines }));
}

interface Item {
  readonly role: string;
  readonly content: unknown;
}

interface Draft {
  readonly name: string;
  readonly items: Item[];
  readonly at: (number | undefined)[];
  readonly usage: RecordedUsage[];
  readonly compactions: RecordedCompaction[];
  readonly metaIndexes: number[];
  /** The provider's id of the last assistant item: the next line may continue it. */
  lastMessageId: string | undefined;
}

function emptyDraft(name: string): Draft {
  return { name, items: [], at: [], usage: [], compactions: [], metaIndexes: [], lastMessageId: undefined };
}

/** A sub-agent's messages are a separate conversation. */
function conversationOf(line: Fields, name: string): string {
  if (line.isSidechain !== true) return name;
  return `${name}#${typeof line.agentId === "string" ? line.agentId : "sidechain"}`;
}

function addLine(draft: Draft, line: Fields): void {
  if (line.subtype === "compact_boundary") {
    addBoundary(draft, line);
    return;
  }
  const { role, content, id } = readFields(line.message);
  if (typeof role !== "string" || content === undefined) return;
  const messageId = role === "assistant" && typeof id === "string" ? id : undefined;
  const last = draft.items.at(-1);
  if (last !== undefined && messageId !== undefined && messageId === draft.lastMessageId) {
    draft.items[draft.items.length - 1] = { role, content: [...blocksOf(last.content), ...blocksOf(content)] };
  } else {
    if (line.isCompactSummary === true) noteSummary(draft);
    if (line.isMeta === true) draft.metaIndexes.push(draft.items.length);
    draft.items.push({ role, content });
    draft.at.push(timeOf(line.timestamp));
  }
  draft.lastMessageId = messageId;
  noteUsage(draft, line);
}

function addBoundary(draft: Draft, line: Fields): void {
  const { trigger, preTokens } = readFields(line.compactMetadata);
  draft.compactions.push({
    index: draft.items.length,
    hasSummary: false,
    ...(typeof trigger === "string" ? { trigger } : {}),
    ...(typeof preTokens === "number" ? { beforeTokens: preTokens } : {}),
  });
  draft.lastMessageId = undefined;
}

function noteSummary(draft: Draft): void {
  const index = draft.items.length;
  const boundary = draft.compactions.at(-1)?.index === index ? draft.compactions.pop() : undefined;
  draft.compactions.push({ ...boundary, index, hasSummary: true });
}

/** Lines of one reply repeat its growing usage; the last one counts. */
function noteUsage(draft: Draft, line: Fields): void {
  const { usage, model } = readFields(line.message);
  if (usage === undefined) return;
  const counts = readFields(usage);
  const index = draft.items.length - 1;
  if (draft.usage.at(-1)?.index === index) draft.usage.pop();
  draft.usage.push({
    index,
    model: typeof model === "string" ? model : undefined,
    inputTokens: readNumber(counts.input_tokens),
    cacheReadTokens: readNumber(counts.cache_read_input_tokens),
    cacheWriteTokens: readNumber(counts.cache_creation_input_tokens),
    outputTokens: readNumber(counts.output_tokens),
  });
}

function parseLine(written: string): Fields | undefined {
  try {
    const value: unknown = JSON.parse(written);
    return isObject(value) ? value : undefined;
  } catch {
    // A log whose process died ends in half a line; the caller counts it.
    return undefined;
  }
}

function filesOf(folder: string, ending: string): readonly { readonly path: string; readonly name: string }[] {
  const root = sharedDataFolder();
  if (root === undefined || !existsSync(join(root, folder))) return [];
  return readdirSync(join(root, folder))
    .filter((name) => name.endsWith(ending))
    .toSorted()
    .map((name) => ({ path: join(root, folder, name), name: name.slice(0, -ending.length) }));
}

function blocksOf(content: unknown): readonly unknown[] {
  return Array.isArray(content) ? content : [{ type: "text", text: content }];
}

/** Returns the time in milliseconds, or undefined for a value that is not a date. */
export function timeOf(value: unknown): number | undefined {
  const time = typeof value === "string" ? Date.parse(value) : Number.NaN;
  return Number.isNaN(time) ? undefined : time;
}
