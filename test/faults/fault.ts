/** A fault that is brought about on purpose, and what was seen when it was: the same for every one of them. */
export interface FaultOptions {
  /** How often; each fault says what it does without it. */
  readonly rounds: number;
  /** Whatever is left to chance is drawn from it. */
  readonly seed: number;
  /** No round begins after so long. */
  readonly longestMs: number;
  /** Told now and then how far it is. */
  readonly onProgress: (text: string) => void;
}

/** One row of the report. */
export interface Tally {
  readonly name: string;
  readonly rounds: number;
  readonly acknowledged: number;
  readonly lost: number;
  readonly duplicated: number;
  /** In words, everything that may not be. Nothing lost and nothing twice is a violation too. */
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

/** Says what was seen in one line, and why it is no success where it is none. */
export function complaintOf({ name, lost, duplicated, violations }: Tally): string | undefined {
  if (lost === 0 && duplicated === 0 && violations.length === 0) return undefined;
  const first = violations.slice(0, 5).join("; ");
  return `${name}: ${lost} lost, ${duplicated} duplicated, ${violations.length} violations. ${first}`;
}

/** Where something is missing that a fault needs: nothing was seen, which is no success either. */
export function notShown(name: string, reason: string): Tally {
  return { name, rounds: 0, acknowledged: 0, lost: 0, duplicated: 0, violations: [reason] };
}
