import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { propertyRuns } from "../../../test/support/property-runs.ts";
import { jsonObjects } from "../../testing/generate-json.ts";
import { decodeLine, detachFromBatch, encodeBatch } from "./line.ts";

const bodyOf = (line: Buffer | undefined): Buffer => line?.subarray(0, -1) ?? Buffer.alloc(0);

describe("a line", () => {
  test("decodes to the written value, alone or in a batch", () => {
    fc.assert(
      fc.property(fc.array(jsonObjects(), { minLength: 1, maxLength: 4 }), (values) => {
        const batch = values.map((value) => ({ kind: "any", value }));
        for (const [index, line] of encodeBatch(batch).entries()) {
          const decoded = decodeLine(bodyOf(line));
          if (typeof decoded === "string") throw new TypeError(decoded);
          expect(JSON.stringify(decoded.value.value)).toBe(JSON.stringify(values[index]));
          expect(decoded).toMatchObject({ part: [index, values.length], hasSum: true });
        }
      }),
      { numRuns: propertyRuns() },
    );
  });

  test("is read as damaged or without a checksum after a change of any byte", () => {
    const [line] = encodeBatch([{ kind: "entry", text: "Hello, wörld." }]);
    const body = bodyOf(line);
    for (let place = 0; place < body.length; place += 1) {
      for (const flip of [1, 0x20, 0x80]) {
        const changed = Buffer.from(body);
        changed[place] = (changed[place] ?? 0) ^ flip;
        const decoded = decodeLine(changed);
        if (typeof decoded !== "string") expect(decoded.hasSum).toBe(false);
      }
    }
  });

  test("can be detached from its batch and rewritten as a single line", () => {
    const value = { kind: "entry", nested: [{ a: 1, part: [1, 2] }] };
    const [alone] = encodeBatch([value]);
    const [, second] = encodeBatch([{ kind: "other" }, value, { kind: "third" }]);
    expect(detachFromBatch(bodyOf(second))).toEqual(alone);
    expect(detachFromBatch(bodyOf(alone))).toEqual(alone);
    expect(String(detachFromBatch(Buffer.from('{"by":"others"}')))).toBe('{"by":"others"}\n');
  });

  test.each([["[1]"], ["1"], ["null"], [""], ['{"a":'], ["\u0000\u0000"]])("cannot be decoded from %j", (text) => {
    expect(typeof decodeLine(Buffer.from(text))).toBe("string");
  });

  test("never contains a raw NUL, which marks space that was never written", () => {
    const [line] = encodeBatch([{ text: "a\u0000b" }]);
    expect((line ?? Buffer.alloc(1)).includes(0)).toBe(false);
  });
});
