/** Laws of the client's readers: the result does not depend on how the network splits the bytes. */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { EventParser, type ServerSentEvent } from "../src/client/event-parser.ts";
import { readLines, readTextStream } from "../src/client/read-text.ts";

const RUNS = 2_000;
const encoder = new TextEncoder();

/** Text with every character that matters to the format, and many that do not. */
const sources = fc
  .array(
    fc.oneof(
      fc.constantFrom("data: ", "data:", "data", "event: ", "id: ", "id", "retry: ", ": a comment", "\0", "\uFEFF"),
      fc.constantFrom("\n", "\r", "\r\n", "\n\n", "\r\r", "\r\n\r\n"),
      fc.string({ unit: "binary", maxLength: 6 }),
      fc.constantFrom("ü", "漢字", "👩‍🚀", "12", "{}"),
    ),
    { maxLength: 60 },
  )
  .map((pieces) => pieces.join("").toWellFormed());

const cuts = fc.array(fc.nat({ max: 400 }), { maxLength: 30 });

function cut(bytes: Uint8Array<ArrayBuffer>, places: readonly number[]): readonly Uint8Array<ArrayBuffer>[] {
  const ends = [...new Set(places.map((place) => place % (bytes.length + 1)))].toSorted((one, other) => one - other);
  return [...ends, bytes.length].map((end, index) => bytes.slice(index === 0 ? 0 : ends[index - 1], end));
}

const bodyOf = (pieces: readonly Uint8Array<ArrayBuffer>[]) => ReadableStream.from(pieces);

async function parse(pieces: readonly Uint8Array<ArrayBuffer>[]) {
  const parser = new EventParser();
  const events: ServerSentEvent[] = [];
  for await (const text of readTextStream(bodyOf(pieces))) events.push(...parser.push(text));
  return { events, lastId: parser.lastId, retryMs: parser.retryMs };
}

describe("server-sent events", () => {
  test("are the same for any split of the bytes", async () => {
    await fc.assert(
      fc.asyncProperty(sources, cuts, async (source, places) => {
        const bytes = encoder.encode(source);
        expect(await parse(cut(bytes, places))).toEqual(await parse([bytes]));
      }),
      { numRuns: RUNS },
    );
  });

  test("are the same if they arrive byte by byte", async () => {
    await fc.assert(
      fc.asyncProperty(sources, async (source) => {
        const bytes = encoder.encode(source);
        const single = Array.from(bytes, (byte) => Uint8Array.of(byte));
        expect(await parse(single)).toEqual(await parse([bytes]));
      }),
      { numRuns: RUNS / 10 },
    );
  });

  test("are parsed as they were written", async () => {
    const line = fc
      .string({ unit: "binary", maxLength: 20 })
      .map((text) => text.toWellFormed().replaceAll(/[\r\n\0]/g, ""));
    const event = fc.record({ name: line, lines: fc.array(line, { minLength: 1, maxLength: 4 }), id: line });
    await fc.assert(
      fc.asyncProperty(fc.array(event), fc.constantFrom("\n", "\r", "\r\n"), cuts, async (events, end, places) => {
        const written = events.map(({ name, lines, id }) =>
          [`event: ${name}`, `id: ${id}`, ...lines.map((data) => `data: ${data}`), "", ""].join(end),
        );
        const { events: read } = await parse(cut(encoder.encode(written.join("")), places));
        const expected = events.map(({ name, lines, id }) => {
          return { name: name === "" ? "message" : name, data: lines.join("\n"), id };
        });
        expect(read).toEqual(expected);
      }),
      { numRuns: RUNS / 4 },
    );
  });
});

test("lines are the same for any split of the bytes, and join to the sent text", async () => {
  await fc.assert(
    fc.asyncProperty(sources, cuts, async (source, places) => {
      const lines: string[] = [];
      for await (const line of readLines(bodyOf(cut(encoder.encode(source), places)))) lines.push(line);
      const expected = source.split("\n");
      if (expected.at(-1) === "") expected.pop();
      expect(lines).toEqual(expected);
    }),
    { numRuns: RUNS / 2 },
  );
});
