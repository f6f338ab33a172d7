/** One way to make a history fit a budget, measured beside others. Only shapes. */
import type { FormatName } from "../../src/core/message/formats/format.ts";

export interface FitContestant {
  readonly name: string;
  readonly version: string;
  /** What is left of a history that is too long, and what is not. */
  readonly keeps: string;
  /** The shape of the messages that it takes and gives. */
  readonly format: FormatName;
  /** Makes of messages in that shape what it works on, before the clock starts. */
  readonly prepare?: ((history: readonly unknown[]) => readonly unknown[]) | undefined;
  /** A function that is called with a growing history, call after call. */
  start(options: {
    readonly budgetTokens: number;
  }): Promise<(history: readonly unknown[]) => Promise<readonly unknown[]>>;
}
