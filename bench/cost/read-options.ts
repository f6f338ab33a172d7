/** Reads the command line of `bench cost`. */

import type { OpenOptions } from "../../src/compose.ts";
import { findValue } from "../shared/surroundings.ts";

export interface CostOptions {
  /** Replays only a few sessions. */
  readonly isQuick: boolean;
  /**
   * Which policies may append the request for a summary to the conversation's own cached prompt, if summaries have a
   * price. The others send a transcript.
   */
  readonly reuse: "none" | "ours" | "all";
  readonly windows: readonly number[];
  /** Uses only this price list. */
  readonly model: string | undefined;
  /** Settings that replace those of the default policy. */
  readonly policy: OpenOptions["policy"];
}

const WINDOWS = [40_000, 100_000];

export function readOptions(args: readonly string[]): CostOptions {
  const valueAfter = (name: string) => findValue(args, name);
  const reuse = valueAfter("--own-prompt") ?? "ours";
  const window = valueAfter("--window");
  const policy = valueAfter("--policy");
  if (reuse !== "none" && reuse !== "ours" && reuse !== "all") {
    throw new Error(`--own-prompt: expected none, ours or all, got ${reuse}.`);
  }
  return {
    isQuick: args.includes("--quick"),
    reuse,
    windows: window === undefined ? WINDOWS : [Number(window)],
    model: valueAfter("--model"),
    policy: policy === undefined ? undefined : JSON.parse(policy),
  };
}
