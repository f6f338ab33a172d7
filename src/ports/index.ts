/** The interfaces between the engine and its environment: `palimpsest/ports`, for authors of adapters. */
export type { Fork } from "../core/log/head.ts";
export type { Clock } from "./clock.ts";
export type { Counters } from "./counters.ts";
export type { Embedder } from "./embedder.ts";
export type { Ids } from "./ids.ts";
export type { DeadLetter, Job, Jobs } from "./jobs.ts";
export type { Model, ModelOutcome, ModelRequest } from "./model.ts";
export type { Notification, Notifications } from "./notifications.ts";
export type { Relay } from "./relay.ts";
export type {
  AppendBatch,
  AppendOutcome,
  EntryRange,
  Expectation,
  Lease,
  SearchHit,
  SearchQuery,
  SessionHeader,
  SessionSummary,
  Store,
  StoredSession,
  StoredView,
  TenantStatistics,
  TenantStore,
} from "./store.ts";
export type { Summarizer, SummaryOutcome, SummaryRequest } from "./summarizer.ts";
export type {
  TranscriptEvent,
  TranscriptExporter,
  TranscriptReader,
} from "./transcript.ts";
export type { Workspace, WorkspaceFile } from "./workspace.ts";
