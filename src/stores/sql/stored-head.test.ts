import { describe, expect, test } from "vitest";
import { EMPTY_HEAD, type Head } from "../../core/log/head.ts";
import { summarizeOffline } from "../../core/summary/offline/summarize-offline.ts";
import { readHead, writeHead } from "./stored-head.ts";

const messages = [
  { role: "user", content: "Keep the budget below 4,000 euros, and never touch src/legacy.ts." },
  { role: "assistant", content: "I changed src/guide.ts and ran npm test: 3 failed." },
];
const record = summarizeOffline(messages, { budgetTokens: 400 });
const head: Head = { ...EMPTY_HEAD, epoch: 3, summary: { ...record, id: "s1" } };

describe("a stored head", () => {
  test("a head is restored exactly, with the facts of its summary", () => {
    expect(record.facets.sheet?.facts.length).toBeGreaterThan(0);
    const read = readHead({ head: writeHead(head) });
    expect(read).toEqual(head);
    expect({ ...read.summary?.facets }.sheet).toEqual(record.facets.sheet);
    expect(JSON.parse(JSON.stringify(read))).toEqual(JSON.parse(JSON.stringify(head)));
    expect(structuredClone(read)).toEqual(head);
  });

  test("a head keeps quotation marks, backslashes and the characters that replace quotation marks", () => {
    for (const text of [
      'a "quoted" \\ path',
      "~ and ^ and ` and |",
      "~^`|@#%&$*;<> \u00a8\u00ac\u00b8\u00b4",
      "lone \ud800",
    ]) {
      const facets = { ...record.facets, goal: text };
      const headWithSummary = { ...head, summary: { ...record, id: "s1", facets } };
      expect(readHead({ head: writeHead(headWithSummary) })).toEqual(headWithSummary);
    }
  });

  test("a head that was stored without packing or without a summary can be read", () => {
    expect(readHead({ head: JSON.stringify(head) })).toEqual(head);
    expect(readHead({ head: writeHead(EMPTY_HEAD) })).toEqual(EMPTY_HEAD);
  });

  test("a head with damaged facts can be read, and only reading its facts fails", () => {
    const stored = JSON.parse(writeHead(head));
    const read = readHead({ head: JSON.stringify({ ...stored, packed: { ...stored.packed, text: "{" } }) });
    expect(read.summary?.text).toBe(record.text);
    expect(() => read.summary?.facets).toThrow(/damaged/);
  });
});
