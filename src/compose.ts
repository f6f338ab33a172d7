/** Puts the engine together. The only file that names concrete adapters. */
import { randomBytes } from "node:crypto";
import { setTimeout } from "node:timers/promises";
import { COUNTER_NAMES, type ModelInfo } from "./core/budget/model-info.ts";
import {
  ANYTHING,
  COUNT,
  checkOptions,
  FLAG,
  invalidOption,
  MILLISECONDS,
  oneOf,
  RECORD,
  SIGNAL,
  TEXT,
  TOKENS,
  TOOLS,
} from "./core/check-options.ts";
import { FORMAT_NAMES, type FormatName } from "./core/message/formats/format.ts";
import { adaptSettingsToModel } from "./core/plan/adapt-settings.ts";
import type { PlanSettings } from "./core/plan/plan-settings.ts";
import { createCatalogue } from "./counters/create-catalogue.ts";
import { createCounters } from "./counters/load-counter.ts";
import type { EngineParts } from "./engine/background/background.ts";
import { checkSizes } from "./engine/context/check-sizes.ts";
import { createIds } from "./engine/context/create-ids.ts";
import type { EngineContext, SizeOptions } from "./engine/context/engine-context.ts";
import { rejectOnAbort, throwIfAborted } from "./engine/context/errors.ts";
import { createEmitter, createWarningEmitter, type Emitter } from "./engine/context/events.ts";
import { CLOCK, IDS, JOBS, NOTIFICATIONS } from "./engine/context/port-rules.ts";
import { findLimits, loadCounts } from "./engine/context/prompt-size.ts";
import { CALL_WAIT, withWaitTimer } from "./engine/context/wait-timer.ts";
import { type FitResult, fitHistory } from "./engine/fit.ts";
import type { FitState } from "./engine/fit-state.ts";
import { Palimpsest } from "./engine/palimpsest.ts";
import type { Session } from "./engine/session/session.ts";
import { createInProcessJobs } from "./jobs/in-process-jobs.ts";
import { recogniseRefusal } from "./models/recognise-refusal.ts";
import { createPolicySource } from "./policies/config-sources.ts";
import { FIT_POLICY } from "./policies/default-policy.ts";
import type { PolicyInput } from "./policies/policy-input.ts";
import type { Clock } from "./ports/clock.ts";
import type { Ids } from "./ports/ids.ts";
import type { Jobs } from "./ports/jobs.ts";
import type { Notifications } from "./ports/notifications.ts";
import type { Relay } from "./ports/relay.ts";
import type { Store } from "./ports/store.ts";
import type { Summarizer } from "./ports/summarizer.ts";
import type { Workspace } from "./ports/workspace.ts";
import type { DocumentSurface } from "./server/server-extension.ts";
import { createMemoryStore } from "./stores/memory/memory-store.ts";
import { openNotifications, openRelay } from "./stores/open-channels.ts";
import { isPostgresAddress, openStoreAt, STORE_ADDRESSES } from "./stores/open-store.ts";
import type { PooledModel } from "./summarizers/model-pool.ts";
import type { WorkspaceInput } from "./workspace/open-workspace.ts";

export { describeFailure } from "./models/describe-failure.ts";
export { openPolicies } from "./policies/policy-file.ts";
export { findStorePath } from "./stores/open-store.ts";

/** A model of the AI SDK, told by its shape so that nobody needs that package's types. */
export interface SdkLanguageModel {
  readonly specificationVersion: string;
  readonly provider: string;
  readonly modelId: string;
}

export type SummarizerInput = "offline" | SdkLanguageModel | readonly SdkLanguageModel[] | Summarizer;

