/**
 * A provider on a real socket that compacts conversations itself, as OpenAI's Responses API and Anthropic's Messages API
 * do. It ignores what comes before the newest compaction of a request, and refuses compactions that it did not write.
 * What the model can know is what a compaction holds and what follows it.
 */
import { isJsonObject, type JsonObject, type JsonValue } from "../../src/core/message/json.ts";
import { countTokens, validate } from "../../src/core/public/index.ts";
import { anthropic } from "../../src/testing/anthropic-wire.ts";
import { startWireServer, type WireReply } from "../../src/testing/wire-server.ts";
import { writeWords } from "./strict-provider.ts";

export interface CompactingProvider extends AsyncDisposable {
  readonly url: string;
  readonly faults: readonly string[];
  /** For each request, the facts that its model can know. */
  readonly known: readonly ReadonlySet<string>[];
  /** Tokens of each request after its newest compaction, which is what the model reads. */
  readonly sizes: readonly number[];
  /** For each request, the place of its newest compaction among its items without system text; -1 without one. */
  readonly places: readonly number[];
  /** For each request, whether a summary of ours follows its newest compaction. */
  readonly summarized: readonly boolean[];
  readonly compactions: number;
}

/** The provider compacts when a request has more tokens than this. */
const COMPACT_ABOVE = 1_300;

interface Wire {
  readonly format: "openai-responses" | "anthropic";
  listItems(body: JsonObject): readonly JsonValue[];
  /** Writes the compaction block; `id` identifies what it holds. */
  compact(id: string, facts: readonly string[]): JsonObject;
  /** Returns the id of a compaction that this provider wrote; undefined for other items. */
  findId(item: JsonObject): string | undefined;
  answer(turn: number, streaming: boolean, blocks: readonly JsonObject[]): WireReply;
}

export function findFacts(value: unknown): readonly string[] {
  return [...new Set(JSON.stringify(value).match(/fact-\d+/g) ?? [])];
}

export async function startCompactingProvider(format: Wire["format"]): Promise<CompactingProvider> {
  const wire = format === "anthropic" ? ANTHROPIC : RESPONSES;
  const held = new Map<string, { readonly facts: readonly string[]; readonly text: string }>();
  const record = { faults: [] as string[], known: [] as ReadonlySet<string>[], sizes: [] as number[] };
  const places: number[] = [];
  const summarized: boolean[] = [];
  let turn = 0;
  const server = await startWireServer({
    wires: { anthropic },
    reply: ({ body, streaming }) => {
      turn += 1;
      record.faults.push(...validate(body, format).map(({ path, text }) => `${path}: ${text}`));
      const items = wire.listItems(body);
      const place = items.findLastIndex((item) => findCompaction(item) !== undefined);
      const block = findCompaction(items[place] ?? null);
      const id = block && wire.findId(block);
      const kept = id === undefined ? undefined : held.get(id);
      if (block !== undefined && kept?.text !== JSON.stringify(withoutMark(block))) {
        record.faults.push(`${JSON.stringify(block)} was not written by this provider`);
      }
      const facts = [...(kept?.facts ?? []), ...findFacts(items.slice(Math.max(0, place)))];
      record.known.push(new Set(facts));
      places.push(place);
      summarized.push(JSON.stringify(items.slice(Math.max(0, place))).includes("[Summary of the"));
      const size = countTokens(JSON.stringify(items.slice(Math.max(0, place))));
      record.sizes.push(size);
      const blocks: JsonObject[] = [];
      if (size > COMPACT_ABOVE) {
        const compaction = wire.compact(`cmp_${turn}`, facts);
        held.set(`cmp_${turn}`, { facts, text: JSON.stringify(compaction) });
        blocks.push(compaction);
      }
      return wire.answer(turn, streaming, blocks);
    },
  });
  return {
    url: server.url,
    ...record,
    places,
    summarized,
    get compactions() {
      return held.size;
    },
    [Symbol.asyncDispose]: () => server.close(),
  };
}

function findCompaction(item: JsonValue): JsonObject | undefined {
  if (!isJsonObject(item)) return undefined;
  if (item.type === "compaction") return item;
  const blocks = Array.isArray(item.content) ? item.content : [];
  return blocks.filter(isJsonObject).findLast(({ type }) => type === "compaction");
}

function withoutMark({ cache_control: _, ...block }: JsonObject): JsonObject {
  return block;
}

function list(value: JsonValue | undefined): readonly JsonValue[] {
  return Array.isArray(value) ? value : [];
}

function say(turn: number): string {
  return `Answer ${turn}: ${writeWords(60, turn)}`;
}

function isConversation(item: JsonValue): boolean {
  return !isJsonObject(item) || (item.role !== "system" && item.role !== "developer");
}

const RESPONSES: Wire = {
  format: "openai-responses",
  listItems: ({ input }) => list(input).filter(isConversation),
  compact: (id) => ({ type: "compaction", id, encrypted_content: `gAAAAB-${id}-`.padEnd(300, "x") }),
  findId: ({ encrypted_content: sealed }) => /gAAAAB-(cmp_\d+)-/.exec(String(sealed))?.[1],
  answer(turn, streaming, blocks) {
    const content = [{ type: "output_text", text: say(turn), annotations: [] }];
    const message = { type: "message", id: `msg_${turn}`, role: "assistant", status: "completed", content };
    const output: readonly JsonObject[] = [...blocks, message];
    const usage = {
      ...{ input_tokens: 0, output_tokens: 0, total_tokens: 0 },
      input_tokens_details: { cached_tokens: 0 },
      output_tokens_details: { reasoning_tokens: 0 },
    };
    const response = { id: `resp_${turn}`, object: "response", created_at: 1, model: "gpt-5", usage };
    const whole = { ...response, status: "completed", output };
    if (!streaming) return { type: "raw", status: 200, body: JSON.stringify(whole) };
    const events = [
      { type: "response.created", response: { ...response, status: "in_progress", output: [] } },
      ...output.flatMap((item, index) => [
        { type: "response.output_item.added", output_index: index, item },
        { type: "response.output_item.done", output_index: index, item },
      ]),
      { type: "response.completed", response: whole },
    ];
    const body = events.map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`).join("");
    return { type: "raw", status: 200, body, headers: { "content-type": "text/event-stream" } };
  },
};

const ZERO = { inputTokens: 0, outputTokens: 0, cacheReadTokens: 0, cacheWriteTokens: 0 };

const ANTHROPIC: Wire = {
  format: "anthropic",
  listItems: ({ messages }) => list(messages),
  compact: (id, facts) => ({ type: "compaction", content: `Summary ${id}: ${facts.join(", ")}.` }),
  findId: ({ content }) => /^Summary (cmp_\d+):/.exec(String(content))?.[1],
  answer: (turn, _, blocks) => {
    const text = { type: "text", text: say(turn) };
    return {
      type: "answer",
      answer: { id: `msg_${turn}`, pieces: [], stop: "end", blocks: [...blocks, text], usage: ZERO },
    };
  },
};
