/** `palimpsest/fit`: one function, without sessions and stores, that also runs in browsers and workers. */
import { checkOptions } from "../core/check-options.ts";
import { hashText } from "../core/message/hash-message.ts";
import { adaptSettingsToModel } from "../core/plan/adapt-settings.ts";
import { rejectOnAbort, throwIfAborted } from "../engine/context/errors.ts";
import { createEmitter } from "../engine/context/events.ts";
import { findLimits, loadCounts } from "../engine/context/prompt-request.ts";
import { limitCallWait, withWaitTimer } from "../engine/context/wait-timer.ts";
import { type FitResult, fitHistory } from "../engine/fit/fit.ts";
import { DEFAULT_RECALL, FIT_POLICY } from "../policies/default-policy.ts";
import { createFixedPolicy } from "../policies/policy-source.ts";
import { createMemoryStore } from "../stores/memory/memory-store.ts";
import { createContext, createWriters } from "./create-context.ts";
import { checkModels, FIT_RULES, type FitOptions } from "./options.ts";

export type { FitResult } from "../engine/fit/fit.ts";
export type { FitOptions } from "./options.ts";

/**
 * Fits a history into the budget. Messages keep their format; those that fit stay unchanged, older ones are folded.
 *
 * @example
 * ```ts
 * const { messages, report } = await fit(history, { budgetTokens: 60_000 });
 * ```
 */
export async function fit<Item>(history: readonly Item[], options: FitOptions = {}): Promise<FitResult<Item>> {
  checkOptions(options, FIT_RULES, "fit");
  checkModels(options.models, "fit");
  throwIfAborted(options.signal);
  const { instructions, tools } = options;
  const fixed = createFixedPolicy({ call: options.policy, standard: FIT_POLICY });
  const shared = createContext(options, { store: createMemoryStore(), emitter: createEmitter(), policy: fixed });
  const context = { ...shared, ...(await createWriters({ summarizer: options.summarizer ?? "offline" }, shared)) };
  const policy = context.settingsFor(options.model);
  const { reserve } = policy;
  const [limits, counts] = await Promise.all([findLimits(context, { reserve }), loadCounts(context, {})]);
  const { format, state, signal } = options;
  const work = withWaitTimer(context, limitCallWait(policy), (timer) => {
    const recall = { ...(policy.recall ?? DEFAULT_RECALL), enabled: options.recall === true };
    const settings = { ...adaptSettingsToModel(policy, limits), recall };
    const countedTools = counts.countTools(tools ?? []);
    const surroundings = {
      instructionsTokens: instructions === undefined ? 0 : counts.countText(instructions),
      toolsTokens: tools === undefined ? 0 : countedTools.tokens,
      workspaceTokens: 0,
    };
    const surroundingsHashes = { instructions: hashText(instructions ?? ""), tools: countedTools.hash };
    const waiting = { timer, signal };
    return fitHistory(history, {
      limits,
      counts,
      surroundings,
      surroundingsHashes,
      settings,
      context,
      format,
      state,
      waiting,
    });
  });
  return rejectOnAbort(work, signal);
}
