/** What the terminal teaches. Everything is said by the tables that the commands are run by. */
import type { Command } from "./command.ts";
import { COMMANDS } from "./commands.ts";
import { sayAsTyped } from "./own-command.ts";

export function describeCli(): string {
  const width = Math.max(...Object.keys(COMMANDS).map((name) => name.length));
  return sayAsTyped(
    [
      "palimpsest <command> [options]",
      "",
      "Conversations with language models, kept whole and sent small.",
      "",
      "Commands:",
      ...Object.entries(COMMANDS).map(([name, { summary }]) => `  ${name.padEnd(width)}  ${summary}`),
      "",
      "--version says which one this is.",
      "Every command takes --help, and --store or the variable PALIMPSEST_STORE:",
      "  sqlite:./chats.db   jsonl:./chats   postgres://user:password@host/database",
      "  windowed-sql:./chats.db   rows of the table messages, as the windowed-sql policy describes them",
      "  workspace:.               .ac-dc/history.jsonl in a repository, as the workspace policy describes it",
      "",
      "Exit codes: 0 done, 2 called wrongly, 3 input that cannot be used, 4 not found, 5 there already,",
      "6 the store did not answer, 7 the session changed meanwhile, 8 does not fit, 9 the summarizer failed,",
      "10 no counter, 11 closed, 12 aborted, 1 anything else.",
    ].join("\n"),
  );
}

export function describeCommand({ usage, about, options, examples }: Command): string {
  const names = Object.entries(options).map(
    ([name, { value }]) => `--${name}${value === undefined ? "" : ` ${value}`}`,
  );
  const width = Math.max(...names.map((name) => name.length));
  const helps = Object.values(options).map(({ help }) => help);
  return sayAsTyped(
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
