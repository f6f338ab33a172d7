/**
 * Reads recorded coding sessions as a list of requests: the messages before each, its time, and the usage that the
 * provider reported. Lines of one streamed reply are one message, even if results came between them.
 *
 * The history is the whole raw conversation. Summaries of the recording tool are kept separate, and so is thinking,
 * which providers do not accept from earlier turns. Side conversations are left out.
 */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { readFields, readNumber } from "../../src/client/fields.ts";
import { type Fields, isObject } from "../../src/core/check-value.ts";
import { FORMATS } from "../../src/core/message/formats/formats.ts";
import type { Message } from "../../src/core/message/message.ts";
import { type RecordedUsage, sharedDataFolder, timeOf } from "../../test/support/real-logs.ts";

export interface ReplaySession {
  readonly name: string;
  readonly messages: readonly Message[];
  readonly requests: readonly ReplayRequest[];
  readonly compactions: readonly OwnCompaction[];
  /** The cache lifetime that the recording tool requested, and its write price. */
  readonly cache: { readonly ttlMs: number; readonly writeRatio: number };
}

export interface ReplayRequest {
  /** Index of the reply: the messages before it were sent. */
  readonly index: number;
  readonly timeMs: number;
  readonly recorded: Omit<RecordedUsage, "index" | "model">;
}

/** A compaction by the recording tool: from `index` on, it sent the summary instead of everything before. */
export interface OwnCompaction {
  readonly index: number;
  readonly summary: Message | undefined;
}

/** Undefined if the data folder is missing. */
export function readSessions(): readonly ReplaySession[] | undefined {
  const root = sharedDataFolder();
  if (root === undefined) return undefined;
  const folder = join(root, "claude-code");
  return readdirSync(folder)
    .filter((name) => name.endsWith(".jsonl"))
    .toSorted()
    .map((name) => parseSession(readFileSync(join(folder, name), "utf8"), name.slice(0, 8)));
}

interface Item {
  readonly role: string;
  readonly blocks: Fields[];
  readonly timeMs: number | undefined;
  readonly isSummary: boolean;
  usage: Fields | undefined;
}

const SHORT_TTL = { ttlMs: 5 * 60_000, writeRatio: 1.25 };
const LONG_TTL = { ttlMs: 60 * 60_000, writeRatio: 2 };

export function parseSession(text: string, name: string): ReplaySession {
  const items: (Item | "boundary")[] = [];
  const replies = new Map<string, Item>();
  const seen = new Set<unknown>();
  for (const line of readLines(text)) {
    if (line.isSidechain === true || (line.uuid !== undefined && seen.has(line.uuid))) continue;
    seen.add(line.uuid);
    if (line.subtype === "compact_boundary") items.push("boundary");
    else if (line.type === "user" || line.type === "assistant") addItem(line, { items, replies });
  }
  return { name, ...placeItems(items), cache: findCache(replies) };
}

function addItem(
  line: Fields,
  { items, replies }: { readonly items: (Item | "boundary")[]; readonly replies: Map<string, Item> },
): void {
  const { role, content, id, usage, model } = readFields(line.message);
  if (typeof role !== "string" || model === "<synthetic>") return;
  const known = typeof id === "string" && role === "assistant" ? replies.get(id) : undefined;
  const blocks = blocksOf(content).filter((block) => !isThought(block) && !isRepeated(block, known?.blocks ?? []));
  if (known !== undefined) {
    known.blocks.push(...blocks);
    // Lines of one reply repeat its usage while it grows; the last one counts.
    known.usage = usage === undefined ? known.usage : readFields(usage);
    return;
  }
  const item: Item = {
    role,
    blocks: [...blocks],
    timeMs: timeOf(line.timestamp),
    isSummary: line.isCompactSummary === true,
    usage: role === "assistant" && usage !== undefined ? readFields(usage) : undefined,
  };
  items.push(item);
  if (typeof id === "string" && role === "assistant") replies.set(id, item);
}

/** Turns items into messages, and records the indexes of requests and compactions. */
function placeItems(
  items: readonly (Item | "boundary")[],
): Pick<ReplaySession, "messages" | "requests" | "compactions"> {
  const messages: Message[] = [];
  const requests: ReplayRequest[] = [];
  const compactions: OwnCompaction[] = [];
  let lastMs = 0;
  for (const [position, item] of items.entries()) {
    if (item === "boundary") {
      compactions.push({ index: messages.length, summary: undefined });
      continue;
    }
    const decoded = decodeItem(item, `m${position}`);
    if (item.isSummary) {
      if (compactions.at(-1)?.index === messages.length) compactions.pop();
      compactions.push({ index: messages.length, summary: decoded[0] });
      continue;
    }
    const recorded = readUsage(item.usage);
    // The request gets the time of the message before it, because the reply's own time is that of its first block.
    if (recorded !== undefined && messages.length > 0) {
      requests.push({ index: messages.length, timeMs: lastMs || (item.timeMs ?? 0), recorded });
    }
    messages.push(...decoded);
    lastMs = Math.max(lastMs, item.timeMs ?? 0);
  }
  return { messages, requests, compactions };
}

function decodeItem(item: Item, fallbackId: string): readonly Message[] {
  const { role, blocks } = item;
  if (blocks.length === 0) return [];
  return FORMATS.anthropic.decode({ role, content: blocks }, { path: fallbackId, fallbackId });
}

function readUsage(usage: Fields | undefined): ReplayRequest["recorded"] | undefined {
  if (usage === undefined) return undefined;
  const recorded = {
    inputTokens: readNumber(usage.input_tokens),
    cacheReadTokens: readNumber(usage.cache_read_input_tokens),
    cacheWriteTokens: readNumber(usage.cache_creation_input_tokens),
    outputTokens: readNumber(usage.output_tokens),
  };
  return recorded.inputTokens + recorded.cacheReadTokens + recorded.cacheWriteTokens === 0 ? undefined : recorded;
}

function findCache(replies: ReadonlyMap<string, Item>): ReplaySession["cache"] {
  const isLong = [...replies.values()].some(
    ({ usage }) => readNumber(readFields(usage?.cache_creation).ephemeral_1h_input_tokens) > 0,
  );
  return isLong ? LONG_TTL : SHORT_TTL;
}

function* readLines(text: string): Generator<Fields> {
  for (const written of text.split("\n")) {
    try {
      const value: unknown = JSON.parse(written);
      if (isObject(value)) yield value;
    } catch {
      // A log whose process died ends in half a line, which is skipped.
    }
  }
}

function blocksOf(content: unknown): readonly Fields[] {
  if (typeof content === "string") return content === "" ? [] : [{ type: "text", text: content }];
  return Array.isArray(content) ? content.filter(isObject) : [];
}

function isThought(block: Fields): boolean {
  return (
    block.type === "thinking" || block.type === "redacted_thinking" || (block.type === "text" && block.text === "")
  );
}

function isRepeated(block: Fields, before: readonly Fields[]): boolean {
  return block.type === "tool_use" && before.some((other) => other.type === "tool_use" && other.id === block.id);
}
