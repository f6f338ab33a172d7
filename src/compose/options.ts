/** The options of `openPalimpsest` and `fit`, and the rules that check them. */
import { COUNTER_NAMES, type ModelInfo } from "../core/budget/model-info.ts";
import {
  ANYTHING,
  COUNT,
  checkOptions,
  FLAG,
  invalidOption,
  MILLISECONDS,
  NEW_ID,
  type OptionRule,
  oneOf,
  optionsOf,
  RECORD,
  SIGNAL,
  TEXT,
  TOOLS,
  WHOLE_NUMBER,
  withMethods,
} from "../core/check-options.ts";
import { FORMAT_NAMES, type FormatName } from "../core/message/formats/format.ts";
import type { ToolsInput } from "../core/message/input-types.ts";
import type { SessionLimits, SizeOptions } from "../engine/context/engine-context.ts";
import type { FitState } from "../engine/fit/fit-state.ts";
import type { PolicyInput } from "../policies/policy-input.ts";
import type { Clock } from "../ports/clock.ts";
import type { Embedder } from "../ports/embedder.ts";
import type { Ids } from "../ports/ids.ts";
import type { Jobs } from "../ports/jobs.ts";
import type { Notifications } from "../ports/notifications.ts";
import type { Store } from "../ports/store.ts";
import type { Summarizer } from "../ports/summarizer.ts";
import type { WorkspaceInput } from "../workspace/open-workspace.ts";

/** A model of the AI SDK, described by its shape so that the package's types are not needed. */
export interface SdkLanguageModel {
  readonly specificationVersion: string;
  readonly provider: string;
  readonly modelId: string;
}

/** An embedding model of the AI SDK, described by its shape. */
export interface SdkEmbeddingModel {
  readonly specificationVersion: string;
  readonly provider: string;
  readonly modelId: string;
  readonly maxEmbeddingsPerCall: unknown;
}

/** Who writes summaries: code, models of the AI SDK in order of preference, or a summarizer of your own. */
export type SummarizerInput = "offline" | SdkLanguageModel | readonly SdkLanguageModel[] | Summarizer;

/**
 * Where sessions are stored, which model prompts are for, who writes summaries, and by which policy.
 *
 * @example
 * ```ts
 * await openPalimpsest({ store: "sqlite:./chats.db", model: "gpt-5", policy: { preset: "default" } });
 * ```
 */
export interface OpenOptions extends Omit<SizeOptions, "model"> {
  /** The model that prompts are for: an id, or a model of the AI SDK, which then also writes the summaries. */
  readonly model?: string | SdkLanguageModel | undefined;
  /** Writes the summaries: models of the AI SDK, a summarizer of your own, or `"offline"`. By default `model`. */
  readonly summarizer?: SummarizerInput | undefined;
  /** Finds a model that the policy names and that is not among the summarizers; undefined if it cannot be called. */
  readonly findSummarizer?: ((id: string) => SdkLanguageModel | undefined) | undefined;
  /** Time limit for one complete answer of a model; a minute by default. */
  readonly summarizerTimeoutMs?: number | undefined;
  /**
   * Also ranks recalled passages by their meaning: an embedding model of the AI SDK, or an embedder of your own. It
   * gets the query and the texts of the candidates, without secrets. None by default.
   */
  readonly embedder?: SdkEmbeddingModel | Embedder | undefined;
  /**
   * True to write long summaries by code in a worker thread, so that they do not delay other work of the process. All
   * engines of a process share one thread. Default false; a server uses it if the machine has more than one core.
   */
  readonly summaryThread?: boolean | undefined;
  /** A configuration file, read again when it changes. The environment and the call override it. */
  readonly configFile?: string | undefined;
  /** Variables that may set the policy, such as `process.env`. None are read by default. */
  readonly environment?: Readonly<Record<string, string | undefined>> | undefined;
  /** An address of docs/stores.md, such as `"sqlite:./chats.db"`, or a store. `"memory:"` by default. */
  readonly store?: string | Store | undefined;
  /** The owner of the sessions. Tenants cannot see each other's data. */
  readonly tenant?: string | undefined;
  /** The name of a policy, or an object with changed settings. See docs/policies.md. */
  readonly policy?: PolicyInput | undefined;
  /**
   * Runs background work. `"in-process"` (the default): in this process. `"pg-boss"`: submits jobs to the PostgreSQL
   * database of the store, and workers run them. Or jobs of your own, run by the process that calls `work`.
   */
  readonly jobs?: "in-process" | "pg-boss" | Jobs | undefined;
  /** Notifies processes of each other's appends. Default: PostgreSQL's, if `store` is a PostgreSQL address. */
  readonly notifications?: Notifications | undefined;
  /** A repository to show with every conversation: `{ root: "." }`, or a workspace of your own. */
  readonly workspace?: WorkspaceInput | undefined;
  /** Adds models to the catalogue or changes their entries, by id. */
  readonly models?: Readonly<Record<string, Partial<ModelInfo>>> | undefined;
  /**
   * Limits the sizes of sessions and imports, and how long a call waits for room in memory and folds a long log.
   * Default: ten million entries in a session, five million messages in an import, and no time limit.
   */
  readonly limits?: Partial<SessionLimits> | undefined;
  readonly clock?: Clock | undefined;
  readonly ids?: Ids | undefined;
}

