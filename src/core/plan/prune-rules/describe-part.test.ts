import { describe, expect, test } from "vitest";
import type { JsonValue } from "../../message/json.ts";
import type { Part } from "../../message/message.ts";
import { describePart, findKeyArgument } from "./describe-part.ts";

describe("findKeyArgument", () => {
  test.each<[string, JsonValue, string | undefined]>([
    ["a path, if there is one", { command: "view", path: "src/a.ts" }, "src/a.ts"],
    ["the first of several paths", { paths: ["a.ts", "b.ts", "c.ts"] }, "a.ts and 2 more"],
    ["the end of a long path", { path: `/home/${"deep/".repeat(20)}src/a.ts` }, `…/${"deep/".repeat(10)}src/a.ts`],
    ["the whole file name of a path, even if it is long", { path: `a/${"b".repeat(70)}` }, `…/${"b".repeat(70)}`],
    ["a command", { timeout: 5, description: "Builds", command: "make all" }, "make all"],
    ["a query", { limit: 5, query: "harbor" }, "harbor"],
    ["any text if no key is known", { verbose: true, city: "Oslo" }, "Oslo"],
    ["nothing if no value has text", { verbose: true, city: " " }, undefined],
    ["nothing if the input is not an object", "make all", undefined],
    ["no inherited property", { constructor: 5 }, undefined],
  ])("returns %s", (_, input, expected) => {
    expect(findKeyArgument(input)).toBe(expected);
  });
});

describe("describePart", () => {
  const file: Part = {
    type: "file",
    source: { type: "reference", id: "1" },
    mediaType: "text/plain",
    name: "a\nb.txt",
  };

  test("returns one short line for a long name or a name with line breaks", () => {
    expect(describePart(file, undefined)).toBe("An attached file (a b.txt)");
    expect(describePart({ ...file, name: "é😀 ".repeat(500) }, undefined).length).toBeLessThan(110);
    expect(describePart({ ...file, name: "😀".repeat(500) }, undefined).isWellFormed()).toBe(true);
    expect(describePart({ type: "image", source: { type: "reference", id: "1" } }, undefined)).toBe("An image");
  });
});
