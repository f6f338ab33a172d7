/** From arguments to an exit code: finds the command, parses its options, runs it and reports errors. */
import { parseArgs } from "node:util";
import { PalimpsestError } from "../core/errors.ts";
import { COMMANDS } from "./commands.ts";
import { describeCli, describeCommand } from "./help.ts";
import {
  type Command,
  CommandFailure,
  EXIT_CODES,
  EXIT_DONE,
  EXIT_UNEXPECTED,
  EXIT_USAGE,
  type Invocation,
} from "./terminal/command.ts";
import { repeatStoreOptions, showFullCommands } from "./terminal/own-command.ts";
import type { Terminal } from "./terminal/terminal.ts";
import { escapeControls } from "./terminal/terminal-text.ts";

const HELP = ["--help", "-h", "help"];

export async function runCli(args: readonly string[], outside: Terminal): Promise<number> {
  const terminal: Terminal = { ...outside, note: (lines) => outside.note(showFullCommands(showEachLine(lines))) };
  const [name, ...rest] = args;
  if (name === undefined || HELP.includes(name)) {
    await terminal.print(await describeCli());
    return name === undefined ? EXIT_USAGE : EXIT_DONE;
  }
  if (name === "--version") {
    const { readVersion } = await import("../server/read-version.ts");
    await terminal.print(await readVersion());
    return EXIT_DONE;
  }
  const listed = Object.hasOwn(COMMANDS, name) ? COMMANDS[name] : undefined;
  if (listed === undefined) {
    terminal.note(`Unknown command ${name}. ${await suggest(name, Object.keys(COMMANDS), "The commands are")}`);
    return EXIT_USAGE;
  }
  const { command } = await listed.load();
  if (rest.some((argument) => argument === "--help" || argument === "-h")) {
    await terminal.print(describeCommand(command));
    return EXIT_DONE;
  }
  const invocation = await parseInvocation(command, rest, terminal);
  if (typeof invocation === "string") {
    terminal.note(`${invocation}\nSee: palimpsest ${name} --help`);
    return EXIT_USAGE;
  }
  try {
    const code = await command.run(invocation);
    return typeof code === "number" ? code : EXIT_DONE;
  } catch (error) {
    return explain(error, invocation);
  }
}

/** Returns a sentence if the arguments are wrong. */
async function parseInvocation(
  command: Command,
  args: readonly string[],
  terminal: Terminal,
): Promise<Invocation | string> {
  const options = Object.fromEntries(
    Object.entries(command.options).map(([name, { value }]) => [
      name,
      { type: value === undefined ? ("boolean" as const) : ("string" as const) },
    ]),
  );
  try {
    const { values, positionals, tokens } = parseArgs({
      args: [...args],
      options,
      allowPositionals: true,
      tokens: true,
    });
    const repeated = tokens.find(
      (token) => token.kind === "option" && command.options[token.name]?.isSingle && token.value !== values[token.name],
    );
    if (repeated?.kind === "option") return `--${repeated.name} may be given only once.`;
    const [least, most] = command.positionalCount;
    if (positionals.length < least || positionals.length > most) return `Expected: palimpsest ${command.usage}`;
    const text = (name: string) => {
      const value = values[name];
      return typeof value === "string" ? value : undefined;
    };
    const say = (line: string) => terminal.print(escapeControls(line));
    return { positionals, text, flag: (name) => values[name] === true, say, terminal };
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    return describeArguments(error, command);
  }
}

/** Turns Node's message about an argument into a sentence that names the option and what is expected. */
async function describeArguments({ message }: TypeError, { options }: Command): Promise<string> {
  const [, option = ""] = /'(?:-\w, )?(-[^'\s=]*)/.exec(message) ?? [];
  const name = option.replace(/^--(?:no-)?/, "");
  const known = Object.hasOwn(options, name) ? options[name] : undefined;
  if (known === undefined) {
    const names = Object.keys(options).map((each) => `--${each}`);
    return `Unknown option ${option}. ${await suggest(option, names, "The options are")}`;
  }
  return known.value === undefined ? `--${name} takes no value.` : `--${name} takes a value: --${name} ${known.value}.`;
}

/** Names the nearest option, or all of them if none is similar. */
async function suggest(name: string, names: readonly string[], opening: string): Promise<string> {
  const { findNearest } = await import("../core/check-value.ts");
  const nearest = findNearest(name, names);
  return nearest === undefined ? `${opening} ${names.join(", ")}.` : `Did you mean ${nearest}?`;
}

function showEachLine(lines: string): string {
  return lines.split("\n").map(escapeControls).join("\n");
}

function explain(error: unknown, invocation: Invocation): number {
  const { flag, terminal } = invocation;
  if (error instanceof CommandFailure) {
    terminal.note(flag("json") ? JSON.stringify({ error: { message: error.message } }) : error.message);
    return error.exitCode;
  }
  if (!(error instanceof PalimpsestError)) {
    terminal.note(error instanceof Error ? (error.stack ?? error.message) : String(error));
    return EXIT_UNEXPECTED;
  }
  const { code, message, retryable } = error;
  if (flag("json")) terminal.note(JSON.stringify({ error: { code, message, retryable } }));
  else terminal.note(`${message}${adviseOn(error, invocation)} (${code})`);
  return EXIT_CODES[code];
}

function adviseOn({ code, details, retryable }: PalimpsestError, invocation: Invocation): string {
  if (retryable) return " Trying again later can help.";
  const isListed = code === "session-not-found" && details.key !== "store";
  return isListed ? ` palimpsest sessions${repeatStoreOptions(invocation)} lists all sessions.` : "";
}
