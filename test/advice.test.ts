/**
 * No message advises deleting, resetting or recreating stored data: a user who followed such advice would lose data.
 */
import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { ERROR_CODES } from "../src/core/errors.ts";

const root = join(import.meta.dirname, "..");

/** An imperative at the start of a clause: `Delete it`, `…, or remove the file`, `rm -r`. */
const ADVICE =
  /(?:^|[.:;,!?] |\bor |\band |\bthen |\bto )(?:delete|remove|erase|reset|recreate|wipe|drop|discard|empty|truncate|overwrite|rm)\b (?:it|them|this|that|these|those|the|its|their|your|all|every|what|any|old|-)/i;

const STRING = /"(?:[^"\\\n]|\\.)*"|`(?:[^`\\]|\\.)*`/g;
const COMMENT = /\/\*[\s\S]*?\*\/|^\s*\/\/.*$/gm;
/** Texts that are not messages to a user: SQL statements, word lists, prompts for models, and test doubles. */
const NO_MESSAGE = /\b(?:SELECT|UPDATE|INSERT|DELETE FROM|ALTER|CREATE)\b/;
const WORD_LISTS = /^src\/(?:core\/(?:language|topics|summary|recall|plan)|models|sample|testing)\//;

function listAdvice(path: string): readonly string[] {
  const text = readFileSync(join(root, path), "utf8").replaceAll(COMMENT, "");
  return (text.match(STRING) ?? [])
    .map((literal) => literal.slice(1, -1))
    .filter((literal) => ADVICE.test(literal) && !NO_MESSAGE.test(literal));
}

describe("advice in messages", () => {
  test("no error code advises deleting, resetting or recreating data", () => {
    expect(Object.values(ERROR_CODES).filter((text) => ADVICE.test(text))).toEqual([]);
  });

  test("no message of the package or the page advises deleting, resetting or recreating stored data", () => {
    const paths = globSync(["src/**/*.ts", "web/**/*.{ts,tsx}"], {
      cwd: root,
      exclude: ["**/*.test.*", "web/dist/**"],
    });
    const own = paths.filter((path) => !WORD_LISTS.test(path));
    expect(own.length).toBeGreaterThan(500);
    expect(own.flatMap((path) => listAdvice(path).map((text) => `${path}: ${text}`))).toEqual([]);
  });

  test("no page of the documentation says to delete a file of a store", () => {
    const pages = globSync(["docs/*.md", "README.md"], { cwd: root });
    const lines = pages.flatMap((path) => readFileSync(join(root, path), "utf8").split("\n"));
    const advised =
      /\b(?:delete|remove|recreate|reset|rm(?: -\w+)?) (?:the |your )?`?[\w./-]*(?:\.db|\.jsonl|-wal|index|store|database)\b/i;
    expect(lines.filter((line) => advised.test(line))).toEqual([]);
  });

  test.each([
    "The file already exists. Delete it and try again.",
    "The index is damaged: remove the folder, then open the store again.",
    "Reset the database, or restore a backup.",
  ])("the check recognizes advice to delete data: %s", (text) => {
    expect(ADVICE.test(text)).toBe(true);
  });
});
