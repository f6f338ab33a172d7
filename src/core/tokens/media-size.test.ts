import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { propertyRuns } from "../../../test/support/property-runs.ts";
import { type ImageSize, readImageSize } from "./media-size.ts";

const sizes = fc.record({
  widthPixels: fc.integer({ min: 1, max: 16_383 }),
  heightPixels: fc.integer({ min: 1, max: 16_383 }),
});

const encode = (...parts: readonly (string | readonly number[])[]): string =>
  Buffer.concat(
    parts.map((part) => (typeof part === "string" ? Buffer.from(part, "latin1") : Buffer.from(part))),
  ).toString("base64");

const big16 = (value: number): number[] => [value >> 8, value & 255];
const big32 = (value: number): number[] => [...big16(value >>> 16), ...big16(value & 0xffff)];
const little16 = (value: number): number[] => [value & 255, value >> 8];
const little24 = (value: number): number[] => [...little16(value & 0xffff), value >> 16];
const zeros = (length: number): number[] => new Array<number>(length).fill(0);

const writers: Readonly<Record<string, (size: ImageSize) => string>> = {
  png: ({ widthPixels, heightPixels }) =>
    encode("\x89PNG\r\n\x1a\n", big32(13), "IHDR", big32(widthPixels), big32(heightPixels), zeros(20)),
  gif: ({ widthPixels, heightPixels }) => encode("GIF89a", little16(widthPixels), little16(heightPixels), zeros(20)),
  "lossy webp": ({ widthPixels, heightPixels }) =>
    encode(
      "RIFF",
      zeros(4),
      "WEBPVP8 ",
      zeros(7),
      [0x9d, 0x01, 0x2a],
      little16(widthPixels),
      little16(heightPixels),
      zeros(9),
    ),
  "lossless webp": ({ widthPixels, heightPixels }) => {
    const bits = ((widthPixels - 1) | ((heightPixels - 1) << 14)) >>> 0;
    return encode(
      "RIFF",
      zeros(4),
      "WEBPVP8L",
      zeros(4),
      [0x2f],
      little16(bits & 0xffff),
      little16(bits >>> 16),
      zeros(9),
    );
  },
  "extended webp": ({ widthPixels, heightPixels }) =>
    encode("RIFF", zeros(4), "WEBPVP8X", zeros(8), little24(widthPixels - 1), little24(heightPixels - 1), zeros(9)),
  jpeg: ({ widthPixels, heightPixels }) =>
    encode(
      [0xff, 0xd8],
      [0xff, 0xe0],
      big16(16),
      zeros(14),
      [0xff, 0xff, 0xc2],
      big16(17),
      [8],
      big16(heightPixels),
      big16(widthPixels),
      zeros(20),
    ),
};

describe("readImageSize", () => {
  test.each(Object.entries(writers))("reads the size from the header of a %s image", (_name, write) => {
    fc.assert(
      fc.property(sizes, (size) => {
        expect(readImageSize(write(size))).toEqual(size);
      }),
      { numRuns: propertyRuns() },
    );
  });

  test("reads the size of a JPEG after up to 64 kB of thumbnails and profiles, and no further", () => {
    const frame = [[0xff, 0xc0], big16(17), [8], big16(600), big16(800), zeros(10)];
    const profile = (length: number) => [[0xff, 0xe2], big16(length), zeros(length - 2)];
    expect(readImageSize(encode([0xff, 0xd8], ...profile(60_000), ...frame))).toEqual({
      widthPixels: 800,
      heightPixels: 600,
    });
    expect(readImageSize(encode([0xff, 0xd8], ...profile(65_000), ...profile(65_000), ...frame))).toBeUndefined();
  });

  test("returns undefined for an empty text and a broken image, and never a size of 0", () => {
    fc.assert(
      fc.property(fc.oneof(fc.string({ unit: "binary" }), fc.base64String()), (text) => {
        const size = readImageSize(text);
        if (size !== undefined) expect(Math.min(size.widthPixels, size.heightPixels)).toBeGreaterThan(0);
      }),
      { numRuns: propertyRuns() },
    );
    expect(readImageSize("")).toBeUndefined();
    expect(readImageSize(encode("GIF89a", zeros(20)))).toBeUndefined();
    expect(readImageSize(encode([0xff, 0xd8, 0xff, 0xe0], zeros(40)))).toBeUndefined();
  });

  test("returns undefined for a broken JPEG whose segments have no length", () => {
    expect(readImageSize(encode([0xff, 0xd8, 0xff, 0xe1, 0, 0], zeros(60_000)))).toBeUndefined();
  });
});
