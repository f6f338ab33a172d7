import { describe, expect, test } from "vitest";
import { messageBuilder } from "../../../testing/builders.ts";
import { shows } from "../../../testing/shows.ts";
import { extractFacts } from "./extract-facts.ts";
import { mergeFacets } from "./merge-facets.ts";
import { findNotebookDrift, readNotebookCall } from "./notebook-run.ts";

const input = { filePath: "plots/fox.ipynb", cellId: "c3" };

describe("a call that runs a notebook's cell", () => {
  test.each(["RunNotebookCell", "run_notebook_cell", "runNotebookCell"])("is known by its name: %s", (tool) => {
    expect(readNotebookCall({ tool, input })).toEqual({ type: "run", notebook: "plots/fox.ipynb", cell: "c3" });
  });

  test("is nothing else that has notebooks or cells in its name", () => {
    for (const tool of ["EditNotebookCell", "run_cell", "NotebookEdit", ""]) {
      expect(readNotebookCall({ tool, input })).toBeUndefined();
    }
  });

  test(shows("S2-52", "says what is wrong with arguments of another shape"), () => {
    const problemOf = (broken: Parameters<typeof readNotebookCall>[0]["input"]) =>
      readNotebookCall({ tool: "RunNotebookCell", input: broken });
    expect(problemOf("c3")).toEqual({ type: "drift", problem: "its arguments are no object" });
    expect(problemOf([input])).toEqual({ type: "drift", problem: "its arguments are no object" });
    expect(problemOf({ cellId: "c3" })).toEqual({ type: "drift", problem: "filePath is no text" });
    expect(problemOf({ ...input, filePath: " " })).toEqual({ type: "drift", problem: "filePath is no text" });
    expect(problemOf({ ...input, cellId: 3 })).toEqual({ type: "drift", problem: "cellId is no text" });
  });
});

describe("runs of cells among the facts", () => {
  const { aRound, aUserMessage } = messageBuilder();
  const run = (callId: string, failed: boolean) =>
    aRound([{ callId, tool: "RunNotebookCell", input, output: "42 rows", failed }]);
  const cellsOf = (messages: Parameters<typeof extractFacts>[0]) =>
    extractFacts(messages).facts.flatMap(({ kind, text }) => (kind === "notebook-cell" ? [text] : []));

  test(shows("S2-54", "say which cell of which notebook ran, and how it ended last"), () => {
    expect(cellsOf([aUserMessage("Run it."), ...run("a", false)])).toEqual(["plots/fox.ipynb cell c3 → ran"]);
    expect(cellsOf([...run("a", false), ...run("b", true)])).toEqual(["plots/fox.ipynb cell c3 → failed"]);
  });

  test("are carried along the chain, where a later run has the last word", () => {
    const first = mergeFacets(undefined, extractFacts(run("a", true)));
    expect(first.entities).toContain("plots/fox.ipynb cell c3 → failed");
    const second = mergeFacets(first, extractFacts(run("b", false)));
    expect(second.entities).toContain("plots/fox.ipynb cell c3 → ran");
    expect(second.entities).not.toContain("plots/fox.ipynb cell c3 → failed");
  });

  test("leave out a call without its result and one that cannot be read", () => {
    const open = aRound([{ callId: "open", tool: "RunNotebookCell", input }]);
    const drifted = aRound([{ callId: "drift", tool: "RunNotebookCell", input: { cell: 3 }, output: "ok" }]);
    expect(cellsOf([...open, ...drifted])).toEqual([]);
    expect(findNotebookDrift(open)).toBeUndefined();
    expect(findNotebookDrift([...open, ...drifted])).toBe("filePath is no text");
  });
});
