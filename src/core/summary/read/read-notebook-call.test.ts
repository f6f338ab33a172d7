import { describe, expect, test } from "vitest";
import { extractFacts } from "../../../../test/support/core-values.ts";
import { messageBuilder } from "../../../testing/builders.ts";
import { shows } from "../../../testing/shows.ts";
import type { JsonValue } from "../../message/json.ts";
import type { ToolOutput } from "../../message/message.ts";
import { mergeFacets } from "../facts/merge-facets.ts";
import { findNotebookArgumentDrifts, readNotebookCall } from "./read-notebook-call.ts";

const input = { filePath: "plots/fox.ipynb", cellId: "c3" };
const RUN = { type: "run", notebook: "plots/fox.ipynb", cell: "c3" };
const CHANGE = { type: "edit", notebook: "plots/fox.ipynb", cell: "c3", edit: "change" };

describe("readNotebookCall", () => {
  test.each(["RunNotebookCell", "run_notebook_cell", "runNotebookCell", "copilot_runNotebookCell"])(
    "recognizes a run of a cell by the tool %s",
    (tool) => {
      expect(readNotebookCall({ tool, input })).toEqual(RUN);
      expect(readNotebookCall({ tool, input: { ...input, reason: "to see", continueOnError: true } })).toEqual(RUN);
    },
  );

  test.each(["EditNotebook", "edit_notebook_file", "copilot_editNotebook"])(
    "recognizes an edit of a cell by the tool %s",
    (tool) => {
      const edited = (editType: string) => readNotebookCall({ tool, input: { ...input, editType, newCode: "x = 1" } });
      expect(edited("edit")).toEqual(CHANGE);
      expect(edited("insert")).toEqual({ ...CHANGE, edit: "insert" });
      expect(edited("delete")).toEqual({ ...CHANGE, edit: "delete" });
    },
  );

  test("recognizes the argument names of NotebookEdit", () => {
    const call = (others: object) =>
      readNotebookCall({
        tool: "NotebookEdit",
        input: { notebook_path: "plots/fox.ipynb", new_source: "x", ...others },
      });
    expect(call({ cell_id: "c3" })).toEqual(CHANGE);
    expect(call({ cell_id: "c3", edit_mode: "delete" })).toEqual({ ...CHANGE, edit: "delete" });
    expect(call({ edit_mode: "insert" })).toEqual({ ...CHANGE, cell: undefined, edit: "insert" });
  });

  test("parses arguments that are a JSON string", () => {
    expect(readNotebookCall({ tool: "run_notebook_cell", input: JSON.stringify(input) })).toEqual(RUN);
  });

  test("returns undefined for other tools with notebook or cell in their names", () => {
    for (const tool of [
      "EditNotebookCell",
      "run_cell",
      "read_notebook_cell_output",
      "create_new_jupyter_notebook",
      "",
    ]) {
      expect(readNotebookCall({ tool, input })).toBeUndefined();
    }
  });

  test(shows(["S2-52", "X-6"], "reports what is wrong with arguments that do not match the schema"), () => {
    const problemOf = (broken: JsonValue, tool = "RunNotebookCell") => {
      const call = readNotebookCall({ tool, input: broken });
      return call?.type === "drift" ? `${call.tool}: ${call.problem}` : call?.type;
    };
    expect(problemOf("c3")).toBe("RunNotebookCell: its arguments are not an object");
    expect(problemOf([input])).toBe("RunNotebookCell: its arguments are not an object");
    expect(problemOf(null)).toBe("RunNotebookCell: its arguments are not an object");
    expect(problemOf({ cellId: "c3" })).toBe("RunNotebookCell: filePath is missing");
    expect(problemOf({ ...input, filePath: null })).toBe("RunNotebookCell: filePath is missing");
    expect(problemOf({ ...input, filePath: " " })).toBe("RunNotebookCell: filePath is empty or not text");
    expect(problemOf({ ...input, cellId: 3 })).toBe("RunNotebookCell: cellId is empty or not text");
    expect(problemOf({ ...input, cellId: ["c3"] })).toBe("RunNotebookCell: cellId is empty or not text");
    expect(problemOf(input, "edit_notebook_file")).toBe("EditNotebook: editType is missing");
    const rotated = problemOf({ ...input, editType: "rotate" }, "edit_notebook_file");
    expect(rotated).toBe("EditNotebook: editType is not one of insert, edit, replace, delete");
    expect(problemOf({ cell_id: "c3" }, "NotebookEdit")).toBe("NotebookEdit: notebook_path is missing");
    expect(problemOf(JSON.parse('{"__proto__": {"filePath": "a", "cellId": "b"}}'))).toBe(
      "RunNotebookCell: filePath is missing",
    );
  });
});

