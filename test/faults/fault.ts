/** Options and results of a fault test, the same for every fault. */
export interface FaultOptions {
  /** Number of rounds; each fault has its own default. */
  readonly rounds: number;
  /** The seed of all random choices. */
  readonly seed: number;
  /** No round starts after this time. */
  readonly longestMs: number;
  /** How long a client may need to continue after PostgreSQL is back. */
  readonly reconnectMs: number;
  /** Called with the progress from time to time. */
  readonly onProgress: (text: string) => void;
}

/** The limit of docs/faults.md, which `npm run faults` uses. `npm test` has a longer one, for a busy machine. */
export const RECONNECT_MS = 5_000;

/** One row of the report. */
export interface FaultResult {
  readonly name: string;
  readonly rounds: number;
  readonly acknowledged: number;
  readonly lost: number;
  readonly duplicated: number;
  /** Every violation, as a message, including lost and duplicated writes. */
  readonly violations: readonly string[];
  /** Further measurements. */
  readonly remarks?: string | undefined;
}

export interface Fault {
  readonly title: string;
  /** Default number of rounds in a full run. */
  readonly rounds: number;
  run(options: FaultOptions): Promise<readonly FaultResult[]>;
}

/** Describes a failed result in one line; undefined for a success. */
export function describeFailedTally({ name, lost, duplicated, violations }: FaultResult): string | undefined {
  if (lost === 0 && duplicated === 0 && violations.length === 0) return undefined;
  const first = violations.slice(0, 5).join("; ");
  return `${name}: ${lost} lost, ${duplicated} duplicated, ${violations.length} violations. ${first}`;
}

/** Returns the result of a fault that could not be tested here, which counts as a violation. */
export function untestedResult(name: string, reason: string): FaultResult {
  return { name, rounds: 0, acknowledged: 0, lost: 0, duplicated: 0, violations: [reason] };
}
