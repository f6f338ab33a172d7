/**
 * Palimpsest: a context engine for conversations with language models. The public entry point. Everything behind it is
 * loaded on first use, so that importing the package costs next to nothing.
 */
import type { FitOptions, OpenOptions } from "./compose.ts";
import type { Counter } from "./core/tokens/counter.ts";
import type { FitResult } from "./engine/fit/fit.ts";
import type { Palimpsest } from "./engine/palimpsest.ts";
import type { Transcript } from "./importers/collect-transcript.ts";
import type { TranscriptEvent, TranscriptOptions, TranscriptSource } from "./ports/transcript.ts";

/**
 * Opens the engine on a store. By default everything is kept in memory.
 *
 * @example
 * ```ts
 * const palimpsest = await openPalimpsest({ store: "sqlite:./chats.db" });
 * const session = await palimpsest.session("support-42");
 * await session.append({ role: "user", content: "Where is my parcel?" });
 * const prompt = await session.prompt({ model: "gpt-5" });
 * ```
 */
export async function openPalimpsest(options?: OpenOptions): Promise<Palimpsest> {
  const compose = await import("./compose.ts");
  return compose.openPalimpsest(options);
}

/**
 * Fits a history into a budget: prunes, folds and repairs it. Messages keep their format.
 *
 * @example
 * ```ts
 * const { messages, report } = await fit(history, { model: "gpt-5", instructions: "Be brief." });
 * console.log(report.tokens, report.compactions.length);
 * ```
 */
export async function fit<Item>(history: readonly Item[], options?: FitOptions): Promise<FitResult<Item>> {
  const compose = await import("./compose.ts");
  return compose.fit(history, options);
}

/**
 * Loads the counter of a model, or a counter by name. Each table is loaded once.
 *
 * @example
 * ```ts
 * const counter = await loadCounter("gpt-5");
 * console.log(countTokens("How many tokens?", { counter }), counter.exact);
 * ```
 */
export async function loadCounter(modelOrCounter: string): Promise<Counter> {
  const counters = await import("./counters/load-counter.ts");
  return counters.loadCounter(modelOrCounter);
}

/**
 * Reads a session file of another tool, or messages as JSON, and returns its sessions with times, models and usage. The
 * format is recognized. `palimpsest.importTranscript` stores a file, and `readTranscript` reads one of any length.
 *
 * @example
 * ```ts
 * const transcript = await importTranscript('[{ "role": "user", "content": "Hello" }]');
 * ```
 */
export async function importTranscript(source: TranscriptSource, options?: TranscriptOptions): Promise<Transcript> {
  const { collectTranscript } = await import("./importers/collect-transcript.ts");
  return collectTranscript(source, options);
}

/**
 * Reads a session file as a stream of events, in memory that does not grow with the file.
 *
 * @example
 * ```ts
 * for await (const event of readTranscript('[{ "role": "user", "content": "Hello" }]')) console.log(event.type);
 * ```
 */
export async function* readTranscript(
  source: TranscriptSource,
  options?: TranscriptOptions,
): AsyncGenerator<TranscriptEvent, void, undefined> {
  const importers = await import("./importers/read-transcript.ts");
  yield* importers.readTranscript(source, options);
}

