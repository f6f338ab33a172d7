/**
 * Finds the counter of a model and loads its table once. Tables take a tenth of a second and tens of megabytes, so each
 * is loaded on first use, and concurrent calls share one load.
 *
 * An unknown model is counted with o200k, marked as not exact; an unknown counter is an error.
 */
import { normalizeModelId } from "../core/budget/find-model.ts";
import { findFamily } from "../core/budget/model-family.ts";
import { COUNTER_NAMES, type CounterName, type ModelInfo } from "../core/budget/model-info.ts";
import { PalimpsestError } from "../core/errors.ts";
import type { Counter, CounterId } from "../core/tokens/counter.ts";
import { estimate } from "../core/tokens/estimate.ts";
import { charsOverFour, wordEstimate } from "../core/tokens/rough-counters.ts";
import type { Counters } from "../ports/counters.ts";
import { type EncoderName, loadEncoder } from "./load-encoder.ts";

/** Loads a counter by a model's id, a counter's name or id (`o200k`, `o200k@1`), or a catalogue entry. */
export async function loadCounter(target: string | Pick<ModelInfo, "counter" | "exactCounter">): Promise<Counter> {
  if (typeof target !== "string") return loadNamed(target.counter, target.exactCounter);
  const name = findCounterName(target);
  if (name !== undefined) return loadNamed(name, false);
  if (looksLikeCounter(target)) throw createUnavailableError(target);
  const family = findFamily(normalizeModelId(target));
  return loadNamed(family.counter, family.exactCounter);
}

/** Returns the counter with an id that is stored with entries, if this version still has it. */
export async function findCounter(id: CounterId): Promise<Counter | undefined> {
  const name = findCounterName(id);
  return name === undefined || !id.includes("@") ? undefined : loadNamed(name, false);
}

async function loadNamed(name: CounterName, exact: boolean): Promise<Counter> {
  switch (name) {
    case "o200k":
    case "cl100k":
      return loadTable(name, exact);
    case "estimate":
      return estimate;
    case "chars4":
      return charsOverFour;
    case "words13":
      return wordEstimate;
    default:
      throw createUnavailableError(name satisfies never);
  }
}

async function loadTable(name: EncoderName, exact: boolean): Promise<Counter> {
  const countWindow = await loadEncoder(name);
  return { id: `${name}@${VERSION}`, exact, messageOverheadTokens: CHAT_OVERHEAD_TOKENS, countWindow };
}

/** Tokens that chat formats add to a message: a start, a role, a separator and an end. */
const CHAT_OVERHEAD_TOKENS = 4;
const VERSION = 1;

function findCounterName(text: string): CounterName | undefined {
  const bare = text.replace(/_base$/, "").replace(new RegExp(`@${VERSION}$`), "");
  return COUNTER_NAMES.find((name) => name === bare);
}

/** Recognizes a counter's id by its short version after the @, and a table by the size in its name. */
function looksLikeCounter(text: string): boolean {
  return /^[a-z0-9]+@\d{1,3}$|^[a-z]{1,3}\d{2,3}k(?:_base)?$|^(?:chars|words)\d*$/.test(text);
}

function createUnavailableError(name: string): PalimpsestError {
  const text = `There is no counter "${name}". Available: ${COUNTER_NAMES.join(", ")}.`;
  return new PalimpsestError("counter-unavailable", text, { details: { name, available: COUNTER_NAMES } });
}

export function createCounters(): Counters {
  return { load: loadCounter, find: findCounter };
}
