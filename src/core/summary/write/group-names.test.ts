import { describe, expect, test } from "vitest";
import type { Fact } from "../record/record.ts";
import { groupNames } from "./group-names.ts";

const name = (text: string, use: Partial<Fact> = {}): Fact => ({
  id: text,
  kind: "identifier",
  text,
  source: `message of ${text}`,
  saidBy: "assistant",
  status: "live",
  lastTurn: 0,
  uses: 1,
  ...use,
});
const group = (listed: readonly Fact[], known: readonly Fact[] = listed): readonly string[] =>
  groupNames(listed, new Map(known.map((fact) => [fact.id, fact]))).map(
    ({ label, names }) => `${label}: ${names.join("; ")}`,
  );
const file = name("src/a.ts", { use: "edited" });
const inside = [name("parseOrder", { home: file.id }), name("retryLimit", { home: file.id })];

describe("groupNames", () => {
  test("writes the names of a file on one line with the file and its use", () => {
    expect(group([inside[0] ?? file, file, ...inside.slice(1)])).toEqual([
      "src/a.ts was edited, names: parseOrder; retryLimit",
    ]);
  });

  test("groups files without names by their use", () => {
    const read = ["src/b.ts", "src/c.ts"].map((text) => name(text, { use: "read" }));
    expect(group([...read, file])).toEqual([
      "files that were read: src/b.ts; src/c.ts",
      "files that were edited: src/a.ts",
    ]);
  });

  test("labels several names with the base name of their file if the file is not listed", () => {
    expect(group(inside, [file, ...inside])).toEqual(["names in a.ts that was edited: parseOrder; retryLimit"]);
    expect(group(inside.slice(0, 1), [file, ...inside])).toEqual(["names given to tools: parseOrder"]);
  });

  test("groups other names by origin, and numbers separately", () => {
    const rest = [
      name("portalUrl", { saidBy: "user", given: 0.5 }),
      name("file.py", { saidBy: "user", given: 0 }),
      name("sendMail", { saidBy: "tool" }),
      name("openFile", { given: 1 }),
      name("4410", { given: 1, home: file.id }),
    ];
    expect(group(rest)).toEqual([
      "names the user said: portalUrl",
      "names in what was pasted: file.py",
      "names that tools showed: sendMail",
      "names given to tools: openFile",
      "numbers given to tools: 4410",
    ]);
  });

  test("returns the messages of the names with each line", () => {
    expect(groupNames([file, ...inside], new Map([[file.id, file]]))).toMatchObject([
      { messageIds: ["message of src/a.ts", "message of parseOrder", "message of retryLimit"] },
    ]);
  });
});