/**
 * How large the result of `fit` may be, which model it is for, and who writes its summary.
 *
 * @example
 * ```ts
 * await fit(history, { model: "gpt-5", budgetTokens: 60_000, summarizer: "offline" });
 * ```
 */
export interface FitOptions extends SizeOptions, Pick<OpenOptions, "policy" | "models" | "clock"> {
  /** Writes the summaries; code does by default. */
  readonly summarizer?: SummarizerInput | undefined;
  /** The system text that you send with the messages. It is only counted. */
  readonly instructions?: string | undefined;
  /** The tool definitions that you send with the messages: a list, or a record by name. They are only counted. */
  readonly tools?: ToolsInput | undefined;
  /** Quotes, after the newest request, messages about it that the result hides. Default false. */
  readonly recall?: boolean | undefined;
  /** The format of the history, if it should not be detected. */
  readonly format?: FormatName | undefined;
  /** The state that the last call returned: only newer messages are read. */
  readonly state?: FitState | undefined;
  /** Stops the call: it rejects with the code `aborted`. */
  readonly signal?: AbortSignal | undefined;
}

const CLOCK = withMethods("now");
const IDS = withMethods("message", "session", "entry", "prompt");
const NOTIFICATIONS = withMethods("notify", "listen", "close");
const OWN_JOBS = withMethods("submit", "work", "settle", "readDeadLetters", "drain", "close");
const JOBS: OptionRule = {
  allowed: `"in-process", "pg-boss", or ${OWN_JOBS.allowed}`,
  holds: (value) => typeof value === "string" || OWN_JOBS.holds(value),
};
const COUNTER = oneOf(...COUNTER_NAMES);
const SIZE_RULES = {
  model: TEXT,
  counter: COUNTER,
  budgetTokens: WHOLE_NUMBER,
  windowTokens: WHOLE_NUMBER,
  reserveTokens: WHOLE_NUMBER,
};
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
const PORT_RULES = { store: ANYTHING, tenant: NEW_ID, clock: CLOCK, ids: IDS };
const BACKGROUND_RULES = { jobs: JOBS, notifications: NOTIFICATIONS };
export const OPEN_RULES = {
  ...SHARED_RULES,
  ...PORT_RULES,
  ...BACKGROUND_RULES,
  model: ANYTHING,
  summarizer: ANYTHING,
  findSummarizer: ANYTHING,
  summarizerTimeoutMs: MILLISECONDS,
  summaryThread: FLAG,
  embedder: ANYTHING,
  configFile: TEXT,
  environment: RECORD,
  workspace: ANYTHING,
  limits: optionsOf({ sessionEntries: COUNT, importMessages: COUNT, catchUpMs: MILLISECONDS }),
};
const { store: _store, tenant: _tenant, notifications: _notifications, ...ENGINE_RULES } = OPEN_RULES;

/** Rules for an engine that a server opens: the server has the store and the tenants. */
export { ENGINE_RULES };
export const FIT_RULES = {
  ...SHARED_RULES,
  instructions: TEXT,
  tools: TOOLS,
  summarizer: ANYTHING,
  recall: FLAG,
  format: oneOf(...FORMAT_NAMES),
  state: ANYTHING,
  signal: SIGNAL,
  clock: CLOCK,
};

export function checkModels(models: OpenOptions["models"] = {}, name: string): void {
  for (const [id, info] of Object.entries(models)) checkOptions(info, MODEL_RULES, `${name}: models.${id}`);
}

/** Throws if the reserve is larger than the window. */
export function checkSizes({ model, counter, budgetTokens, windowTokens, reserveTokens }: SizeOptions): SizeOptions {
  if (windowTokens !== undefined && reserveTokens !== undefined && reserveTokens > windowTokens) {
    throw invalidOption("reserveTokens", reserveTokens, `at most windowTokens (${windowTokens})`);
  }
  return { model, counter, budgetTokens, windowTokens, reserveTokens };
}
