/** A fault that is brought about on purpose, and what was seen when it was: the same for every one of them. */
export interface FaultOptions {
  /** How often; each fault has its own default. */
  readonly rounds: number;
  /** The seed of all random choices. */
  readonly seed: number;
  /** No round begins after so long. */
  readonly longestMs: number;
  /** Called now and then with the progress. */
  readonly onProgress: (text: string) => void;
}

/** One row of the report. */
export interface Tally {
  readonly name: string;
  readonly rounds: number;
  readonly acknowledged: number;
  readonly lost: number;
  readonly duplicated: number;
  /** Every violation, as a message. A lost or duplicated write is one too. */
  readonly violations: readonly string[];
  /** Further measurements. */
  readonly remarks?: string | undefined;
}

export interface Fault {
  readonly title: string;
  /** Rounds of the full size, the default. */
  readonly rounds: number;
  run(options: FaultOptions): Promise<readonly Tally[]>;
}

/** Describes the result in one line, with the reason if it is not a success. */
export function complaintOf({ name, lost, duplicated, violations }: Tally): string | undefined {
  if (lost === 0 && duplicated === 0 && violations.length === 0) return undefined;
  const first = violations.slice(0, 5).join("; ");
  return `${name}: ${lost} lost, ${duplicated} duplicated, ${violations.length} violations. ${first}`;
}

/** The result if a requirement of the fault is missing: nothing was tested, which is not a success. */
export function notShown(name: string, reason: string): Tally {
  return { name, rounds: 0, acknowledged: 0, lost: 0, duplicated: 0, violations: [reason] };
}
