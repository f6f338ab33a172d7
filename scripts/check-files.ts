/** Test files that `npm run check` runs and `npm test` leaves out. */

/** Compare the repository's files with its rules. */
export const GUARD_FILES: readonly string[] = [
  "test/rooms.test.ts",
  "test/exports.test.ts",
  "test/lock.test.ts",
  "test/trace.test.ts",
  "test/folder-order.test.ts",
  "test/policies-doc.test.ts",
  "test/doc-lists.test.ts",
  "test/hover-texts.test.ts",
];

/** Builds, packs and installs the package, and runs it. */
export const PACKED_FILE = "test/packed.test.ts";

/** Environment of a vitest that runs these files. */
export const CHECKING = { PALIMPSEST_CHECK: "1" } as const;
