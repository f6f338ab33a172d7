/** `palimpsest completions`: prints a script that completes commands and options in a shell. */
import { writeCompletions } from "../completions/write-completions.ts";
import type { Command } from "../terminal/command.ts";
import { CommandFailure, EXIT_USAGE } from "../terminal/command.ts";

const SHELLS = ["bash", "zsh", "fish"] as const;

export const command: Command = {
  usage: `completions ${SHELLS.join(" | ")}`,
  about: [
    "Prints a script for your shell. It completes the names of commands and their options, and files for the rest.",
    "The command must be in your PATH: install the package with --global, or set an alias.",
  ],
  options: {},
  positionalCount: [1, 1],
  examples: [
    "palimpsest completions bash >> ~/.bashrc",
    "palimpsest completions zsh > ~/.zfunc/_palimpsest",
    "palimpsest completions fish > ~/.config/fish/completions/palimpsest.fish",
  ],
  async run({ positionals, terminal }) {
    const shell = SHELLS.find((name) => name === positionals[0]);
    if (shell === undefined)
      throw new CommandFailure(`Unknown shell ${positionals[0]}. The shells are ${SHELLS.join(", ")}.`, EXIT_USAGE);
    await terminal.print(await writeCompletions(shell));
  },
};