export interface OpenOptions extends Omit<SizeOptions, "model"> {
  /** The model that prompts are for: its id, or a model of the AI SDK, which then also writes the summaries. */
  readonly model?: string | SdkLanguageModel | undefined;
  /**
   * Who writes summaries: models of the AI SDK, a summarizer of your own, or `"offline"` for none of them. Without it
   * the model, where that is one of the AI SDK.
   */
  readonly summarizer?: SummarizerInput | undefined;
  /**
   * Gives a model that the policy prefers by its id and that is not among the summarizers; undefined where there is no
   * way to ask it. Asked for no other models.
   */
  readonly findSummarizer?: ((id: string) => SdkLanguageModel | undefined) | undefined;
  /** How long a model may take for one answer, from the request to the last word; a minute without it. */
  readonly summarizerTimeoutMs?: number | undefined;
  /** A configuration file that is followed while it changes; its settings come before the environment's and the call's. */
  readonly configFile?: string | undefined;
  /** Variables that may set the policy, such as `process.env`. Without it none are looked at. */
  readonly environment?: Readonly<Record<string, string | undefined>> | undefined;
  /**
   * `"memory:"`, `"sqlite:./chats.db"`, `"jsonl:./chats"`, `"postgres://user:password@host/database"`,
   * `"windowed-sql:./chats.db"` with the table of that document, `"workspace:."` with the file of that one, or a store
   * of your own.
   */
  readonly store?: string | Store | undefined;
  /** Whose sessions these are. Nothing of one tenant is seen by another. */
  readonly tenant?: string | undefined;
  readonly policy?: PolicyInput | undefined;
  /**
   * Who does what can wait. `"in-process"` (the default): this process does. `"pg-boss"`: it submits jobs to the
   * PostgreSQL database of the store, and workers run them. Or jobs of your own, run by whoever calls `work`.
   */
  readonly jobs?: "in-process" | "pg-boss" | Jobs | undefined;
  /** How processes hear of each other's appends. Without it by the store, where that is PostgreSQL named by address. */
  readonly notifications?: Notifications | undefined;
  /** A repository that stands beside every conversation: `{ root: "." }`, or a workspace of your own. */
  readonly workspace?: WorkspaceInput | undefined;
  /** What you know better of models, by id. */
  readonly models?: Readonly<Record<string, Partial<ModelInfo>>> | undefined;
  readonly clock?: Clock | undefined;
  readonly ids?: Ids | undefined;
}

const COUNTER = oneOf(...COUNTER_NAMES);
const SIZE_RULES = { model: TEXT, counter: COUNTER, budgetTokens: TOKENS, windowTokens: TOKENS, reserveTokens: TOKENS };
const SHARED_RULES = { ...SIZE_RULES, policy: ANYTHING, models: RECORD };
const MODEL_RULES = {
  id: TEXT,
  provider: TEXT,
  windowTokens: COUNT,
  maxInputTokens: COUNT,
  maxOutputTokens: COUNT,
  counter: COUNTER,
  exactCounter: FLAG,
  startFactor: ANYTHING,
  media: ANYTHING,
  bindsThinking: FLAG,
  prices: RECORD,
  cache: RECORD,
} satisfies Record<keyof ModelInfo, unknown>;
const PORT_RULES = { store: ANYTHING, tenant: TEXT, clock: CLOCK, ids: IDS };
const BEHIND_RULES = { jobs: JOBS, notifications: NOTIFICATIONS };
const OPEN_RULES = {
  ...SHARED_RULES,
  ...PORT_RULES,
  ...BEHIND_RULES,
  model: ANYTHING,
  summarizer: ANYTHING,
  findSummarizer: ANYTHING,
  summarizerTimeoutMs: MILLISECONDS,
  configFile: TEXT,
  environment: RECORD,
  workspace: ANYTHING,
};
const { store: _store, tenant: _tenant, notifications: _notifications, ...OF_SERVER } = OPEN_RULES;
/** Of an engine that a server opens, which has the store and the tenants. */
export const ENGINE_RULES = OF_SERVER;
const FIT_RULES = {
  ...SHARED_RULES,
  instructions: TEXT,
  tools: TOOLS,
  summarizer: ANYTHING,
  format: oneOf(...FORMAT_NAMES),
  state: ANYTHING,
  signal: SIGNAL,
  clock: CLOCK,
};

export async function openPalimpsest(options: OpenOptions = {}): Promise<Palimpsest> {
  checkOptions(options, OPEN_RULES, "openPalimpsest");
  checkModels(options.models, "openPalimpsest");
  const model = modelIdOf(options.model);
  const { emitter, onWarning } = createWarningEmitter();
  const store = await openStore(options.store ?? "memory:", onWarning);
  try {
    const context = createContext({ ...options, model }, { store, emitter });
    const writers = await createWriters(options, context);
    const workspace = await openRepository(options.workspace);
    const parts = await openParts(options, context.emitter);
    return new Palimpsest({ ...context, ...writers, workspace }, { store, tenantId: options.tenant, ...parts });
  } catch (error) {
    // Nobody else knows of a store that was opened here; one that was handed over is its owner's.
    if (store !== options.store) await store.close();
    throw error;
  }
}

