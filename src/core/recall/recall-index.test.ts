import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { describe, expect, test } from "vitest";
import { messageBuilder } from "../../testing/builders.ts";
import { RecallIndex } from "./recall-index.ts";

setFlagsFromString("--expose-gc");
const collectGarbage: () => void = runInNewContext("gc");

function measureHeapMb(): number {
  collectGarbage();
  return process.memoryUsage().heapUsed / 1_000_000;
}

describe("RecallIndex", () => {
  test("keeps no long message in memory because of one of its words", () => {
    const { aUserMessage } = messageBuilder();
    const indexLong = (letter: string): void => {
      const text = Buffer.from(`The lighthousekeeper${letter} rows. ${"~".repeat(400_000)}`).toString();
      new RecallIndex().add([aUserMessage(text)]);
    };
    indexLong("a");
    const before = measureHeapMb();
    for (const letter of "bcdefghijklmnop") indexLong(letter);
    expect(measureHeapMb() - before).toBeLessThan(3);
  });
});
