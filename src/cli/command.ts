/** A command of the terminal: how it is called, what its help teaches, and what it does. Parse, call, print. */
import type { Terminal } from "./terminal.ts";

export interface CommandOption {
  readonly type: "string" | "boolean";
  /** What stands for the value in the help; of options with one. */
  readonly value?: string | undefined;
  readonly help: string;
}

export interface Invocation {
  /** What stands after the command without a dash. */
  readonly positionals: readonly string[];
  readonly text: (name: string) => string | undefined;
  readonly flag: (name: string) => boolean;
  /** One line of a result for people: what others wrote in it does nothing to the terminal. */
  readonly say: (line: string) => Promise<void>;
  readonly terminal: Terminal;
}

export interface Command {
  /** As it is called, without `palimpsest`. */
  readonly usage: string;
  /** What it does and when one wants it, as lines. */
  readonly about: readonly string[];
  readonly options: Readonly<Record<string, CommandOption>>;
  /** How many words it takes at least and at most. */
  readonly words: readonly [least: number, most: number];
  readonly examples: readonly string[];
  /** Gives the code that the process ends with, where that is not the one of success. */
  readonly run: (invocation: Invocation) => Promise<void> | Promise<number>;
}

/** A command that ends badly for a reason that is not the engine's: its own words, and how the process ends. */
export class CommandFailure extends Error {
  override readonly name: string = "CommandFailure";
  readonly exitCode: number;

  constructor(message: string, exitCode: number) {
    super(message);
    this.exitCode = exitCode;
  }
}
