/** The folders of the engine and of the server have an order, so that a reader can start with the first. */
import { describe, expect, test } from "vitest";
import { findWrongImports, listFolders } from "./support/check-folders.ts";
import { readSources } from "./support/read-repository.ts";

/** Each folder may import itself and those before it. */
const ORDER: Readonly<Record<string, string>> = {
  "src/engine": "context workspace state recall compaction prompt session session-list transfer fit background",
  "src/server": "http access tenants app gateway operations prompts images page rest chat",
};

describe.each(Object.entries(ORDER))("the folders of %s", (room, text) => {
  const order = text.split(" ");
  const files = readSources(`${room}/**/*.ts`);

  test("are all in the table of the import order", () => {
    expect(order.toSorted()).toEqual(listFolders(room, files));
  });

  test("import only themselves and the folders before them", () => {
    expect(findWrongImports(room, order, files)).toEqual([]);
  });
});

test("an import of a later folder, or of a file next to the folders, is found", () => {
  const files = new Map([
    ["src/engine/context/errors.ts", 'import type { State } from "../state/state.ts";'],
    [
      "src/engine/state/state.ts",
      'import { fail } from "../context/errors.ts";\nimport { Engine } from "../engine.ts";',
    ],
    ["src/engine/engine.ts", 'export { fail } from "./context/errors.ts";'],
    ["src/engine/context/errors.test.ts", 'import { State } from "../state/state.ts";'],
  ]);
  expect(findWrongImports("src/engine", ["context", "state"], files)).toEqual([
    "src/engine/context/errors.ts imports src/engine/state/state.ts",
    "src/engine/state/state.ts imports src/engine/engine.ts",
  ]);
});