export {
  applyCompaction,
  type CompactionEvent,
  type CompactionResult,
  type DocumentCallback,
  type DocumentEvents,
  type EventDocument,
  onDocumentEvents,
} from "./compat/documents/document-events.ts";
export {
  type DocumentBudget,
  type DocumentStatus,
  toDocumentBudget,
  toDocumentStatus,
} from "./compat/documents/document-names.ts";
export type { FitOptions, OpenOptions, SdkEmbeddingModel, SdkLanguageModel, SummarizerInput } from "./compose.ts";
export { ERROR_CODES, type ErrorCode, PalimpsestError } from "./core/errors.ts";
export type { Usage } from "./core/log/entry.ts";
export type { MessageInput, MessagesInput, ToolsInput } from "./core/message/input-types.ts";
export type { Message, Part } from "./core/message/message.ts";
export type { Explanation, Fate, Plan, PlanRun } from "./core/plan/plan.ts";
export type { Floor } from "./core/plan/proposal.ts";
export type {
  AnthropicMessage,
  GeminiContent,
  OpenAiInputItem,
  OpenAiMessage,
} from "./core/prompt/render/provider-types.ts";
export type { RecordedRound, RecordedTurn, RoundSummary } from "./core/summary/offline/group-recorded-turns.ts";
export type { SummaryRecord } from "./core/summary/record/record.ts";
export type { CloseOptions, WorkOptions } from "./engine/background/background.ts";
export type { CompactionPreview, CompactOutcome, CompactRequest } from "./engine/compaction/manual-compaction.ts";
export type { ExpandedSummary, SummaryVersion } from "./engine/compaction/read-log.ts";
export type { SummarizeOptions, SummarizeResult } from "./engine/compaction/summarize-messages.ts";
export { floorOfError } from "./engine/context/errors.ts";
export type { EngineEvents, EventName, Listener } from "./engine/context/events.ts";
export { collectSummaryFigures, type SummaryFigures } from "./engine/context/summary-figures.ts";
export type { FitReport, FitResult } from "./engine/fit/fit.ts";
export type { FitCompaction } from "./engine/fit/fit-run.ts";
export type { FitState } from "./engine/fit/fit-state.ts";
export type { CreateOptions, Palimpsest } from "./engine/palimpsest.ts";
export type { Prompt, PromptReport } from "./engine/prompt/prompt.ts";
export type {
  RecallOptions,
  RecallResult,
  RecallSessionOptions,
  RecallTarget,
  SessionPassage,
} from "./engine/recall/recall-session.ts";
export {
  createRecallTool as recallTool,
  type RecallTool,
  type RecallToolOptions,
} from "./engine/recall/recall-tool.ts";
export type { Deletion, PinInput, PinOutcome, UndoOutcome } from "./engine/session/change-view.ts";
export type { Strip, StripBucket, StripFate, StripRange } from "./engine/session/make-strip.ts";
export type { Session } from "./engine/session/session.ts";
export type { ClearOptions, PromptOptions, RefusedOptions } from "./engine/session/session-options.ts";
export type { PricedAnswer, PricedModel, SessionUsage, UsageOptions } from "./engine/session/session-usage.ts";
export type { ShownWorkspace } from "./engine/session/show-workspace.ts";
export type { SyncOutcome } from "./engine/session/sync-messages.ts";
export type { DeleteSessionOptions, SessionDeletion, SessionPage } from "./engine/session-list/list-sessions.ts";
export type { RecallAllOptions } from "./engine/session-list/recall-sessions.ts";
export type { AppendOptions, AppendResult, ReportedUsage } from "./engine/state/append-messages.ts";
export type { CacheChange } from "./engine/state/cache-history.ts";
export type { CompactionStatus, SessionBudget } from "./engine/state/session-status.ts";
export type { ExportOptions } from "./engine/transfer/export-session.ts";
export type { ExportTranscriptOptions } from "./engine/transfer/export-transcript.ts";
export type { ImportOptions, ImportResult, LineSource } from "./engine/transfer/import-session.ts";
export type { ImportTranscriptOptions } from "./engine/transfer/store-transcript.ts";
export type { ImportedSession, ImportProblem, TranscriptImport } from "./engine/transfer/transcript-import.ts";
export type { WorkspaceReport } from "./engine/workspace/workspace-content.ts";
export type { CollectedSession, Transcript } from "./importers/collect-transcript.ts";
export { isTooLong } from "./models/recognize-refusal.ts";
export { CONFIG_SCHEMA } from "./policies/config-schema.ts";
export type { PolicyInput } from "./policies/policy-input.ts";
export type { DeadLetter, Job, Jobs } from "./ports/jobs.ts";
export type { Notification, Notifications } from "./ports/notifications.ts";
export type { EntryRange, SearchHit, SearchQuery, SessionSummary, Store } from "./ports/store.ts";
export type {
  TranscriptEvent,
  TranscriptMessage,
  TranscriptOptions,
  TranscriptParent,
  TranscriptSession,
  TranscriptSkip,
  TranscriptSource,
  TranscriptSummary,
  TranscriptTitle,
} from "./ports/transcript.ts";
