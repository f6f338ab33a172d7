/** Finds parts that a placeholder can replace, by the policy's rule set. The log keeps the original. */
import type { Prune } from "../log/prune.ts";
import type { ViewMessage } from "../log/view.ts";
import { runSteps } from "../tokens/count-text.ts";
import { type FindPrunesOptions, findDefaultPrunes } from "./prune-rules/default-rules.ts";
import { findRollingChatPrunes } from "./prune-rules/rolling-chat-rules.ts";

export type { FindPrunesOptions } from "./prune-rules/default-rules.ts";

/** Returns prunes in the order in which to apply them. Parts that are already replaced are skipped. */
export function findPrunes(messages: readonly ViewMessage[], options: FindPrunesOptions): readonly Prune[] {
  return runSteps(findPrunesInSteps(messages, options));
}

/** Does the same as `findPrunes`, and yields between steps. */
export function* findPrunesInSteps(
  messages: readonly ViewMessage[],
  options: FindPrunesOptions,
): Generator<undefined, readonly Prune[]> {
  const { rules = "default" } = options.settings;
  switch (rules) {
    case "default":
      return yield* findDefaultPrunes(messages, options);
    case "rolling-chat":
      return findRollingChatPrunes(messages);
    default:
      return rules satisfies never;
  }
}
