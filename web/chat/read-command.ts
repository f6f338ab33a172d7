/** Slash commands of the composer. Invalid commands are not sent as messages. */

export interface Command {
  readonly name: "compact" | "resummarize" | "clear" | "pin" | "undo";
  /** Text after the name; empty for commands without an argument. */
  readonly argument: string;
}

/** Text that looks like a command: its name is unknown, or it takes no argument. */
export interface CommandError {
  readonly error: "unknown" | "no-argument";
  readonly name: string;
}

interface CommandHelp {
  readonly description: string;
  /** Describes the argument; undefined for commands without an argument. */
  readonly argument?: string | undefined;
}

export const COMMANDS: Readonly<Record<Command["name"], CommandHelp>> = {
  compact: { description: "summarize old messages now", argument: "what to focus on" },
  resummarize: { description: "rewrite the summary", argument: "what to focus on" },
  clear: { description: "clear the context; the log is kept" },
  pin: {
    description: "keep your last message, or the one with this text, in every prompt",
    argument: "text of a message",
  },
  undo: { description: "undo the last change, such as a compaction, pin or clear" },
};

/** Returns undefined for ordinary text, such as a path like `/usr/bin` or text after a leading space. */
export function readCommand(text: string): Command | CommandError | undefined {
  const [whole, name = "", argument = ""] = /^\/([^\s/]*)(?:\s+([\s\S]*))?$/.exec(text.trimEnd()) ?? [];
  if (whole === undefined) return undefined;
  if (!isCommand(name)) return { error: "unknown", name };
  return argument !== "" && COMMANDS[name].argument === undefined ? { error: "no-argument", name } : { name, argument };
}

/** Commands whose name starts with the text; none if the text is not a command. */
export function findCommands(text: string): readonly Command["name"][] {
  const [, prefix] = /^\/([^\s/]*)$/.exec(text) ?? [];
  if (prefix === undefined) return [];
  return Object.keys(COMMANDS)
    .filter(isCommand)
    .filter((name) => name.startsWith(prefix));
}

function isCommand(name: string): name is Command["name"] {
  return Object.hasOwn(COMMANDS, name);
}
