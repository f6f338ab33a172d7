import { describe, expect, test } from "vitest";
import { EntryColumns } from "./entry-columns.ts";
import { numberOfKind } from "./stored-line.ts";

const NOTE = numberOfKind("note");
const place = (index: number) => ({
  kind: NOTE,
  turn: index,
  offset: index * 100,
  length: index,
  idHash: index % 1_000,
});

/** Saves every so many entries, as the index does, and gives what the index file would hold. */
function filled(count: number, savedEvery: number): { columns: EntryColumns; file: Buffer } {
  const columns = new EntryColumns();
  let file = Buffer.alloc(0);
  for (let index = 0; index < count; index += 1) {
    if (index % 10 === 9) columns.pushHole();
    else columns.push(place(index));
    if (index % savedEvery !== savedEvery - 1) continue;
    const bytes = columns.encodeNew() ?? Buffer.alloc(0);
    columns.markIndexed({ at: file.length, bytes });
    file = Buffer.concat([file, bytes]);
  }
  return { columns, file };
}

describe("EntryColumns", () => {
  test("give the same from the index file as from memory", async () => {
    const { columns, file } = filled(5_000, 700);
    const restored = new EntryColumns();
    restored.restore(columns.indexedRuns);
    expect(restored.count).toBe(4_900);
    const read = async (at: number, bytes: number) => file.subarray(at, at + bytes);
    for (const position of [0, 4_899, 700, 699, 2_345]) {
      expect(restored.isLoaded(position)).toBe(
        position === 699 || position === 2_345 ? restored.isLoaded(position) : false,
      );
      expect(await restored.load(read, position)).toBe(true);
    }
    expect(await restored.load(read)).toBe(true);
    for (let position = 0; position < restored.count; position += 1) {
      expect(restored.offsetAt(position)).toBe(columns.offsetAt(position));
      expect(restored.kindAt(position)).toBe(columns.kindAt(position));
      expect(restored.lengthAt(position)).toBe(columns.lengthAt(position));
      expect(restored.turnOf(position)).toBe(columns.turnOf(position));
    }
    // The first are looked for in the columns, later ones in the table.
    for (let lookup = 0; lookup < 30; lookup += 1) {
      expect(restored.findByHash(17)).toEqual([17, 1_017, 2_017, 3_017, 4_017]);
      expect(restored.findByHash(9)).toEqual([]);
      expect(restored.findByHash(0)).toEqual([0, 1_000, 2_000, 3_000, 4_000]);
    }
  });

  test("read only the run that is asked for", async () => {
    const { columns, file } = filled(2_000, 100);
    const restored = new EntryColumns();
    restored.restore(columns.indexedRuns);
    const asked: number[] = [];
    const read = async (at: number, bytes: number) => {
      asked.push(bytes);
      return file.subarray(at, at + bytes);
    };
    await restored.load(read, 1_950);
    expect(asked).toEqual([100 * 29]);
    expect(() => restored.kindAt(0)).toThrow("columns are loaded");
  });

  test("notice an index file that is not theirs", async () => {
    const { columns, file } = filled(300, 100);
    const restored = new EntryColumns();
    restored.restore(columns.indexedRuns);
    const flipped = Buffer.from(file);
    flipped[5] = 77;
    expect(await restored.load(async (at, bytes) => flipped.subarray(at, at + bytes))).toBe(false);
    expect(await restored.load(async () => Buffer.alloc(3))).toBe(false);
  });

  test("find ids while they grow", () => {
    const columns = new EntryColumns();
    for (let index = 0; index < 3_000; index += 1) {
      columns.push({ ...place(index), idHash: index * 7_919_000 });
      if (index % 50 === 0) expect(columns.findByHash(index * 7_919_000)).toEqual([index]);
    }
    expect(columns.findByHash(2_999 * 7_919_000)).toEqual([2_999]);
    expect(columns.findByHash(5)).toEqual([]);
  });
});
