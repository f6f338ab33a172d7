/** Commands as they are written: a slash and a name. What begins so and is none is nobody's message either. */

export interface Command {
  readonly name: "compact" | "resummarize" | "clear" | "pin" | "undo";
  /** What somebody wrote after the name; empty where that means nothing. */
  readonly words: string;
}

/** What begins like a command and cannot be carried out: there is none of that name, or it takes no words. */
export interface Misread {
  readonly fault: "unknown" | "wordy";
  readonly name: string;
}

interface CommandWords {
  readonly does: string;
  /** What may be written after it; undefined where nothing may. */
  readonly takes?: string | undefined;
}

/** What each does, for whoever has written a slash. */
export const COMMANDS: Readonly<Record<Command["name"], CommandWords>> = {
  compact: { does: "fold what is old into a summary", takes: "what to keep in mind" },
  resummarize: { does: "write the summary anew", takes: "what to keep in mind" },
  clear: { does: "start over; the log stays" },
  pin: { does: "keep your last message, or the one with these words, in every prompt", takes: "words of a message" },
  undo: { does: "take the last change of the view back" },
};

/** A path such as `/usr/bin` and what stands after a space are words like any other: undefined. */
export function readCommand(text: string): Command | Misread | undefined {
  const [whole, name = "", words = ""] = /^\/([^\s/]*)(?:\s+([\s\S]*))?$/.exec(text.trimEnd()) ?? [];
  if (whole === undefined) return undefined;
  if (!isCommand(name)) return { fault: "unknown", name };
  return words !== "" && COMMANDS[name].takes === undefined ? { fault: "wordy", name } : { name, words };
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
