import fc from "fast-check";
import { expect, test } from "vitest";
import { cutStretches, SEQS_PER_PAGE } from "./weigh-stretches.ts";

test("cutStretches covers exactly the given stretches, and no page exceeds the limit", () => {
  const gaps = fc.array(fc.tuple(fc.nat({ max: 50 }), fc.nat({ max: 60_000 })), { maxLength: 20 });
  fc.assert(
    fc.property(gaps, (given) => {
      let seq = 1;
      const stretches = given.map(([gap, length]) => {
        const firstSeq = seq + gap;
        seq = firstSeq + length;
        return { firstSeq, lastSeq: seq - 1 };
      });
      const pages = cutStretches(stretches);
      const places = pages.map((page) => page.reduce((sum, piece) => sum + piece.lastSeq - piece.firstSeq + 1, 0));
      expect(Math.max(0, ...places)).toBeLessThanOrEqual(SEQS_PER_PAGE);
      const joined = stretches.map(({ firstSeq }) => firstSeq - 1);
      for (const { stretchIndex, firstSeq, lastSeq } of pages.flat()) {
        expect(firstSeq).toBe((joined[stretchIndex] ?? 0) + 1);
        joined[stretchIndex] = lastSeq;
      }
      expect(joined).toEqual(stretches.map(({ lastSeq }) => lastSeq));
    }),
  );
});
