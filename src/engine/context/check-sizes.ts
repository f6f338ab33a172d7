/** Sizes that contradict each other are refused where they are given. */
import { invalidOption } from "../../core/check-options.ts";
import type { SizeOptions } from "./engine-context.ts";

export function checkSizes({ model, counter, budgetTokens, windowTokens, reserveTokens }: SizeOptions): SizeOptions {
  if (windowTokens !== undefined && reserveTokens !== undefined && reserveTokens > windowTokens) {
    throw invalidOption("reserveTokens", reserveTokens, `at most the windowTokens, ${windowTokens}`);
  }
  return { model, counter, budgetTokens, windowTokens, reserveTokens };
}
