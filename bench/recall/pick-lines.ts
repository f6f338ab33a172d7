/**
 * Baselines without any analysis: the newest lines, random ones, the shortest ones. Each picks as many whole lines as
 * fit the size, and keeps their order.
 */
import { countTokens } from "../../src/core/tokens/count-tokens.ts";
import { seededRandom } from "../../src/testing/seeded-random.ts";

export type LineChoice = "tail" | "random" | "shortest-first";
export const CHOICES: readonly LineChoice[] = ["tail", "random", "shortest-first"];

export interface PickOptions {
  readonly sizeTokens: number;
  readonly seed?: number | undefined;
}

/** Returns the indices of the chosen lines, in order. */
export function pickLines(
  lines: readonly string[],
  choice: LineChoice,
  { sizeTokens, seed = 1 }: PickOptions,
): readonly number[] {
  const tokens = lines.map((line) => countTokens(`${line}\n`));
  const picked: number[] = [];
  let room = sizeTokens;
  for (const place of orderOf(lines, tokens, { choice, seed })) {
    const cost = tokens[place] ?? 0;
    if (cost > room && choice === "tail") break;
    if (cost > room) continue;
    room -= cost;
    picked.push(place);
  }
  return picked.sort((left, right) => left - right);
}

function orderOf(
  lines: readonly string[],
  tokens: readonly number[],
  { choice, seed }: { readonly choice: LineChoice; readonly seed: number },
): readonly number[] {
  const places = lines.map((_, place) => place);
  switch (choice) {
    case "tail":
      return places.reverse();
    case "shortest-first":
      return places.sort((left, right) => (tokens[left] ?? 0) - (tokens[right] ?? 0) || left - right);
    case "random":
      return seededRandom(seed).shuffle(places);
    default:
      return choice satisfies never;
  }
}
