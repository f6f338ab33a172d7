/** What a process that writes is asked to do, and the lines in which it says what a store has acknowledged. */
import { writeSync } from "node:fs";
import type { Place } from "../faults/place.ts";

export interface WriterTask {
  /**
   * `endless`: everything that an engine does, until it is killed. `migrate`: steps of a later schema. `share`: its
   * part beside others. `zombie`: takes a lease and falls asleep on it.
   */
  readonly type: "endless" | "migrate" | "share" | "zombie";
  readonly place: Place;
  /** Makes its ids its own. */
  readonly name: string;
  /** How often, for a share; for endless work it is endless without it. */
  readonly count?: number | undefined;
  /** For endless work: what it does is drawn from it. */
  readonly seed?: number | undefined;
}

/** Words that are said before a work begins make what is found afterwards possible; the others make it certain. */
export type WriterLine =
  | { readonly type: "ready" }
  | {
      readonly type: "appended";
      readonly session: string;
      readonly ids: readonly string[];
      readonly seqs: readonly number[];
    }
  /** Entries that changed the past. */
  | { readonly type: "changed"; readonly session: string; readonly ids: readonly string[] }
  | { readonly type: "erasing" | "erased"; readonly session: string; readonly ids: readonly string[] }
  | { readonly type: "forked"; readonly session: string; readonly parent: string; readonly atSeq: number }
  | { readonly type: "deleting" | "deleted"; readonly session: string }
  | { readonly type: "migrated"; readonly version: number }
  | { readonly type: "leased"; readonly fence: number }
  | { readonly type: "epoch"; readonly epoch: number }
  /** The store did not do it, and said so. */
  | { readonly type: "failed"; readonly code: string }
  | { readonly type: "outcome"; readonly outcome: string };

/** Written before the next work begins, so that nothing is said that was not heard. */
export function tell(line: WriterLine): void {
  writeSync(1, `${JSON.stringify(line)}\n`);
}

/** Stands in every message, so that it can be looked for where nothing may be left of it. */
export const wordsOf = (id: string): string => `Words of ${id}.`;
