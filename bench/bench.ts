/**
 * What a benchmark is: a file `bench/<name>.ts` that exports `run`. It measures and returns its figures; `bench/run.ts`
 * prints them, so that every benchmark reads the same to people and to scripts. Progress goes to stderr, never to
 * stdout.
 */
export interface BenchRequest {
  /** The reader is a script: the result is printed as one JSON object. */
  readonly json: boolean;
  /** What stood behind the name on the command line, `--json` left out. */
  readonly args: readonly string[];
}

export type BenchValue = string | number | boolean | null;

export interface BenchResult {
  readonly name: string;
  /** One sentence that says what was measured, on what. */
  readonly title: string;
  /**
   * One row a contestant, size or case. A row without a column leaves its cell empty; rows that begin with
   * another column are printed as another table. Units stand in the keys.
   */
  readonly rows: readonly Readonly<Record<string, BenchValue>>[];
  /** The figures that a reader will quote, by name. */
  readonly figures?: Readonly<Record<string, BenchValue>> | undefined;
  /** What one must know to believe the figures: versions, what was left out and why. */
  readonly notes?: readonly string[] | undefined;
  /** For scripts only: anything else worth keeping. Printed with `--json`, left out of the table. */
  readonly details?: unknown;
}

export type Bench = (request: BenchRequest) => Promise<BenchResult>;
