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
    const { countTokens, setMergeCacheSize } = await importTable(name);
    setMergeCacheSize(REMEMBERED_PIECES);
    return (text) => countTokens(text, SPECIALS_ARE_TEXT);
  } catch (cause) {
    loads.delete(name);
    const message = `The table of ${name} could not be loaded; install gpt-tokenizer, or use the counter "estimate".`;
    throw new PalimpsestError("counter-unavailable", message, { cause, details: { name } });
  }
}

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

/** Enough for the words of a long conversation; hostile text fills this memory with pieces of 512 characters. */
const REMEMBERED_PIECES = 20_000;
