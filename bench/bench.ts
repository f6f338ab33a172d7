/**
 * A benchmark is a file `bench/<name>.ts` that exports `run`. It measures and returns its figures; `bench/run.ts`
 * prints them, so that all benchmarks have the same output. Progress goes to stderr, never to stdout.
 */
export interface BenchRequest {
  /** True if the result is printed as one JSON object, for scripts. */
  readonly json: boolean;
  /** The arguments after the name, without `--json`. */
  readonly args: readonly string[];
}

export type BenchValue = string | number | boolean | null;

export interface BenchResult {
  readonly name: string;
  /** One sentence about what was measured, and on what. */
  readonly title: string;
  /**
   * One row for each contestant, size or case. A missing column leaves its cell empty; rows that begin with another
   * column are printed as another table. Units are in the keys.
   */
  readonly rows: readonly Readonly<Record<string, BenchValue>>[];
  /** The main figures, by name. */
  readonly figures?: Readonly<Record<string, BenchValue>> | undefined;
  /** Facts that a reader needs to judge the figures: versions, what was left out, and why. */
  readonly notes?: readonly string[] | undefined;
  /** Other data, printed only with `--json`. */
  readonly details?: unknown;
}

export type Bench = (request: BenchRequest) => Promise<BenchResult>;
