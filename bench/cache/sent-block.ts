/**
 * A rendered request as a provider's cache sees it: blocks in the order in which they are read, each with what it holds
 * and its size. A provider that looks for any common prefix sees the pieces of a block, of about a hundred tokens; one
 * that is told what to remember sees whole blocks.
 */
import { isObject } from "../../src/core/check-value.ts";
import { countText } from "../../src/core/tokens/count-text.ts";
import type { Counter } from "../../src/core/tokens/counter.ts";
import type { RenderedBody } from "../../test/support/render-units.ts";

export interface SentPiece {
  /** Equal for equal content. */
  readonly content: number;
  readonly tokens: number;
}

export interface SentBlock extends SentPiece {
  readonly pieces: readonly SentPiece[];
  /** The request asks the provider to remember everything up to here. */
  readonly isMarked: boolean;
  /** The last block of a message of the user or of a tool. */
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

  /** Tools stand first and are given as one text, because no rendering holds them. */
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
    // A text alone says the same as a list with one text, which is what a mark makes of it.
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

/** Lines, as many as make a piece, from the beginning of the block on. */
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

/** The texts and numbers of a value in their order; what only names its kind is left out. */
function wordsIn(value: unknown): string {
  if (Array.isArray(value)) return value.map(wordsIn).join("\n");
  if (!isObject(value)) return String(value ?? "");
  return Object.entries(value)
    .filter(([key]) => key !== "type")
    .map(([, item]) => wordsIn(item))
    .join("\n");
}
