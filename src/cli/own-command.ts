/**
 * How the command is called from where it runs: in the repository by npm, elsewhere as a package that is installed.
 * Texts name commands as `palimpsest serve`; whoever reads them in the terminal is told what to type there.
 */
import { COMMANDS } from "./commands.ts";

export function ownCommand(url: string = import.meta.url): string {
  return isSource(url) ? "npm run palimpsest --" : "npx palimpsest";
}

/** Of whole names only, as a word of their own: a path that ends in one is left alone. */
const NAMED = new RegExp(
  `(?<![\\w./:@-])palimpsest (?=(?:${Object.keys(COMMANDS).join("|")}|--help|<command>)(?![\\w.:/-]))`,
  "g",
);

/** The text line by line, with each command as it is typed here. */
export function sayAsTyped(text: string, url: string = import.meta.url): string {
  return text
    .split("\n")
    .map((line) => line.replace(NAMED, `${isForPrograms(line) && isSource(url) ? QUIET : ownCommand(url)} `))
    .join("\n");
}

/** Where a program reads the result, npm must print nothing of its own. */
const QUIET = "npm run --silent palimpsest --";

function isForPrograms(line: string): boolean {
  return / (?:>|--json)(?: |$)/.test(line);
}

function isSource(url: string): boolean {
  return url.endsWith(".ts");
}
