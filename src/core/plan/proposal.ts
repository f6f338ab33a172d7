/**
 * What a compaction would do, before anybody has done it: changes to the view in the order in which they are to be
 * written, and the tokens on both sides. A proposal is a value; applying it is the engine's.
 */
import type { EpochDraft } from "../log/entry.ts";
import { foldEpochEntry } from "../log/fold-entry.ts";
import type { Head } from "../log/head.ts";

type Unstamped<Draft> = Draft extends unknown ? Omit<Draft, "id" | "at" | "epoch" | "batch"> : never;
/** An epoch-moving entry without what the engine puts on it. */
export type Change = Unstamped<EpochDraft>;

export type StepName = "prune" | "summarise" | "truncate" | "shrink-tail" | "cut" | "unpin";

export interface Proposal {
  readonly type: "proposal";
  readonly changes: readonly Change[];
  readonly steps: readonly StepName[];
  readonly tokensBefore: number;
  readonly tokensAfter: number;
  readonly weight: ChangeWeight;
}

/** What the economic gate asks of a proposal, in tokens of the prompt. */
export interface ChangeWeight {
  readonly removedTokens: number;
  readonly addedTokens: number;
  /** What stays but stands after the first changed byte. */
  readonly keptTokens: number;
}

/** Nothing was worth doing, or nobody could do it. Nothing has changed. */
export interface NothingToDo {
  readonly type: "nothing";
  readonly reason: string;
}

/** What cannot be made smaller, section by section. */
export interface Floor {
  readonly limitTokens: number;
  readonly floorTokens: number;
  readonly parts: readonly { readonly name: string; readonly tokens: number }[];
}

export interface DoesNotFit {
  readonly type: "does-not-fit";
  readonly floor: Floor;
}

/** The head after changes that have no names and places yet. Only for looking ahead; the log gets stamped entries. */
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
