/** What a change of a view writes, and how it is decided. */
import type { EntryId, MessageDraft } from "../../core/log/entry.ts";
import type { Head } from "../../core/log/head.ts";
import type { Change } from "../../core/plan/proposal.ts";

export interface Commit {
  readonly changes: readonly Change[];
  readonly erase?: readonly EntryId[] | undefined;
  readonly tombstone?: readonly EntryId[] | undefined;
  readonly messages?: readonly MessageDraft[] | undefined;
  readonly fence?: number | undefined;
}

export interface ChangeDecision<Refusal> extends Commit {
  readonly refusal?: Refusal | undefined;
}

export interface ChangeOutcome<Refusal> {
  readonly entryIds: readonly EntryId[];
  readonly refusal?: Refusal | undefined;
}

export type WithHead = { readonly head: Head };

export type Decide<Source, Refusal> = (source: Source) => ChangeDecision<Refusal> | Promise<ChangeDecision<Refusal>>;
