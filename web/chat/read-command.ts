/** Commands as they are written: a slash and a name. What begins so and is none is nobody's message either. */

export interface Command {
  readonly name: "compact" | "resummarize" | "clear" | "pin" | "undo";
  /** What the summary should keep in mind. */
  readonly words: string;
}

/** What each does, for whoever has written a slash. */
export const COMMANDS: Readonly<Record<Command["name"], string>> = {
  compact: "fold what is old into a summary",
  resummarize: "write the summary anew",
  clear: "start over; the log stays",
  pin: "keep your last message in every prompt",
  undo: "take the last change of the view back",
};

/** A path such as `/usr/bin` and what stands after a space are words like any other: undefined. */
export function readCommand(text: string): Command | { readonly unknown: string } | undefined {
  const [whole, name = "", words = ""] = /^\/([^\s/]*)(?:\s+([\s\S]*))?$/.exec(text.trimEnd()) ?? [];
  if (whole === undefined) return undefined;
  return isCommand(name) ? { name, words } : { unknown: name };
}

/** Those that may be meant by what is written so far; none where it is no command. */
export function findCommands(text: string): readonly Command["name"][] {
  const [, begun] = /^\/([^\s/]*)$/.exec(text) ?? [];
  return begun === undefined
    ? []
    : Object.keys(COMMANDS)
        .filter(isCommand)
        .filter((name) => name.startsWith(begun));
}

function isCommand(name: string): name is Command["name"] {
  return Object.hasOwn(COMMANDS, name);
}
