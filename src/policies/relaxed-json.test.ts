import { describe, expect, test } from "vitest";
import { parseRelaxedJson, readHeaderComments } from "./relaxed-json.ts";

describe("parseRelaxedJson", () => {
  test("ignores comments, and keeps strings that look like comments", () => {
    const text = '// one\n{ /* two\n */ "a//b": "/* kept */", // three\n  "c\\"//": 1 }';
    expect(parseRelaxedJson(text)).toEqual({ "a//b": "/* kept */", 'c"//': 1 });
  });

  test("allows a comma after the last item, and keeps one in a string", () => {
    expect(parseRelaxedJson('{ "a": [1, 2,], "b": ",}", // last\n }')).toEqual({ a: [1, 2], b: ",}" });
    expect(() => parseRelaxedJson('{ "a": 1,, }')).toThrow(SyntaxError);
  });

  test("names the place of an error in the given text", () => {
    expect(() => parseRelaxedJson('{ /* a\n b */\n "x": 1 "y": 2 }')).toThrow(/line 3 column 9/);
  });

  test("refuses what follows an unfinished comment", () => {
    expect(() => parseRelaxedJson('/* { "a": 1 }')).toThrow(SyntaxError);
  });
});

test("the header is every comment before the first value", () => {
  expect(readHeaderComments("// one\n/* two */\n{ // three\n}")).toBe("// one\n/* two */");
  expect(readHeaderComments('{ "a": 1 }')).toBe("");
});
