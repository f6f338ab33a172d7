/**
 * Long work of many sessions, a few at a time in the order in which it was asked for. Two hundred folds that share the
 * processor are all done at the end, and hold all of what they need until then; one after the other the first is done
 * at once, and the last no later.
 */
import { runInSteps } from "./breathe.ts";

/** More than one: a very long piece must not keep everybody else waiting. */
const MOST_AT_ONCE = 2;

const waiting: (() => void)[] = [];
let running = 0;

export async function runQueued<Result>(work: Generator<undefined, Result>): Promise<Result> {
  if (running < MOST_AT_ONCE) running += 1;
  else await new Promise<void>((resolve) => waiting.push(resolve));
  try {
    return await runInSteps(work);
  } finally {
    const next = waiting.shift();
    if (next === undefined) running -= 1;
    else next();
  }
}
