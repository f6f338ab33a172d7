import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { decodeBase64Text, encodeBase64, encodeBase64Text } from "./base64.ts";

describe("base64", () => {
  test("writes any bytes as Buffer does", () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 20_000 }), (bytes) => {
        expect(encodeBase64(bytes)).toBe(Buffer.from(bytes).toString("base64"));
      }),
      { numRuns: 30 },
    );
  });

  test("writes and reads any text as Buffer does", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary", maxLength: 200 }), (text) => {
        expect(encodeBase64Text(text)).toBe(Buffer.from(text).toString("base64"));
        expect(decodeBase64Text(encodeBase64Text(text))).toBe(Buffer.from(Buffer.from(text)).toString());
      }),
    );
  });

  test.each(["aGk=", "aGk", "a-_b", "aG k=\n", "a", "", "aGk=aGk="])("reads %j as Buffer does", (base64) => {
    expect(decodeBase64Text(base64)).toBe(Buffer.from(base64, "base64").toString());
  });

  test("keeps a byte order mark", () => {
    expect(decodeBase64Text(encodeBase64Text("\ufeffa"))).toBe("\ufeffa");
  });
});
