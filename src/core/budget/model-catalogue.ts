/** The shape of the generated catalogue: compact rows, because there are hundreds of them. */

/** Tokens of window, input and output; then dollars per million of input, output, cache read and cache write. */
export type CatalogueRow = readonly [
  windowTokens: number,
  maxInputTokens: number,
  maxOutputTokens: number,
  input?: number,
  output?: number,
  cacheRead?: number,
  cacheWrite?: number,
];

export interface ModelCatalogue {
  /** The day the data was read, as `2026-11-15`. */
  readonly generatedOn: string;
  /** The packages it was read from, with their versions. */
  readonly source: string;
  /** By canonical id, sorted. */
  readonly models: Readonly<Record<string, CatalogueRow>>;
}