function checkModels(models: OpenOptions["models"] = {}, name: string): void {
  for (const [id, info] of Object.entries(models)) checkOptions(info, MODEL_RULES, `${name}: models.${id}`);
}

/** What engines of several tenants share. Each leaves it open when it is closed. */
export interface SharedParts {
  readonly parts: Pick<OpenOptions, "store" | "jobs" | "notifications">;
  /** To other processes on the same store. */
  readonly relay: Relay;
  close(): Promise<void>;
}

export interface SharedOptions {
  /** Whether a database that can keep tenants apart by itself does, besides every query that names its tenant. */
  readonly rowSecurity?: boolean | undefined;
  /** Told of what the store found wrong and went around. */
  readonly onWarning?: ((text: string) => void) | undefined;
}

/** What watches a server where the host has OpenTelemetry: its engines and its requests. Told without that package's types. */
export interface ServerTelemetry {
  readonly trace: <Result>(
    request: { readonly route: string; readonly method: string },
    work: () => Promise<Result>,
  ) => Promise<Result>;
  readonly instrument: (engine: Palimpsest) => Promise<unknown>;
}

/** Undefined where `@opentelemetry/api` is not installed. Nothing leaves the process unless the host has an SDK. */
export async function loadTelemetry(options: {
  /** Whether what was thrown is a failure of the server, and no refusal. */
  readonly isFailure: (error: unknown) => boolean;
}): Promise<ServerTelemetry | undefined> {
  const [{ createRequestTracing }, { instrument }] = await Promise.all([
    import("./telemetry/trace-requests.ts"),
    import("./telemetry/instrument.ts"),
  ]);
  const trace = await createRequestTracing(options);
  return trace && { trace, instrument };
}

/** Jobs in this process are each engine's own; a queue in the database is everybody's. */
export async function openSharedParts(options: OpenOptions & SharedOptions): Promise<SharedParts> {
  const { emitter, onWarning } = createWarningEmitter();
  const { rowSecurity, onWarning: tell = onWarning } = options;
  const store = await openStore(options.store ?? "memory:", tell, { rowSecurity });
  try {
    const { jobs, notifications, runsJobs } = await openParts(options, emitter);
    const relay = await openRelay(addressOf(options.store), { onWarning: tell });
    const closeNothing = async () => undefined;
    return {
      parts: {
        store: { name: store.name, tenant: (id) => store.tenant(id), close: closeNothing },
        jobs: runsJobs ? "in-process" : lendJobs(jobs, closeNothing),
        notifications: notifications && {
          notify: (notification) => notifications.notify(notification),
          listen: (listener) => notifications.listen(listener),
          close: closeNothing,
        },
      },
      relay,
      async close() {
        await jobs.close();
        await relay.close();
        await notifications?.close();
        await store.close();
      },
    };
  } catch (error) {
    await store.close();
    throw error;
  }
}

/** The model that is there when no other is, for chats with a server. */
export async function loadOfflineChat(): Promise<{
  readonly id: string;
  readonly isOffline: boolean;
  readonly forSession: (session: Session) => SdkLanguageModel;
}> {
  const { createOfflineChat } = await import("./models/offline-chat.ts");
  return createOfflineChat();
}

/** Loads what a server offers for the documents of presets. */
export async function loadCompat(): Promise<DocumentSurface> {
  return (await import("./compat/open-compat.ts")).COMPAT;
}

/** The bundled conversation, read when somebody first asks for it. */
export async function loadSample() {
  const sample = await import("./sample/sample-conversation.ts");
  return {
    title: sample.SAMPLE_TITLE,
    instructions: sample.SAMPLE_INSTRUCTIONS,
    windowTokens: sample.SAMPLE_WINDOW_TOKENS,
    reserveTokens: sample.SAMPLE_RESERVE_TOKENS,
    turns: sample.sampleTurns(),
  };
}

function lendJobs(jobs: Jobs, closeNothing: () => Promise<undefined>): Jobs {
  return {
    submit: (job) => jobs.submit(job),
    work: (run) => jobs.work(run),
    settle: (session) => jobs.settle(session),
    readDeadLetters: () => jobs.readDeadLetters(),
    drain: closeNothing,
    close: closeNothing,
  };
}

async function openRepository(workspace: WorkspaceInput | undefined): Promise<Workspace | undefined> {
  if (workspace === undefined) return undefined;
  const { openWorkspace } = await import("./workspace/open-workspace.ts");
  return openWorkspace(workspace);
}

