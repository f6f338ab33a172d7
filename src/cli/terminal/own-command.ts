/** Shows commands as they are typed here: with npm in the repository, with npx if the package is installed. */
import type { Invocation } from "./command.ts";

const NAMES =
  "serve|gateway|chat|sessions|search|recall|show|inspect|compact|undo|export|import|doctor|init|config|policies|completions|replay|mcp|token|worker";

export function ownCommand(url: string = import.meta.url): string {
  return isSource(url) ? "npm run palimpsest --" : "npx palimpsest";
}

/** Matches whole names only, and no path that ends in one. */
const NAMED = new RegExp(`(?<![\\w./:@-])palimpsest (?=(?:${NAMES}|--help|<command>)(?![\\w.:/-]))`, "g");

export function showFullCommands(text: string, url: string = import.meta.url): string {
  return text
    .split("\n")
    .map((line) => line.replace(NAMED, `${isForPrograms(line) && isSource(url) ? QUIET : ownCommand(url)} `))
    .join("\n");
}

/** Used if a program reads the output, so that npm prints nothing itself. */
const QUIET = "npm run --silent palimpsest --";

function isForPrograms(line: string): boolean {
  return / (?:>|--json)(?: |$)/.test(line);
}

function isSource(url: string): boolean {
  return url.endsWith(".ts");
}

const PLACES = ["server", "store", "home", "tenant"] as const;

/** Repeats the options for where sessions are stored, for a hint at the next command. Never repeats a password. */
export function repeatStoreOptions({ text }: Invocation): string {
  return PLACES.flatMap((name) => {
    const value = text(name);
    if (value === undefined) return [];
    const isPrivate = URL.canParse(value) && new URL(value).password !== "";
    return [` --${name} ${isPrivate ? "…" : quoteArgument(value)}`];
  }).join("");
}

function quoteArgument(value: string): string {
  return /^[\w./:@=-]+$/.test(value) ? value : `'${value.replaceAll("'", `'\\''`)}'`;
}
