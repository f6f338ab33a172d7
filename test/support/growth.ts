/**
 * Measures how the cost of work grows with the size of its input. The whole input and a quarter of it are measured in
 * the same run: a slow or busy machine slows both and leaves their ratio unchanged.
 */
const TRIES = 8;

/** Costs below this are mostly noise, so they count as this. */
const NOISE_MS = 5;

/** Linear work has a growth of 4, quadratic work one of 16. */
export const LINEAR_GROWTH = 8;

/** The longest step of work in bounded steps has a growth of 1, and work in one piece has one of 4. */
export const STEADY_GROWTH = 2.5;

type Cost<Input> = (input: Input) => number | Promise<number>;

interface GrowthOptions {
  /** Measuring ends as soon as the growth is below this. */
  readonly below?: number;
  readonly noiseMs?: number;
}

/** Returns the cost of an input in multiples of the cost of its first quarter: the lowest of a few tries for each. */
export async function growthOf<Input extends string | readonly unknown[]>(
  input: Input,
  cost: Cost<Input>,
  { below = LINEAR_GROWTH, noiseMs = NOISE_MS }: GrowthOptions = {},
): Promise<number> {
  const quarter = input.slice(0, Math.ceil(input.length / 4)) as Input;
  return ratioOf({ cost: () => cost(input), to: () => cost(quarter) }, { below, noiseMs });
}

interface ComparedCosts {
  readonly cost: () => number | Promise<number>;
  readonly to: () => number | Promise<number>;
}

/** Returns the ratio of one cost to another: the lowest of a few tries for each. */
export async function ratioOf(
  { cost, to }: ComparedCosts,
  { below = LINEAR_GROWTH, noiseMs = NOISE_MS }: GrowthOptions = {},
): Promise<number> {
  let [least, minOther, ratio] = [Infinity, Infinity, Infinity];
  for (let time = 0; time < TRIES && ratio >= below; time += 1) {
    minOther = Math.min(minOther, await to());
    least = Math.min(least, await cost());
    ratio = least / Math.max(minOther, noiseMs);
  }
  return ratio;
}

/** Returns the milliseconds of processor time that this thread spends on some work. */
export async function cpuMsOf(work: () => unknown): Promise<number> {
  const before = process.threadCpuUsage();
  await work();
  return millisecondsSince(before);
}

/** Measures processor time from now on, in total and the longest between two turns of the event loop. */
export function watchLoop() {
  const start = process.threadCpuUsage();
  let last = start;
  let longestMs = 0;
  let isWatching = true;
  const tick = () => {
    longestMs = Math.max(longestMs, millisecondsSince(last));
    last = process.threadCpuUsage();
    if (isWatching) setImmediate(tick);
  };
  setImmediate(tick);
  const end = () => {
    isWatching = false;
    tick();
    return { totalMs: millisecondsSince(start), longestMs };
  };
  return { end };
}

export function millisecondsSince(before: NodeJS.CpuUsage): number {
  const { user, system } = process.threadCpuUsage(before);
  return (user + system) / 1_000;
}