/** Jobs wait for models most of the time, so many may run at once. */
const JOBS_AT_ONCE = 16;

async function openParts(
  { store, jobs = "in-process", notifications }: OpenOptions,
  emitter: Emitter,
): Promise<Pick<EngineParts, "jobs" | "runsJobs" | "notifications">> {
  let told: string | undefined;
  const onError = (error: unknown) => {
    const text = `Behind the sessions something failed: ${error instanceof Error ? error.message : String(error)}`;
    // A server that is away is told of once, not with every try to reach it.
    if (text !== told) emitter.emit("warning", { sessionId: undefined, text });
    told = text;
  };
  const address = addressOf(store);
  const runner = await openJobs(jobs, { address, onError });
  return { ...runner, notifications: notifications ?? (await openNotifications(address, { onError })) };
}

/** Of the database that others may use too. */
function addressOf(store: OpenOptions["store"]): string | undefined {
  return typeof store === "string" && isPostgresAddress(store) ? store : undefined;
}

async function openJobs(
  jobs: NonNullable<OpenOptions["jobs"]>,
  { address, onError }: { readonly address: string | undefined; readonly onError: (error: unknown) => void },
): Promise<Pick<EngineParts, "jobs" | "runsJobs">> {
  if (jobs === "in-process") return { jobs: createInProcessJobs({ concurrency: JOBS_AT_ONCE }), runsJobs: true };
  if (typeof jobs === "object" && typeof jobs?.submit === "function") return { jobs, runsJobs: false };
  if (jobs !== "pg-boss" || address === undefined) {
    throw invalidOption("jobs", jobs, '"in-process", Jobs, or "pg-boss" beside a store "postgres://…"');
  }
  const { openPgBossJobs } = await import("./jobs/pg-boss-jobs.ts");
  return { jobs: await openPgBossJobs(address, { onError }), runsJobs: false };
}

/** Loaded only where somebody is going to be asked. */
async function createWriters(
  {
    model,
    summarizer = typeof model === "object" ? model : "offline",
    findSummarizer,
    summarizerTimeoutMs,
  }: OpenOptions,
  context: EngineContext,
): Promise<Pick<EngineContext, "summarizerFor" | "topicDetector">> {
  if (summarizer === "offline") return {};
  const timeoutMs = summarizerTimeoutMs ?? TIMEOUT_MS;
  if (isSummarizer(summarizer)) {
    const { guardSummarizer } = await import("./summarizers/guard-summarizer.ts");
    const guarded = guardSummarizer(summarizer, timeoutMs);
    return { summarizerFor: () => guarded };
  }
  const pool = (models: readonly unknown[]) => poolModels(models, { ...context, timeoutMs });
  const models = await pool(Array.isArray(summarizer) ? summarizer : [summarizer]);
  const [{ createPolicySummarizers }, { createModelTopicDetector }] = await Promise.all([
    import("./summarizers/summarizers-by-policy.ts"),
    import("./summarizers/topic-detector.ts"),
  ]);
  const { clock, sleep, newNonce } = context;
  const shared = { models, clock, sleep, newNonce };
  return {
    summarizerFor: createPolicySummarizers({ ...shared, findModel: findSummarizer, poolModels: pool }),
    topicDetector: createModelTopicDetector(shared),
  };
}

function isSummarizer(input: unknown): input is Summarizer {
  return typeof input === "object" && input !== null && "summarize" in input && typeof input.summarize === "function";
}

/** From the request to the last word of a summary. A lease is renewed meanwhile. */
const TIMEOUT_MS = 60_000;

async function poolModels(
  models: readonly unknown[],
  {
    catalogue,
    clock,
    defaults,
    timeoutMs,
  }: Pick<EngineContext, "catalogue" | "clock" | "defaults"> & { readonly timeoutMs: number },
): Promise<readonly PooledModel[]> {
  const { createAiSdkModel, isLanguageModel } = await import("./models/ai-sdk-model.ts");
  return Promise.all(
    models.map(async (languageModel) => {
      if (!isLanguageModel(languageModel)) {
        throw invalidOption("summarizer", languageModel, 'models of the AI SDK, a Summarizer or "offline"');
      }
      const model = createAiSdkModel(languageModel, { timeoutMs, clock });
      const { info, warning } = await catalogue.find(model.id);
      // Of a model that the catalogue does not know, the window that prompts are made for is all there is to go by.
      const isOwn = warning !== undefined && model.id === defaults.model && defaults.windowTokens !== undefined;
      return { model, info: isOwn ? { ...info, windowTokens: defaults.windowTokens } : info };
    }),
  );
}

