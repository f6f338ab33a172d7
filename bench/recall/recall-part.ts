/** One part of `bench recall`: a kind of conversation with its measure. Without its data, a part is undefined. */
import type { BenchResult } from "../bench.ts";

export interface RecallOptions {
  /** The folder with the folder of each data set. */
  readonly dataFolder: string;
  /** A few conversations instead of all. */
  readonly quick: boolean;
}

export type RecallPart = {
  readonly [Key in "rows" | "figures" | "notes"]: NonNullable<BenchResult[Key]>;
};
export type MeasureRecall = (options: RecallOptions) => Promise<RecallPart | undefined>;