describe("extractFacts on notebook calls", () => {
  const { aRound, aUserMessage } = messageBuilder();
  const run = (callId: string, failed: boolean) =>
    aRound([{ callId, tool: "RunNotebookCell", input, output: "42 rows", failed }]);
  const edit = (callId: string, editType: string, failed = false) =>
    aRound([{ callId, tool: "edit_notebook_file", input: { ...input, editType }, output: "done", failed }]);
  const cellsOf = (messages: Parameters<typeof extractFacts>[0]) =>
    extractFacts(messages).facts.flatMap(({ kind, text }) => (kind === "notebook-cell" ? [text] : []));

  test(shows("S2-54", "returns the notebook, the cell and the outcome of its last run"), () => {
    expect(cellsOf([aUserMessage("Run it."), ...run("a", false)])).toEqual(["plots/fox.ipynb cell c3 → ran, text"]);
    expect(cellsOf([...run("a", false), ...run("b", true)])).toEqual(["plots/fox.ipynb cell c3 → failed"]);
  });

  test(shows("S2-54", "returns the kind of output of a cell"), () => {
    const image = { type: "image", source: { type: "reference", id: "1" } } as const;
    const outputs: readonly (readonly [ToolOutput, string])[] = [
      [{ type: "text", text: " \n" }, "no output"],
      [{ type: "json", value: { rows: 42 } }, "data"],
      [{ type: "parts", parts: [{ type: "text", text: "see" }, image] }, "image"],
      [{ type: "parts", parts: [{ type: "text", text: "see" }] }, "text"],
    ];
    for (const [output, kind] of outputs) {
      const [call, result] = run("a", false);
      if (call === undefined || result === undefined) throw new TypeError("A round has two messages.");
      const parts = result.parts.map((part) => (part.type === "tool-result" ? { ...part, output } : part));
      expect(cellsOf([call, { ...result, parts }])).toEqual([`plots/fox.ipynb cell c3 → ran, ${kind}`]);
    }
  });

  test("returns edits since the last run of a cell, and ignores failed edits", () => {
    expect(cellsOf([...run("a", false), ...edit("b", "edit")])).toEqual([
      "plots/fox.ipynb cell c3 → edited, not run since",
    ]);
    expect(cellsOf([...edit("a", "edit"), ...run("b", false)])).toEqual(["plots/fox.ipynb cell c3 → ran, text"]);
    expect(cellsOf([...run("a", false), ...edit("b", "delete", true)])).toEqual([
      "plots/fox.ipynb cell c3 → ran, text",
    ]);
    expect(cellsOf([...run("a", false), ...edit("b", "insert")])).toEqual([
      "plots/fox.ipynb cell c3 → ran, text",
      "plots/fox.ipynb cell new at c3 → inserted, not run since",
    ]);
  });

  test("keeps the newest outcome of a cell when mergeFacets merges two stretches", () => {
    const first = mergeFacets(undefined, extractFacts(run("a", true)));
    expect(first.entities).toContain("plots/fox.ipynb cell c3 → failed");
    const second = mergeFacets(first, extractFacts(run("b", false)));
    expect(second.entities).toContain("plots/fox.ipynb cell c3 → ran, text");
    expect(second.entities).not.toContain("plots/fox.ipynb cell c3 → failed");
  });

  test("ignores calls without a result, and calls with invalid arguments", () => {
    const open = aRound([{ callId: "open", tool: "RunNotebookCell", input }]);
    const drifted = aRound([{ callId: "drift", tool: "RunNotebookCell", input: { cell: 3 }, output: "ok" }]);
    expect(cellsOf([...open, ...drifted])).toEqual([]);
    expect(findNotebookArgumentDrifts(open)).toEqual([]);
    expect(findNotebookArgumentDrifts([...open, ...drifted, ...drifted])).toEqual([
      { type: "drift", tool: "RunNotebookCell", problem: "filePath is missing" },
    ]);
  });
});
