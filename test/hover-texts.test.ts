/** Editors show the comment of an exported symbol. Every function, class and constant of an entry point has one. */
import { existsSync, readFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { describe, expect, test } from "vitest";
import { repositoryRoot } from "./support/read-repository.ts";

const { exports }: { readonly exports: Readonly<Record<string, { readonly types: string }>> } = JSON.parse(
  readFileSync(join(repositoryRoot, "package.json"), "utf8"),
);

const VALUE = "(?:abstract |async )?(?:function\\*?|class|const)";
const COMMENT = "(/\\*\\*(?:(?!\\*/)[\\s\\S])*\\*/\\n)?";

/** Returns the names that a file lists in `export { … }`, and those that it declares. Types are left out. */
function listNames(text: string): readonly string[] {
  const listed = [...text.matchAll(/^export \{([^}]*)\}/gm)].flatMap(([, list = ""]) =>
    splitList(list).map((item) => item.split(" as ").at(-1) ?? ""),
  );
  const declared = [...text.matchAll(new RegExp(`^export ${VALUE} (\\w+)`, "gm"))].map(([, name = ""]) => name);
  return [...listed, ...declared];
}

function splitList(list: string): readonly string[] {
  return list.split(",").flatMap((item) => {
    const name = item.trim();
    return name === "" || name.startsWith("type ") ? [] : [name];
  });
}

/** Returns the comment of a value, "" for one without, and undefined for a name that is not found, such as a type. */
function findComment(file: string, name: string): string | undefined {
  if (!existsSync(file)) return undefined;
  const text = readFileSync(file, "utf8");
  const own = new RegExp(`${COMMENT}^export ${VALUE} ${name}\\b`, "m").exec(text);
  if (own !== null) return own[1] ?? "";
  for (const [, list = "", from = ""] of text.matchAll(/^(?:export|import) \{([^}]*)\} from "(\.[^"]+)"/gm)) {
    for (const item of splitList(list)) {
      const [original = "", alias = original] = item.split(" as ");
      if (alias === name) return findComment(resolve(dirname(file), from), original);
    }
  }
  return undefined;
}

describe("the hover texts of the entry points", () => {
  test.each(Object.entries(exports))("%s: every function, class and constant has one", (_, { types }) => {
    const file = join(repositoryRoot, types.replace("./dist", "src").replace(/\.d\.ts$/, ".ts"));
    const names = [...new Set(listNames(readFileSync(file, "utf8")))];
    expect(names.filter((name) => findComment(file, name) === "")).toEqual([]);
  });
});
