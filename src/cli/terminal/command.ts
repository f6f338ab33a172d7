/** A command of the terminal: its usage, its help, what it does, and the exit codes. */

import type { ErrorCode } from "../../core/errors.ts";
import type { Terminal } from "./terminal.ts";

export interface CommandOption {
  /** Placeholder of the value in the help; absent for flags. */
  readonly value?: string | undefined;
  readonly help: string;
  /** True if two different values are refused. Otherwise the last one counts, as for most commands. */
  readonly isSingle?: true;
}

export interface Invocation {
  readonly positionals: readonly string[];
  readonly text: (name: string) => string | undefined;
  readonly flag: (name: string) => boolean;
  /** Prints one line for people, with control characters escaped. */
  readonly say: (line: string) => Promise<void>;
  readonly terminal: Terminal;
}

export interface Command {
  readonly usage: string;
  readonly about: readonly string[];
  readonly options: Readonly<Record<string, CommandOption>>;
  readonly positionalCount: readonly [least: number, most: number];
  readonly examples: readonly string[];
  /** Returns the exit code if it is not that of success. */
  readonly run: (invocation: Invocation) => Promise<void> | Promise<number>;
}

/** A failure of the command itself, not of the engine, with its message and exit code. */
export class CommandFailure extends Error {
  override readonly name: string = "CommandFailure";
  readonly exitCode: number;

  constructor(message: string, exitCode: number) {
    super(message);
    this.exitCode = exitCode;
  }
}

export const EXIT_DONE = 0;
export const EXIT_UNEXPECTED = 1;
export const EXIT_USAGE = 2;
export const EXIT_NOT_FOUND = 4;

export const EXIT_CODES: Readonly<Record<ErrorCode, number>> = {
  "config-invalid": EXIT_USAGE,
  "message-invalid": 3,
  "session-not-found": EXIT_NOT_FOUND,
  "message-not-found": EXIT_NOT_FOUND,
  "prompt-not-found": EXIT_NOT_FOUND,
  "session-exists": 5,
  "message-conflict": 5,
  "store-unavailable": 6,
  "store-conflict": 7,
  "not-too-long": 3,
  "does-not-fit": 8,
  "limit-exceeded": 8,
  "catching-up": 7,
  "summarizer-failed": 9,
  "counter-unavailable": 10,
  "file-refused": 3,
  closed: 11,
  aborted: 12,
};
