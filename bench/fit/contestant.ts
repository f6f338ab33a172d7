/** Types of a contestant that makes a history fit a budget. */
import type { FormatName } from "../../src/core/message/formats/format.ts";

export interface FitContestant {
  readonly name: string;
  readonly version: string;
  /** Describes the content that it keeps of a history that is too long. */
  readonly keeps: string;
  /** The format of its messages. */
  readonly format: FormatName;
  /** Prepares messages in that format before the measurement. */
  readonly prepare?: ((history: readonly unknown[]) => readonly unknown[]) | undefined;
  /** Returns a function that is called with a growing history, call after call. */
  start(options: {
    readonly budgetTokens: number;
  }): Promise<(history: readonly unknown[]) => Promise<readonly unknown[]>>;
}
