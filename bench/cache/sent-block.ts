/**
 * A rendered request as a provider's cache sees it: blocks in the order of reading, each with its content and size. A
 * provider that finds any common prefix sees pieces of about a hundred tokens; one with explicit marks sees whole
 * blocks.
 */
import { isObject } from "../../src/core/check-value.ts";
import { countText } from "../../src/core/tokens/count-text.ts";
import type { Counter } from "../../src/core/tokens/counter.ts";
import type { RenderedBody } from "../../test/support/render-units.ts";

export interface SentPiece {
  /** A hash of the content. */
  readonly content: number;
  readonly tokens: number;
}

export interface SentBlock extends SentPiece {
  readonly pieces: readonly SentPiece[];
  /** Whether the provider should cache everything up to here. */
  readonly isMarked: boolean;
  /** Whether it is the last block of a user or tool message. */
  readonly endsInput: boolean;
}

const PIECE_CHARACTERS = 400;
const STRUCTURE_TOKENS = 4;

/** Counts every piece once, however often it is sent. */
export class WireReader {
  readonly #counter: Counter;
  readonly #pieces = new Map<string, SentPiece>();
  readonly #blocks = new Map<string, Omit<SentBlock, "isMarked" | "endsInput">>();

  constructor(counter: Counter) {
    this.#counter = counter;
  }

  /** Tools come first, as one text, because no rendering contains them. */
  read(body: RenderedBody, tools?: string | undefined): readonly SentBlock[] {
    const { system = [], systemInstruction } = body;
    const parts = Array.isArray(systemInstruction?.parts) ? systemInstruction.parts : [];
    const items = body.messages ?? body.input ?? body.contents ?? [];
    return [
      ...(tools === undefined ? [] : [this.#block("tools", { tools }, false)]),
      ...[...system, ...parts].map((block) => this.#block("system", block, false)),
      ...items.flatMap((item) => this.#readItem(item)),
    ];
  }

  #readItem(item: unknown): readonly SentBlock[] {
    if (!isObject(item)) return [];
    const { role = "", content, parts, tool_calls: calls, ...others } = item;
    const name = String(role);
    // A plain text equals a list with one text, because a mark turns one into the other.
    const texts = typeof content === "string" && content !== "" ? [{ text: content }] : [];
    const beside = Object.keys(others).length === 0 ? [] : [others];
    const lists = [content, parts, calls].flatMap((list) => (Array.isArray(list) ? list : []));
    const blocks = [...beside, ...texts, ...lists];
    const isInput = name === "user" || name === "tool";
    return blocks.map((block, index) => this.#block(name, block, isInput && index === blocks.length - 1));
  }

  #block(role: string, block: unknown, endsInput: boolean): SentBlock {
    const {
      cache_control: ours,
      prompt_cache_breakpoint: theirs,
      ...rest
    } = isObject(block) ? block : { value: block };
    const mark = ours ?? theirs;
    const words = wordsIn(rest);
    const key = `${role} ${words}`;
    const known = this.#blocks.get(key) ?? this.#split(role, words, this.#blocks.size);
    this.#blocks.set(key, known);
    return { ...known, isMarked: mark !== undefined, endsInput };
  }

  #split(role: string, words: string, content: number): Omit<SentBlock, "isMarked" | "endsInput"> {
    const pieces = piecesOf(words).map((text, index) => this.#piece(text, index === 0 ? role : undefined));
    return { content, pieces, tokens: pieces.reduce((sum, { tokens }) => sum + tokens, 0) };
  }

  #piece(text: string, role: string | undefined): SentPiece {
    const key = `${role ?? ""} ${text}`;
    const known = this.#pieces.get(key);
    if (known !== undefined) return known;
    const tokens = countText(text, this.#counter) + (role === undefined ? 0 : STRUCTURE_TOKENS);
    const piece = { content: this.#pieces.size, tokens };
    this.#pieces.set(key, piece);
    return piece;
  }
}

/** Splits a block into pieces of whole lines. */
function piecesOf(words: string): readonly string[] {
  const pieces: string[] = [];
  let piece = "";
  for (const line of words.split(/(?<=\n)/)) {
    piece += line;
    if (piece.length < PIECE_CHARACTERS) continue;
    pieces.push(piece);
    piece = "";
  }
  return piece === "" && pieces.length > 0 ? pieces : [...pieces, piece];
}

/** Returns the texts and numbers of a value in order, without the names of kinds. */
function wordsIn(value: unknown): string {
  if (Array.isArray(value)) return value.map(wordsIn).join("\n");
  if (!isObject(value)) return String(value ?? "");
  return Object.entries(value)
    .filter(([key]) => key !== "type")
    .map(([, item]) => wordsIn(item))
    .join("\n");
}
