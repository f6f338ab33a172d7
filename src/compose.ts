/** Assembles the engine. Only this file and those in `compose/` name concrete adapters. */

import { createComparison, createContext, createWriters } from "./compose/create-context.ts";
import { openParts, openRepository, openStore } from "./compose/open-parts.ts";
import {
  checkModels,
  FIT_RULES,
  type FitOptions,
  OPEN_RULES,
  type OpenOptions,
  type SdkLanguageModel,
} from "./compose/options.ts";
import { checkOptions, invalidOption } from "./core/check-options.ts";
import { hashText } from "./core/message/hash-message.ts";
import { adaptSettingsToModel } from "./core/plan/adapt-settings.ts";
import { rejectOnAbort, throwIfAborted } from "./engine/context/errors.ts";
import { createEmitter, createWarningEmitter } from "./engine/context/events.ts";
import { findLimits, loadCounts } from "./engine/context/prompt-request.ts";
import { limitCallWait, withWaitTimer } from "./engine/context/wait-timer.ts";
import { type FitResult, fitHistory } from "./engine/fit/fit.ts";
import { Palimpsest } from "./engine/palimpsest.ts";
import type { Session } from "./engine/session/session.ts";
import { DEFAULT_RECALL, FIT_POLICY } from "./policies/default-policy.ts";
import { createMemoryStore } from "./stores/memory/memory-store.ts";

export { openSharedParts } from "./compose/open-parts.ts";
export {
  ENGINE_RULES,
  type FitOptions,
  type OpenOptions,
  type SdkEmbeddingModel,
  type SdkLanguageModel,
  type SummarizerInput,
} from "./compose/options.ts";
export { describeFailure } from "./models/describe-failure.ts";
export { openPolicies } from "./policies/policy-file.ts";
export { findStorePath } from "./stores/open-store.ts";

export async function openPalimpsest(options: OpenOptions = {}): Promise<Palimpsest> {
  checkOptions(options, OPEN_RULES, "openPalimpsest");
  checkModels(options.models, "openPalimpsest");
  const model = modelIdOf(options.model);
  const { emitter, onWarning } = createWarningEmitter();
  const store = await openStore(options.store ?? "memory:", onWarning);
  try {
    const context = createContext({ ...options, model }, { store, emitter });
    const writers = { ...(await createWriters(options, context)), ...(await createComparison(options, context)) };
    const workspace = await openRepository(options.workspace);
    const parts = await openParts(options, context.emitter);
    return new Palimpsest({ ...context, ...writers, workspace }, { store, tenantId: options.tenant, ...parts });
  } catch (error) {
    // Closes only a store that was opened here, not one that the caller passed in.
    if (store !== options.store) await store.close();
    throw error;
  }
}

/** Traces the requests and engines of a server with OpenTelemetry. Described without that package's types. */
export interface ServerTelemetry {
  readonly trace: <Result>(
    request: { readonly route: string; readonly method: string },
    work: () => Promise<Result>,
  ) => Promise<Result>;
  readonly instrument: (engine: Palimpsest) => Promise<unknown>;
}

/** Returns undefined if `@opentelemetry/api` is not installed. Without an SDK in the host, nothing is exported. */
export async function loadTelemetry(options: {
  /** Whether an error is a failure of the server rather than of the request. */
  readonly isFailure: (error: unknown) => boolean;
}): Promise<ServerTelemetry | undefined> {
  const [{ createRequestTracing }, { instrument }] = await Promise.all([
    import("./telemetry/trace-requests.ts"),
    import("./telemetry/instrument.ts"),
  ]);
  const trace = await createRequestTracing(options);
  return trace && { trace, instrument };
}

/** Loads the model that a server chats with when no other is configured. */
export async function loadOfflineChat(): Promise<{
  readonly id: string;
  readonly isOffline: boolean;
  readonly forSession: (session: Session) => SdkLanguageModel;
}> {
  const { createOfflineChat } = await import("./models/offline-chat.ts");
  return createOfflineChat();
}

/** Loads the bundled conversation on first use. */
export async function loadSample() {
  const { readSample } = await import("./sample/sample-conversation.ts");
  return readSample();
}

function modelIdOf(model: OpenOptions["model"]): string | undefined {
  if (model === undefined || typeof model === "string") return model;
  if (typeof model === "object" && model !== null && typeof model.modelId === "string") return model.modelId;
  throw invalidOption("model", model, "a model id or a model of the AI SDK");
}

/** Fits a history into the budget. Messages keep their format; those that fit stay unchanged, older ones are folded. */
export async function fit<Item>(history: readonly Item[], options: FitOptions = {}): Promise<FitResult<Item>> {
  checkOptions(options, FIT_RULES, "fit");
  checkModels(options.models, "fit");
  throwIfAborted(options.signal);
  const { instructions, tools } = options;
  const parts = { store: createMemoryStore(), emitter: createEmitter(), standard: FIT_POLICY };
  const shared = createContext(options, parts);
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
