/**
 * Every requirement is shown by a test, is on the list of open ones, or is a note, and the three never contradict each
 * other.
 */
import { describe, expect, test } from "vitest";
import { findInsideTests } from "../scripts/find-inside-tests.ts";
import { readAllCitations, readInside, readOpenList } from "../scripts/trace.ts";
import { findDiscrepancies, formatTrace, readCitations, traceRequirements } from "../scripts/trace-requirements.ts";
import { expandIds, notes, ownership, type Requirement, requirements } from "./requirements.ts";

const series = { S0: 56, S1: 55, S2: 55, S3: 159, S4: 95, C: 32, X: 34 };
const allIds = Object.entries(series).flatMap(([name, count]) => expandIds(`${name}-1..${count}`));

const aRequirement = (id: string, note?: string): Requirement => ({
  id,
  text: "Something holds.",
  owner: "ground",
  alsoOwners: [],
  note,
});

describe("the requirements", () => {
  test("number every series without a gap, in order", () => {
    expect(requirements.map((requirement) => requirement.id)).toEqual(allIds);
  });

  test("each have a text, and the table of owners contains no unknown id", () => {
    expect(requirements.filter(({ text }) => !/^.{8,110}\.$/.test(text))).toEqual([]);
    const named = Object.values(ownership).flatMap((ranges) => expandIds(ranges));
    expect(named.filter((id) => !allIds.includes(id))).toEqual([]);
  });

  test("belong to the last of their owners, and list the earlier ones separately", () => {
    const found = requirements.find((requirement) => requirement.id === "S3-72");
    expect(found).toMatchObject({ owner: "page", alsoOwners: ["compaction", "server"] });
  });

  test("have notes only for the eleven listed ids", () => {
    expect(Object.keys(notes)).toEqual([
      ...["S0-49", "S0-53", "S1-4", "S1-52", "S2-45", "S3-154", "S4-5", "S4-83", "S4-84", "S4-85", "S4-86"],
    ]);
  });

  test("are each shown by a test, open or a note, and the list of open ones is up to date (npm run trace -- --write)", () => {
    const citations = readAllCitations();
    const traces = traceRequirements(requirements, citations);
    expect(findDiscrepancies(traces, { citations, open: readOpenList() })).toEqual([]);
  });

  test("are each shown by a test that uses a public entry point (npm run trace -- --inside)", () => {
    expect(readInside().map(({ requirement, files }) => `${requirement.id}: ${files.join(", ")}`)).toEqual([]);
  });

  test("are listed in their order if they are open", () => {
    const open = readOpenList();
    expect(open).toEqual(allIds.filter((id) => open.includes(id)));
  });
});

describe("readCitations", () => {
  const cited = (source: string): readonly string[] => readCitations("a.test.ts", source).map(({ id }) => id);

  test("reads one id and several, over several lines", () => {
    expect(cited('test(shows("S0-1", "is so"), run); test(shows(["S0-2",\n  "C-3"], "too"), run);')).toEqual([
      ...["S0-1", "S0-2", "C-3"],
    ]);
  });

  test("reads nothing from comments, strings and tests that never run", () => {
    expect(cited('// shows("S0-1", "x")\nconst text = \'shows("S0-2")\';')).toEqual([]);
    expect(cited('test.skip(shows("S0-1", "x"), run); test.todo(shows("S0-2", "x"));')).toEqual([]);
  });
});

describe("findInsideTests", () => {
  const entries = ["src/index.ts"];
  const isInside = (test: string, more: Readonly<Record<string, string>> = {}): boolean => {
    const files = {
      "src/index.ts": 'export { fit } from "./engine/fit/fit.ts"; export type { Plan } from "./core/plan.ts";',
      "src/engine/fit/fit.ts": "export function fit() {} export function shrink() {}",
      ...more,
      "test/a.test.ts": test,
    };
    return findInsideTests(new Map(Object.entries(files)), entries).has("test/a.test.ts");
  };

  test("counts a test as an outside test if it imports an entry point or its exports", () => {
    expect(isInside('import { fit } from "../src/index.ts";')).toBe(false);
    expect(isInside('import { fit } from "../src/engine/fit/fit.ts";')).toBe(false);
    expect(isInside('import { openPalimpsest } from "../src/compose.ts";')).toBe(false);
  });

  test("counts a test as an inside test if it imports other functions, constants or types", () => {
    expect(isInside('import { shrink } from "../src/engine/fit/fit.ts";')).toBe(true);
    expect(isInside('import { type fit } from "../src/engine/fit/fit.ts";')).toBe(true);
    expect(isInside('import { shows } from "../src/testing/shows.ts";')).toBe(true);
  });

  test("follows test helpers, and recognizes those that run the command", () => {
    const through = 'import { start } from "./support/start.ts";';
    expect(isInside(through, { "test/support/start.ts": 'import { fit } from "../../src/index.ts";' })).toBe(false);
    expect(isInside(through, { "test/support/start.ts": 'spawn(node, ["src/cli/main.ts"]);' })).toBe(false);
    expect(isInside(through, { "test/support/start.ts": "export const start = 1;" })).toBe(true);
  });
});

describe("findDiscrepancies", () => {
  const requirement = [aRequirement("S0-1"), aRequirement("S0-2", "background")];
  const discrepancies = (cited: readonly string[], open: readonly string[]): readonly string[] => {
    const citations = cited.map((id) => ({ id, file: "a.test.ts" }));
    return findDiscrepancies(traceRequirements(requirement, citations), { citations, open });
  };

  test("returns nothing if every id is shown, open or a note", () => {
    expect(discrepancies(["S0-1"], [])).toEqual([]);
    expect(discrepancies([], ["S0-1"])).toEqual([]);
  });

  test("names requirements that are open and shown, forgotten, unknown, or a note on the open list", () => {
    expect(discrepancies(["S0-1"], ["S0-1"])).toEqual(["S0-1 is on the open list, but a.test.ts shows it"]);
    expect(discrepancies([], [])).toEqual(["S0-1 is neither shown by a test nor on the open list"]);
    expect(discrepancies(["S0-1", "S9-9"], [])).toEqual(["a.test.ts cites S9-9, which is not a requirement"]);
    expect(discrepancies(["S0-1"], ["S0-2"])).toEqual([
      "S0-2 is on the open list, but it is only a note and needs no test",
    ]);
    expect(discrepancies(["S0-1"], ["S9-9"])).toEqual(["S9-9 is on the open list and is not a requirement"]);
    expect(discrepancies([], ["S0-1", "S0-1"])).toEqual(["S0-1 is on the open list twice"]);
  });
});

test("formatTrace writes the state of a requirement and the test that shows it", () => {
  const traces = traceRequirements(
    [aRequirement("S0-1"), aRequirement("S0-2"), aRequirement("S0-3", "background")],
    [{ id: "S0-1", file: "a.test.ts" }],
  );
  expect(traces.map(formatTrace)).toEqual(["S0-1 shown a.test.ts", "S0-2 open", "S0-3 note: background"]);
});
