/** Assembles the engine. Only this file and those in `compose/` name concrete adapters. */

import { createComparison, createContext, createWriters } from "./compose/create-context.ts";
import { openParts, openRepository, openStore } from "./compose/open-parts.ts";
import { checkModels, OPEN_RULES, type OpenOptions, type SdkLanguageModel } from "./compose/options.ts";
import { checkOptions, invalidOption } from "./core/check-options.ts";
import type { ExportFormatName } from "./core/message/formats/tool-formats.ts";
import type { EngineContext } from "./engine/context/engine-context.ts";
import { createWarningEmitter } from "./engine/context/events.ts";
import { Palimpsest } from "./engine/palimpsest.ts";
import type { Session } from "./engine/session/session.ts";
import { createPolicySource } from "./policies/config-sources.ts";
import type { SummaryThread } from "./ports/summary-thread.ts";
import type { TranscriptEvent, TranscriptOptions, TranscriptSource } from "./ports/transcript.ts";

export { fit } from "./compose/fit.ts";
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
    const { policy: call, configFile: path, environment } = options;
    const onError = ({ message: text }: Error) => emitter.emit("warning", { sessionId: undefined, text });
    const policy = createPolicySource({ path, environment, call, onError });
    const context = createContext({ ...options, model }, { store, emitter, policy });
    const writers = {
      ...(await createWriters(options, context)),
      ...(await createComparison(options, context)),
      ...(await loadSummaryThread(options)),
    };
    const workspace = await openRepository(options.workspace);
    const parts = await openParts(options, context.emitter);
    return new Palimpsest(
      { ...context, ...writers, workspace, readTranscript, writeTranscript },
      { store, tenantId: options.tenant, ...parts },
    );
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

/** Reads session files of other tools. The importers are loaded on first use. */
async function* readTranscript(source: TranscriptSource, options?: TranscriptOptions): AsyncGenerator<TranscriptEvent> {
  const importers = await import("./importers/read-transcript.ts");
  yield* importers.readTranscript(source, options);
}

async function* writeTranscript(
  events: AsyncIterable<TranscriptEvent>,
  format: ExportFormatName,
): AsyncGenerator<string> {
  const importers = await import("./importers/write-transcript.ts");
  yield* importers.writeTranscript(events, format);
}

/** The thread of this process. */
let sharedThread: SummaryThread | undefined;

async function loadSummaryThread({
  summaryThread = false,
}: OpenOptions): Promise<Pick<EngineContext, "summaryThread">> {
  if (!summaryThread) return {};
  const { WorkerSummaries } = await import("./compose/threads/summary-thread.ts");
  sharedThread ??= new WorkerSummaries();
  return { summaryThread: sharedThread };
}

function modelIdOf(model: OpenOptions["model"]): string | undefined {
  if (model === undefined || typeof model === "string") return model;
  if (typeof model === "object" && model !== null && typeof model.modelId === "string") return model.modelId;
  throw invalidOption("model", model, "a model id or a model of the AI SDK");
}
