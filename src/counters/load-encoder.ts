/** Loads the encoders of OpenAI's models, each once: its table of tokens and the pattern that cuts a text into pieces. */
import { PalimpsestError } from "../core/errors.ts";
import { type CountWindow, createEncoder } from "./create-encoder.ts";

export type EncoderName = "o200k" | "cl100k";

const UPPER = String.raw`[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]`;
const LOWER = String.raw`[\p{Ll}\p{Lm}\p{Lo}\p{M}]`;
const CONTRACTION = "'(?:[sS]|[tT]|[dD]|[mM]|[lL][lL]|[vV][eE]|[rR][eE])";

/** The published patterns. JavaScript has no flag for one group, so contractions spell both cases out. */
const PATTERNS: Readonly<Record<EncoderName, string>> = {
  o200k: [
    String.raw`[^\r\n\p{L}\p{N}]?${UPPER}*${LOWER}+(?:${CONTRACTION})?`,
    String.raw`[^\r\n\p{L}\p{N}]?${UPPER}+${LOWER}*(?:${CONTRACTION})?`,
    String.raw`\p{N}{1,3}`,
    String.raw` ?[^\s\p{L}\p{N}]+[\r\n/]*`,
    String.raw`\s*[\r\n]+`,
    String.raw`\s+(?!\S)`,
    String.raw`\s+`,
  ].join("|"),
  cl100k: [
    CONTRACTION,
    String.raw`[^\r\n\p{L}\p{N}]?\p{L}+`,
    String.raw`\p{N}{1,3}`,
    String.raw` ?[^\s\p{L}\p{N}]+[\r\n]*`,
    String.raw`\s+$`,
    String.raw`\s*[\r\n]`,
    String.raw`\s+(?!\S)`,
    String.raw`\s`,
  ].join("|"),
};

const loads = new Map<EncoderName, Promise<CountWindow>>();

export function loadEncoder(name: EncoderName): Promise<CountWindow> {
  const load = loads.get(name) ?? importEncoder(name);
  loads.set(name, load);
  return load;
}

async function importEncoder(name: EncoderName): Promise<CountWindow> {
  try {
    const { default: table } = await importTable(name);
    return rememberCounts(createEncoder({ pattern: PATTERNS[name], table }));
  } catch (cause) {
    loads.delete(name);
    const message = `The token table of ${name} could not be loaded. Install palimpsest again, or use the counter "estimate".`;
    throw new PalimpsestError("counter-unavailable", message, { cause, details: { name } });
  }
}

function importTable(name: EncoderName) {
  if (name === "o200k") return import("./o200k.generated.json", { with: { type: "json" } });
  return import("./cl100k.generated.json", { with: { type: "json" } });
}

/** Caches counts: a host that resends a conversation with every request has most of its windows counted again. */
function rememberCounts(countWindow: CountWindow): CountWindow {
  const known = new RecentCounts();
  return (text) => {
    const before = known.get(text);
    if (before !== undefined) return before;
    const tokens = countWindow(text);
    known.set(text, tokens);
    return tokens;
  };
}

/** Two conversations of the largest usual size; up to twice as many characters are kept. */
const RECENT_CHARACTERS = 2_000_000;

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
