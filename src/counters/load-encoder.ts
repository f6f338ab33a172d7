/** Loads the tables of gpt-tokenizer, each once. The only file that imports the package. */
import { PalimpsestError } from "../core/errors.ts";

export type EncoderName = "o200k" | "cl100k";

/** Counts the tokens of a short text; special tokens count as text. */
export type CountWindow = (text: string) => number;

const loads = new Map<EncoderName, Promise<CountWindow>>();

export function loadEncoder(name: EncoderName): Promise<CountWindow> {
  const load = loads.get(name) ?? importEncoder(name);
  loads.set(name, load);
  return load;
}

async function importEncoder(name: EncoderName): Promise<CountWindow> {
  try {
    return countWith(await importTable(name));
  } catch (cause) {
    loads.delete(name);
    const message = `The token table of ${name} could not be loaded. Install gpt-tokenizer, or use the counter "estimate".`;
    throw new PalimpsestError("counter-unavailable", message, { cause, details: { name } });
  }
}

/**
 * The package caches how it split unusual words, which makes it twice as fast. Its eviction makes it ten times slower
 * once the cache is full of random text, so the whole cache is cleared from time to time instead.
 *
 * A host that resends a conversation with every request has most of its windows counted again, so recent counts are kept.
 */
function countWith({ countTokens, setMergeCacheSize, clearMergeCache }: EncoderModule): CountWindow {
  setMergeCacheSize(Number.POSITIVE_INFINITY);
  const known = new RecentCounts();
  let characters = 0;
  return (text) => {
    const before = known.get(text);
    if (before !== undefined) return before;
    characters += text.length;
    if (characters > CACHED_CHARACTERS) {
      clearMergeCache();
      characters = 0;
    }
    const tokens = countTokens(text, SPECIALS_ARE_TEXT);
    known.set(text, tokens);
    return tokens;
  };
}

/** Keeps the counts of recent texts. A text is dropped if `RECENT_CHARACTERS` of other texts were counted since. */
class RecentCounts {
  #newer = new Map<string, number>();
  #older = new Map<string, number>();
  #characters = 0;

  get(text: string): number | undefined {
    const newer = this.#newer.get(text);
    if (newer !== undefined) return newer;
    const older = this.#older.get(text);
    if (older !== undefined) this.set(text, older);
    return older;
  }

  set(text: string, tokens: number): void {
    this.#characters += text.length;
    if (this.#characters > RECENT_CHARACTERS) {
      this.#older = this.#newer;
      this.#newer = new Map();
      this.#characters = text.length;
    }
    this.#newer.set(text, tokens);
  }
}

type EncoderModule = Awaited<ReturnType<typeof importTable>>;

/** Limits the cache to a few megabytes: growing a larger one alone takes twenty milliseconds. */
const CACHED_CHARACTERS = 250_000;
/** Two conversations of the largest usual size; up to twice as many characters are kept. */
const RECENT_CHARACTERS = 2_000_000;

function importTable(name: EncoderName) {
  if (name === "o200k") return import("gpt-tokenizer/encoding/o200k_base");
  return import("gpt-tokenizer/encoding/cl100k_base");
}

/** The package throws on `<|endoftext|>` unless no special token is disallowed. */
const SPECIALS_ARE_TEXT = { disallowedSpecial: new Set<string>() };
