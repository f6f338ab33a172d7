/**
 * A rendered prompt as a flat list of texts, one for each block with its role, system text first. Two prompts share a
 * prefix when one list begins with the other; how a provider groups blocks into messages plays no part in it.
 */
import { isObject, type SourceObject } from "../../message/formats/decode-value.ts";
import type { JsonObject } from "../../message/json.ts";

import { CACHE_MARK } from "./mark-breakpoints.ts";
import type { RenderTarget } from "./render-prompt.ts";

/** The parts of a request that we render, whichever provider it is for. */
export interface RenderedBody {
  readonly instructions?: string | { readonly content: string } | undefined;
  readonly system?: readonly JsonObject[] | undefined;
  readonly systemInstruction?: JsonObject | undefined;
  readonly messages?: readonly unknown[] | undefined;
  readonly input?: readonly unknown[] | undefined;
  readonly contents?: readonly unknown[] | undefined;
}

/** The shape of the body says how to read it; the provider is asked for so that no two kinds are compared. */
export function renderUnits(body: RenderedBody, _provider: RenderTarget): readonly string[] {
  const { instructions, system = [], systemInstruction } = body;
  const text = typeof instructions === "object" ? instructions.content : instructions;
  const paragraphs = text === undefined ? [] : text.split("\n\n");
  const parts = Array.isArray(systemInstruction?.parts) ? systemInstruction.parts : [];
  const items = body.messages ?? body.input ?? body.contents ?? [];
  return [...paragraphs, ...system, ...parts].map((block) => unit("system", block)).concat(items.flatMap(itemUnits));
}

/** The lists of an item give a unit for each element; what stands beside them belongs to the item as a whole. */
function itemUnits(item: unknown): readonly string[] {
  if (!isObject(item)) return [unit("", item)];
  const { role = "", content, parts, tool_calls: calls, ...others } = withoutMark(item);
  const lists = [content, parts, calls].filter((list) => Array.isArray(list));
  const text = typeof content === "string" ? { content } : {};
  const rest = { ...text, ...others };
  const units = lists.flatMap((list) => list.map((block) => unit(role, block)));
  return Object.keys(rest).length === 0 || (units.length > 0 && isLabel(rest)) ? units : [unit(role, rest), ...units];
}

/** The words `type: "message"` say nothing that the blocks do not. */
function isLabel(rest: SourceObject): boolean {
  return Object.keys(rest).length === 1 && rest.type === "message";
}

function unit(role: unknown, block: unknown): string {
  return `${String(role)} ${JSON.stringify(isObject(block) ? withoutMark(block) : block)}`;
}

/** Marks say what a provider should remember; they are no part of what it reads. */
function withoutMark({ cache_control: _, ...block }: SourceObject): SourceObject {
  const { providerOptions, ...rest } = block;
  return JSON.stringify(providerOptions) === MARKED_OPTIONS ? rest : block;
}

const MARKED_OPTIONS = JSON.stringify({ anthropic: { cacheControl: CACHE_MARK } });
