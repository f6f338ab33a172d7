/** Help texts, generated from the tables of the commands. */

import { COMMANDS } from "./commands.ts";
import type { Command } from "./terminal/command.ts";
import { showFullCommands } from "./terminal/own-command.ts";

export async function describeCli(): Promise<string> {
  const { STORE_KINDS } = await import("../stores/open-store.ts");
  const width = Math.max(...Object.keys(COMMANDS).map((name) => name.length));
  const addressWidth = Math.max(...STORE_KINDS.map(({ address }) => address.length));
  return showFullCommands(
    [
      "palimpsest <command> [options]",
      "",
      "A context engine for conversations with language models: keeps every word, sends what fits.",
      "",
      "Commands:",
      ...Object.entries(COMMANDS).map(([name, { summary }]) => `  ${name.padEnd(width)}  ${summary}`),
      "",
      "--version prints the version.",
      "Every command takes --help. Commands that read sessions take --store, or the variable PALIMPSEST_STORE:",
      ...STORE_KINDS.map(({ address, help }) => `  ${address.padEnd(addressWidth)}  ${help}`),
      "",
      "Exit codes: 0 success, 2 wrong usage, 3 invalid input, 4 not found, 5 already exists, 6 the store is not available,",
      "7 the session changed at the same time, 8 the prompt does not fit, 9 the summarizer failed,",
      "10 the token counter is not available, 11 the store was closed, 12 aborted, 1 any other error.",
    ].join("\n"),
  );
}

export function describeCommand({ usage, about, options, examples }: Command): string {
  const names = Object.entries(options).map(
    ([name, { value }]) => `--${name}${value === undefined ? "" : ` ${value}`}`,
  );
  const width = Math.max(...names.map((name) => name.length));
  const helps = Object.values(options).map(({ help }) => help);
  return showFullCommands(
    [
      `palimpsest ${usage}`,
      "",
      ...about,
      "",
      "Options:",
      ...names.map((name, index) => `  ${name.padEnd(width)}  ${helps[index]}`),
      "",
      "Examples:",
      ...examples.map((example) => `  ${example}`),
    ].join("\n"),
  );
}
