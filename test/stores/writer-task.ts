/** The task of a writer process, and its lines of acknowledgements. */
import { writeSync } from "node:fs";
import type { Place } from "../faults/place.ts";

export interface WriterTask {
  /**
   * `endless`: all operations of an engine, until killed. `migrate`: the migrations of a later schema. `share`: one
   * process's share of the work. `zombie`: gets a lease and sleeps until it has expired.
   */
  readonly type: "endless" | "migrate" | "share" | "zombie";
  readonly place: Place;
  /** Prefix that makes its ids unique. */
  readonly name: string;
  /** Number of writes. Without it, endless work runs until killed. */
  readonly count?: number | undefined;
  /** Seed of endless work. */
  readonly seed?: number | undefined;
}

/** A line printed before an operation allows its effects; a line printed after it requires them. */
export type WriterLine =
  | { readonly type: "ready" }
  | {
      readonly type: "appended";
      readonly session: string;
      readonly ids: readonly string[];
      readonly seqs: readonly number[];
    }
  /** Entries that changed the past were written. */
  | { readonly type: "changed"; readonly session: string; readonly ids: readonly string[] }
  | { readonly type: "erasing" | "erased"; readonly session: string; readonly ids: readonly string[] }
  | { readonly type: "forked"; readonly session: string; readonly parent: string; readonly atSeq: number }
  | { readonly type: "deleting" | "deleted"; readonly session: string }
  | { readonly type: "migrated"; readonly version: number }
  | { readonly type: "leased"; readonly fence: number }
  | { readonly type: "epoch"; readonly epoch: number }
  /** The store refused an operation. */
  | { readonly type: "failed"; readonly code: string; readonly message: string }
  | { readonly type: "outcome"; readonly outcome: string };

/** Prints a line synchronously, before the next operation starts. */
export function printLine(line: WriterLine): void {
  writeSync(1, `${JSON.stringify(line)}\n`);
}

/** Returns words that the text of this message contains, so that erased text can be searched for. */
export const wordsOf = (id: string): string => `Words of ${id}.`;
