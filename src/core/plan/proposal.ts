/** The outcome of planning a compaction. A proposal is a value; the engine applies it. */
import type { EpochDraft } from "../log/entry.ts";
import { foldEpochEntry } from "../log/fold-entry.ts";
import type { Head } from "../log/head.ts";

type WithoutStamp<Draft> = Draft extends unknown ? Omit<Draft, "id" | "at" | "epoch" | "batch"> : never;
/** An epoch-moving entry without the fields that the engine adds. */
export type Change = WithoutStamp<EpochDraft>;

export type StepName = "prune" | "summarise" | "truncate" | "shrink-tail" | "cut" | "unpin";

export interface Proposal {
  readonly type: "proposal";
  readonly changes: readonly Change[];
  readonly steps: readonly StepName[];
  readonly tokensBefore: number;
  readonly tokensAfter: number;
  readonly weight: ChangeWeight;
}

/** The tokens that the economic gate weighs. */
export interface ChangeWeight {
  /** R: tokens that the proposal removes. */
  readonly removedTokens: number;
  /** s: tokens that it adds, as a summary or placeholders. */
  readonly addedTokens: number;
  /** K: tokens that stay but come after the first changed byte. */
  readonly keptTokens: number;
}

/** No change was worthwhile or possible. */
export interface NothingToDo {
  readonly type: "nothing";
  readonly reason: string;
}

/** The tokens that cannot be reduced, section by section. */
export interface Floor {
  readonly limitTokens: number;
  readonly floorTokens: number;
  readonly parts: readonly { readonly name: string; readonly tokens: number }[];
}

export interface DoesNotFit {
  readonly type: "does-not-fit";
  readonly floor: Floor;
}

/** Returns the head after changes that have no ids and seqs yet. For previews only; the log gets stamped entries. */
export function foldChanges(head: Head, changes: readonly Change[]): Head {
  return changes.reduce((folded, change, index) => {
    const draft = {
      ...change,
      id: change.type === "summary" ? change.record.id : `proposed-${index}`,
      at: 0,
      epoch: folded.epoch + 1,
    } as EpochDraft;
    return foldEpochEntry(folded, draft);
  }, head);
}
