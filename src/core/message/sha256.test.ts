import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { sha256 } from "./sha256.ts";
import { sha256 as sha256OfNode } from "./sha256-node.ts";

describe("sha256", () => {
  test("returns the same hash as Node for any text", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary", maxLength: 400 }), (text) => {
        expect(sha256(text)).toBe(sha256OfNode(text));
      }),
    );
  });

  test.each([0, 55, 56, 63, 64, 65, 119, 120, 1_000])("returns the same hash as Node for %d bytes", (length) => {
    expect(sha256("a".repeat(length))).toBe(sha256OfNode("a".repeat(length)));
  });

  test("encodes a lone surrogate as Node does", () => {
    expect(sha256("a\ud800b")).toBe(sha256OfNode("a\ud800b"));
  });
});
