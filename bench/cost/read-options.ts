/** What may stand behind `cost` on the command line. */

import type { OpenOptions } from "../../src/compose.ts";
import { findValue } from "../shared/surroundings.ts";

export interface CostOptions {
  /** A few sessions only. */
  readonly isQuick: boolean;
  /** Who may ask for a priced summary after the conversation's own cached prompt; everybody else sends a transcript. */
  readonly reuse: "nobody" | "ours" | "all";
  readonly windows: readonly number[];
  /** One price card alone. */
  readonly model: string | undefined;
  /** Settings in place of the default policy's. */
  readonly policy: OpenOptions["policy"];
}

const WINDOWS = [40_000, 100_000];

export function readOptions(args: readonly string[]): CostOptions {
  const valueAfter = (name: string) => findValue(args, name);
  const reuse = valueAfter("--own-prompt") ?? "ours";
  const window = valueAfter("--window");
  const policy = valueAfter("--policy");
  if (reuse !== "nobody" && reuse !== "ours" && reuse !== "all") {
    throw new Error(`--own-prompt: expected nobody, ours or all, got ${reuse}.`);
  }
  return {
    isQuick: args.includes("--quick"),
    reuse,
    windows: window === undefined ? WINDOWS : [Number(window)],
    model: valueAfter("--model"),
    policy: policy === undefined ? undefined : JSON.parse(policy),
  };
}
