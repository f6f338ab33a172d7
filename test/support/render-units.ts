/**
 * Rendered prompts as lists of texts, one for each block with its role. Two prompts share a prefix if their lists do.
 */
import { type Fields, isObject } from "../../src/core/check-value.ts";
import type { JsonObject } from "../../src/core/message/json.ts";
import type { RenderTarget } from "../../src/core/prompt/render/render-prompt.ts";

/** The parts of a request that we render, whichever provider it is for. */
export interface RenderedBody {
  readonly instructions?: string | { readonly content: string } | undefined;
  readonly system?: readonly JsonObject[] | undefined;
  readonly systemInstruction?: JsonObject | undefined;
  readonly messages?: readonly unknown[] | undefined;
  readonly input?: readonly unknown[] | undefined;
  readonly contents?: readonly unknown[] | undefined;
}

/**
 * Splits a body by its own format. The parameter for the provider only keeps a caller from comparing two kinds of
 * bodies.
 */
export function renderUnits(body: RenderedBody, _provider: RenderTarget): readonly string[] {
  const { instructions, system = [], systemInstruction } = body;
  const text = typeof instructions === "object" ? instructions.content : instructions;
  const paragraphs = text === undefined ? [] : text.split("\n\n");
  const parts = Array.isArray(systemInstruction?.parts) ? systemInstruction.parts : [];
  const items = body.messages ?? body.input ?? body.contents ?? [];
  return [...paragraphs, ...system, ...parts].map((block) => unit("system", block)).concat(items.flatMap(itemUnits));
}

/** Each element of an item's lists is a unit; fields next to them belong to the item as a whole. */
function itemUnits(item: unknown): readonly string[] {
  if (!isObject(item)) return [unit("", item)];
  const { role = "", content: written, parts, tool_calls: calls, output, ...named } = withoutMark(item);
  const content = withoutMarkedBlock(written, "text");
  const others = output === undefined ? named : { ...named, output: withoutMarkedBlock(output, "input_text") };
  const lists = [content, parts, calls].filter((list) => Array.isArray(list));
  const text = typeof content === "string" ? { content } : {};
  const rest = { ...text, ...others };
  const units = lists.flatMap((list) => list.map((block) => unit(role, block)));
  return Object.keys(rest).length === 0 || (units.length > 0 && isLabel(rest)) ? units : [unit(role, rest), ...units];
}

/** Returns true if `type: "message"` is the only field, which adds nothing to the blocks. */
function isLabel(rest: Fields): boolean {
  return Object.keys(rest).length === 1 && rest.type === "message";
}

function unit(role: unknown, block: unknown): string {
  return `${String(role)} ${JSON.stringify(isObject(block) ? withoutMark(block) : block)}`;
}

/** Cache marks are not part of the content that a provider reads. */
function withoutMark({ cache_control: _, prompt_cache_breakpoint: __, ...block }: Fields): Fields {
  if (!isObject(block.providerOptions)) return block;
  const { providerOptions, ...rest } = block;
  const kept = Object.entries(providerOptions).flatMap(([name, fields]) => {
    if (!isObject(fields)) return [[name, fields]];
    const { cacheControl: _mark, promptCacheBreakpoint: _other, ...others } = fields;
    return Object.keys(others).length === 0 ? [] : [[name, others]];
  });
  return kept.length === 0 ? rest : { ...rest, providerOptions: Object.fromEntries(kept) };
}

/** One block that only adds a cache mark equals a plain text. */
function withoutMarkedBlock(value: unknown, type: "text" | "input_text"): unknown {
  if (!Array.isArray(value)) return value;
  const [block, ...others] = value;
  if (isObject(block) && others.length === 0 && block.type === type && isMarked(block)) return block.text;
  return value.map((each) => (isObject(each) ? withoutMark(each) : each));
}

function isMarked({ prompt_cache_breakpoint: mark, providerOptions }: Fields): boolean {
  const options = isObject(providerOptions) ? providerOptions.openai : undefined;
  return mark !== undefined || (isObject(options) && options.promptCacheBreakpoint !== undefined);
}
