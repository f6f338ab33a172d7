import { deflateSync, gzipSync } from "node:zlib";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { propertyRuns } from "../../../test/support/property-runs.ts";
import { decodeText } from "./decode-text.ts";

const TEXT = 'Grüße an alle,\r\nund "Welt"\ttut gut.\r\n';

describe("decodeText", () => {
  test.each([
    ["UTF-8", Buffer.from(TEXT)],
    ["UTF-8 with a byte order mark", Buffer.from(`\ufeff${TEXT}`)],
    ["UTF-16 LE with a byte order mark", Buffer.from(`\ufeff${TEXT}`, "utf16le")],
    ["UTF-16 BE with a byte order mark", Buffer.from(`\ufeff${TEXT}`, "utf16le").swap16()],
    ["UTF-16 LE without a byte order mark", Buffer.from(TEXT, "utf16le")],
    ["UTF-16 BE without a byte order mark", Buffer.from(TEXT, "utf16le").swap16()],
    ["Latin-1", Buffer.from(TEXT, "latin1")],
  ])("reads %s and keeps Windows line endings", (_, bytes) => {
    expect(decodeText(bytes)).toBe(TEXT);
  });

  test("reads UTF-8 with a broken byte or a truncated last character", () => {
    const broken = Buffer.concat([Buffer.from("Größe und Maß, "), Buffer.from([0xff]), Buffer.from("世界")]);
    expect(decodeText(broken)).toBe("Größe und Maß, \ufffd世界");
    expect(decodeText(Buffer.from("世界").subarray(0, 5))).toBe("世\ufffd");
  });

  test.each([
    ["a long text with a zero byte at its end", Buffer.concat([Buffer.from("text\n".repeat(50_000)), Buffer.alloc(1)])],
    ["UTF-32", Buffer.from([0xff, 0xfe, 0, 0, 0x41, 0, 0, 0, 0x42, 0, 0, 0])],
    ["a lone surrogate in UTF-16", Buffer.from([0xff, 0xfe, 0x00, 0xd8, 0x41, 0x00])],
    ["gzip", gzipSync(TEXT)],
    ["a deflate stream", deflateSync(Buffer.from(Array.from({ length: 5_000 }, (_, index) => (index * index) % 251)))],
    ["a small GIF", Buffer.from("GIF89a!!")],
    ["control characters", Buffer.from("\u0001\u0002\u0003text")],
  ])("decodeText returns undefined for %s", (_, bytes) => {
    expect(decodeText(bytes)).toBeUndefined();
  });

  test("decodes empty files and color escape sequences as text", () => {
    expect(decodeText(Buffer.from("\u001b[31mred\u001b[0m\n"))).toBe("\u001b[31mred\u001b[0m\n");
    expect(decodeText(new Uint8Array())).toBe("");
  });

  test("restores every text that was written as UTF-8", () => {
    fc.assert(
      fc.property(fc.string({ unit: "grapheme" }), (text) => {
        fc.pre(!/^(?:\ufeff|%PDF|BZh|Rar!|wOF|\{\\rtf)|\p{Cc}/u.test(text));
        expect(decodeText(Buffer.from(text))).toBe(text);
      }),
      { numRuns: propertyRuns() },
    );
  });
});
