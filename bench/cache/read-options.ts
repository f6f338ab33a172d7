/** Reads the command line of `bench cache`. */
import { findValue } from "../shared/surroundings.ts";
export interface CacheOptions {
  /** Whether only a quarter of each conversation is replayed. */
  readonly isQuick: boolean;
  readonly seed: number;
  readonly only: "orders" | "assembly" | undefined;
  readonly conversation: string | undefined;
  readonly model: string | undefined;
  /** Prints to stderr what each of our requests read from the cache, and what moved. */
  readonly tellsMoves: boolean;
}

export function readOptions(args: readonly string[]): CacheOptions {
  const valueAfter = (name: string) => findValue(args, name);
  const only = valueAfter("--only");
  if (only !== undefined && only !== "orders" && only !== "assembly") {
    throw new Error(`--only: expected orders or assembly, got ${only}.`);
  }
  return {
    isQuick: args.includes("--quick"),
    seed: Number(valueAfter("--seed") ?? 1),
    only,
    conversation: valueAfter("--conversation"),
    model: valueAfter("--model"),
    tellsMoves: args.includes("--moves"),
  };
}
