/** Loads the tables of gpt-tokenizer, each once. The only file that names the package. */
import { PalimpsestError } from "../core/errors.ts";

export type EncoderName = "o200k" | "cl100k";

/** Tokens of a short text, in which what looks like a special token is text. */
export type CountWindow = (text: string) => number;

const loads = new Map<EncoderName, Promise<CountWindow>>();

export function loadEncoder(name: EncoderName): Promise<CountWindow> {
  const known = loads.get(name);
  if (known !== undefined) return known;
  const load = importEncoder(name);
  loads.set(name, load);
  return load;
}

async function importEncoder(name: EncoderName): Promise<CountWindow> {
  try {
    return countWith(await importTable(name));
  } catch (cause) {
    loads.delete(name);
    const message = `The table of ${name} could not be loaded; install gpt-tokenizer, or use the counter "estimate".`;
    throw new PalimpsestError("counter-unavailable", message, { cause, details: { name } });
  }
}

/**
 * The package remembers how it cut unusual words, which makes it twice as fast. Its own way of forgetting the oldest of
 * them slows it down tenfold once the memory is full of random text, so all are forgotten from time to time instead.
 *
 * Whoever sends a conversation again with every request has most of its windows counted again, so they are remembered.
 */
function countWith({ countTokens, setMergeCacheSize, clearMergeCache }: EncoderModule): CountWindow {
  setMergeCacheSize(Number.POSITIVE_INFINITY);
  const known = new RecentCounts(CHARACTERS_KNOWN);
  let characters = 0;
  return (text) => {
    const before = known.get(text);
    if (before !== undefined) return before;
    characters += text.length;
    if (characters > CHARACTERS_REMEMBERED) {
      clearMergeCache();
      characters = 0;
    }
    const tokens = countTokens(text, SPECIALS_ARE_TEXT);
    known.set(text, tokens);
    return tokens;
  };
}

/** Counts of the texts that were asked for last. Those that nobody asked for while as many characters came go. */
class RecentCounts {
  readonly #most: number;
  #newer = new Map<string, number>();
  #older = new Map<string, number>();
  #characters = 0;

  constructor(most: number) {
    this.#most = most;
  }

  get(text: string): number | undefined {
    const newer = this.#newer.get(text);
    if (newer !== undefined) return newer;
    const older = this.#older.get(text);
    if (older !== undefined) this.set(text, older);
    return older;
  }

  set(text: string, tokens: number): void {
    this.#characters += text.length;
    if (this.#characters > this.#most) {
      this.#older = this.#newer;
      this.#newer = new Map();
      this.#characters = text.length;
    }
    this.#newer.set(text, tokens);
  }
}

type EncoderModule = Awaited<ReturnType<typeof importTable>>;

/** Keeps the memory to a few megabytes, whatever is counted: growing a larger one alone takes twenty milliseconds. */
const CHARACTERS_REMEMBERED = 250_000;
/** Two conversations of the largest usual size; up to twice as many are held. */
const CHARACTERS_KNOWN = 2_000_000;

function importTable(name: EncoderName) {
  switch (name) {
    case "o200k":
      return import("gpt-tokenizer/encoding/o200k_base");
    case "cl100k":
      return import("gpt-tokenizer/encoding/cl100k_base");
    default:
      return name satisfies never;
  }
}

/** The package throws on `<|endoftext|>` unless no special token is disallowed. */
const SPECIALS_ARE_TEXT = { disallowedSpecial: new Set<string>() };
