/**
 * Which parts of a view can be replaced by something smaller, by the rule set that the policy names. The log keeps what
 * is replaced, and every placeholder says where.
 */
import type { Prune } from "../log/prune.ts";
import type { ViewMessage } from "../log/view.ts";
import { finish } from "../tokens/count-text.ts";
import { type FindPrunesOptions, findDefaultPrunes } from "./prune-rules/default-rules.ts";
import { findRollingChatPrunes } from "./prune-rules/rolling-chat-rules.ts";

export type { FindPrunesOptions } from "./prune-rules/default-rules.ts";

/** In the order in which they should be made. A part that is replaced already is never named again. */
export function findPrunes(messages: readonly ViewMessage[], options: FindPrunesOptions): readonly Prune[] {
  return finish(findPrunesInSteps(messages, options));
}

/** The same, resting between pieces of work. */
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
