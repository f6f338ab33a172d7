/** A generated repository: source files that use each other, some of them used by many. */
import type { SeededRandom } from "../../src/testing/seeded-random.ts";
import { pathAt, sourceFile } from "./write-text.ts";

export function writeRepository(random: SeededRandom, count: number): ReadonlyMap<string, string> {
  return new Map(
    Array.from({ length: count }, (_, index) => {
      // Most files use a few common ones, such as types and helpers; neighbors use each other.
      const imports = [random.integer(8), Math.max(0, index - 1), Math.min(count - 1, index + 1)].map(pathAt);
      return [pathAt(index), sourceFile(random, { functions: 3 + random.integer(9), imports })];
    }),
  );
}
