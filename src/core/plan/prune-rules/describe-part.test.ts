import { describe, expect, test } from "vitest";
import type { JsonValue } from "../../message/json.ts";
import type { Part } from "../../message/message.ts";
import { describePart, findKeyArgument } from "./describe-part.ts";

describe("findKeyArgument", () => {
  test.each<[string, JsonValue, string | undefined]>([
    ["a path before anything else", { command: "view", path: "src/a.ts" }, "src/a.ts"],
    ["the first of several paths", { paths: ["a.ts", "b.ts", "c.ts"] }, "a.ts and 2 more"],
    ["the end of a long path", { path: `/home/${"deep/".repeat(20)}src/a.ts` }, `…/${"deep/".repeat(10)}src/a.ts`],
    ["the last step of a path whatever its length", { path: `a/${"b".repeat(70)}` }, `…/${"b".repeat(70)}`],
    ["a command", { timeout: 5, description: "Builds", command: "make all" }, "make all"],
    ["a question", { limit: 5, query: "harbour" }, "harbour"],
    ["any text where no key tells", { verbose: true, city: "Oslo" }, "Oslo"],
    ["nothing where there is no text", { verbose: true, city: " " }, undefined],
    ["nothing in an input that is no object", "make all", undefined],
    ["nothing that an object has by itself", { constructor: 5 }, undefined],
  ])("takes %s", (_, input, expected) => {
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

  test("is one short line, whatever the name", () => {
    expect(describePart(file, undefined)).toBe("An attached file (a b.txt)");
    expect(describePart({ ...file, name: "é😀 ".repeat(500) }, undefined).length).toBeLessThan(110);
    expect(describePart({ ...file, name: "😀".repeat(500) }, undefined).isWellFormed()).toBe(true);
    expect(describePart({ type: "image", source: { type: "reference", id: "1" } }, undefined)).toBe("An image");
  });
});
