/** What on the strip is pointed at, or reached by key: a stretch of one fate, or a summary. */
import type { Band, Sheet } from "./layout-strip.ts";

export type Spot =
  | { readonly type: "run"; readonly run: Band; readonly seq: number; readonly top: number }
  | { readonly type: "sheet"; readonly sheet: Sheet; readonly top: number };
