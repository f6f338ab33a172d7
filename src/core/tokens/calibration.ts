/**
 * Learns from reported usage how many tokens a provider counts for each of ours. The factor changes only if the learned
 * value differs by at least two percent, so that prompts do not change with every reply. Implausible usage (none, or
 * more than four times too much or too little) is ignored.
 */

export interface Calibration {
  readonly factor: number;
  /** The running mean of reported ratios. The factor follows it in steps. */
  readonly learned: number;
  readonly samples: number;
}

export interface UsageReport {
  readonly countedTokens: number;
  /** All input tokens of the request, read from a cache or not; undefined if the provider did not report them. */
  readonly reportedTokens: number | undefined;
}

export const LOWEST_FACTOR = 0.5;
export const HIGHEST_FACTOR = 2;
const RATE = 0.2;
const MIN_CHANGE = 0.02;
/** A report that is off by more than this ratio is ignored. */
const IMPLAUSIBLE_RATIO = 4;
/** Smaller prompts are ignored, because the provider's overhead outweighs their text. */
const MIN_SAMPLE_TOKENS = 100;

export function startCalibration(factor: number): Calibration {
  const start = clamp(factor);
  return { factor: start, learned: start, samples: 0 };
}

export function learnCalibration(calibration: Calibration, report: UsageReport): Calibration {
  const ratio = readRatio(report);
  if (ratio === undefined) return calibration;
  const learned = clamp(calibration.learned + RATE * (ratio - calibration.learned));
  const moves = Math.abs(learned / calibration.factor - 1) >= MIN_CHANGE;
  return { factor: moves ? learned : calibration.factor, learned, samples: calibration.samples + 1 };
}

export function applyCalibration(calibration: Calibration, tokens: number): number {
  return Math.ceil(tokens * calibration.factor);
}

function readRatio({ countedTokens, reportedTokens }: UsageReport): number | undefined {
  if (reportedTokens === undefined || !(countedTokens >= MIN_SAMPLE_TOKENS)) return undefined;
  const ratio = reportedTokens / countedTokens;
  return ratio >= 1 / IMPLAUSIBLE_RATIO && ratio <= IMPLAUSIBLE_RATIO ? ratio : undefined;
}

function clamp(factor: number): number {
  return Number.isFinite(factor) ? Math.min(HIGHEST_FACTOR, Math.max(LOWEST_FACTOR, factor)) : 1;
}
