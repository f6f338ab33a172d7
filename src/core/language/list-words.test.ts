import { expect, it } from "vitest";
import { listLines, listPhrases, listWords } from "./list-words.ts";

it("listWords splits at spaces and line breaks, and drops the indentation", () => {
  expect(listWords("\n  am der\n    dem\tden  ")).toEqual(["am", "der", "dem", "den"]);
});

it("listPhrases splits at commas, and replaces a line break inside a phrase with a space", () => {
  expect(listPhrases("\n  you know, kind\n  of, as well\n")).toEqual(["you know", "kind of", "as well"]);
});

it("listLines keeps the spaces and commas inside a line, and drops empty lines", () => {
  expect(listLines("\n  you know, yes\n\n  kind of \n")).toEqual(["you know, yes", "kind of"]);
});
