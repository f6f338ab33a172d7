/** The documents that list stores or formats name all of them. `npm run check` runs this file. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { FORMAT_NAMES } from "../src/core/message/formats/format.ts";
import { STORE_KINDS } from "../src/stores/open-store.ts";
import { repositoryRoot } from "./support/read-repository.ts";

/** Returns every inline code span of a document. */
function readCodes(path: string): readonly string[] {
  const text = readFileSync(join(repositoryRoot, path), "utf8");
  return [...text.matchAll(/`([^`\n]+)`/g)].map(([, code = ""]) => code.replaceAll('"', ""));
}

const SCHEMES = STORE_KINDS.map(({ address }) => address.slice(0, address.indexOf(":") + 1));

describe.each(["docs/stores.md", "docs/serve.md"])("%s", (path) => {
  test.each(SCHEMES)("the document names the store %s", (scheme) => {
    expect(readCodes(path).filter((code) => code.startsWith(scheme))).not.toEqual([]);
  });
});

describe("docs/fit.md", () => {
  test.each(FORMAT_NAMES)("names the format %s", (name) => {
    expect(readCodes("docs/fit.md")).toContain(name);
  });
});
