/** Palimpsest: a context engine for conversations with language models. The public door. */
export { type FitOptions, fit, type OpenOptions, openPalimpsest } from "./compose.ts";
export { ERROR_CODES, type ErrorCode, PalimpsestError } from "./core/errors.ts";
export type { Floor } from "./core/plan/proposal.ts";
export { loadCounter } from "./counters/load-counter.ts";
export type { Appended, AppendOptions } from "./engine/append-messages.ts";
export { floorOfError } from "./engine/compact.ts";
export type { Deletion } from "./engine/delete-message.ts";
export type { EngineEvents, EventName, Listener } from "./engine/events.ts";
export type { FitCompaction, FitReport, Fitted } from "./engine/fit.ts";
export type { FitState } from "./engine/fit-state.ts";
export type { Palimpsest } from "./engine/palimpsest.ts";
export type { PinInput, PinOutcome } from "./engine/pin-message.ts";
export type { Prompt, PromptReport } from "./engine/prompt.ts";
export type { ClearOptions, PromptOptions, Session } from "./engine/session.ts";
export type { CompactionStatus, SessionBudget } from "./engine/session-status.ts";
export type { SyncOutcome } from "./engine/sync-messages.ts";
export type { UndoOutcome } from "./engine/undo-entry.ts";
export type { PolicyInput } from "./policies/resolve-policy.ts";