function modelIdOf(model: OpenOptions["model"]): string | undefined {
  if (model === undefined || typeof model === "string") return model;
  if (typeof model === "object" && model !== null && typeof model.modelId === "string") return model.modelId;
  throw invalidOption("model", model, "a model id or a model of the AI SDK");
}

export interface FitOptions extends SizeOptions {
  readonly policy?: PolicyInput | undefined;
  readonly models?: Readonly<Record<string, Partial<ModelInfo>>> | undefined;
  /** Who writes summaries; code does without one. */
  readonly summarizer?: SummarizerInput | undefined;
  /** The system text that you send beside the messages. It is counted, not sent from here. */
  readonly instructions?: string | undefined;
  /** The tool definitions that you send beside the messages: a list, or a record by name. They are counted. */
  readonly tools?: unknown;
  /** The shape of the history, where it should not be told from the items. */
  readonly format?: FormatName | undefined;
  /** What the last call gave back: only messages after it are read. */
  readonly state?: FitState | undefined;
  /** Ends the waiting: the call rejects with the code `aborted`. */
  readonly signal?: AbortSignal | undefined;
  readonly clock?: Clock | undefined;
}

/** The same message shape out as in: what fits is left alone, the rest is folded, valid and inside the budget. */
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
  const work = withWaitTimer(context, CALL_WAIT, (timer) => {
    const settings = adaptSettingsToModel(policy, limits);
    const surroundings = {
      instructionsTokens: instructions === undefined ? 0 : counts.countText(instructions),
      toolsTokens: tools === undefined ? 0 : counts.countTools(tools).tokens,
      workspaceTokens: 0,
    };
    const waiting = { timer, signal };
    return fitHistory(history, { limits, counts, surroundings, settings, context, format, state, waiting });
  });
  return rejectOnAbort(work, signal);
}

interface ContextOptions
  extends Omit<
    OpenOptions,
    "store" | "model" | "summarizer" | "findSummarizer" | "summarizerTimeoutMs" | "jobs" | "notifications" | "workspace"
  > {
  readonly model?: string | undefined;
}

interface ContextParts {
  readonly store: Store;
  readonly emitter: Emitter;
  /** Takes the place of the default policy while nothing says when to compact. */
  readonly standard?: PlanSettings | undefined;
}

function createContext(options: ContextOptions, { store, emitter, standard }: ContextParts): EngineContext {
  const clock = options.clock ?? { now: () => Date.now() };
  const randomHex = (digits: number) =>
    randomBytes(Math.ceil(digits / 2))
      .toString("hex")
      .slice(0, digits);
  const { policy: call, configFile: path, environment } = options;
  const onError = ({ message: text }: Error) => emitter.emit("warning", { sessionId: undefined, text });
  const policy = createPolicySource({ path, environment, call, standard, onError });
  return {
    store: store.tenant(options.tenant ?? "local"),
    counters: createCounters(),
    catalogue: createCatalogue({ overrides: options.models }),
    clock,
    ids: options.ids ?? createIds({ clock, randomHex }),
    emitter,
    settingsFor: (model) => policy.current(model),
    defaults: checkSizes(options),
    recogniseRefusal,
    newNonce: () => randomHex(NONCE_DIGITS),
    sleep: clock.sleep?.bind(clock) ?? pause,
  };
}

const NONCE_DIGITS = 16;

async function pause(milliseconds: number, signal?: AbortSignal): Promise<void> {
  // An abort ends the pause early and is no failure of it.
  await setTimeout(milliseconds, undefined, { signal }).catch(() => undefined);
}

async function openStore(
  store: string | Store,
  onWarning: (text: string) => void,
  { rowSecurity }: Pick<SharedOptions, "rowSecurity"> = {},
): Promise<Store> {
  if (typeof store === "object" && typeof store?.tenant === "function") return store;
  const opened = typeof store === "string" ? await openStoreAt(store, { onWarning, rowSecurity }) : undefined;
  if (opened === undefined) throw invalidOption("store", store, `${STORE_ADDRESSES}, or a Store`);
  return opened;
}
