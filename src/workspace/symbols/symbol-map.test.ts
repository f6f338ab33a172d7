import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { propertyRuns } from "../../../test/support/property-runs.ts";
import { OutlineReader, packOutline } from "./outline-reader.ts";
import { SymbolMap } from "./symbol-map.ts";

const reader = new OutlineReader();

async function add(map: SymbolMap, files: Readonly<Record<string, string>>): Promise<void> {
  for (const [path, text] of Object.entries(files)) {
    const outline = await reader.read(path, text);
    if (outline !== undefined) map.set(path, packOutline(outline));
  }
}

async function mapped(files: Readonly<Record<string, string>>): Promise<SymbolMap> {
  const map = new SymbolMap();
  await add(map, files);
  return map;
}

const references = async (map: SymbolMap): Promise<Readonly<Record<string, readonly string[]>>> =>
  Object.fromEntries((await map.listOutlines()).map(({ path, refersTo }) => [path, refersTo]));

const FILES = {
  "a.ts": "export function alpha() { beta(); }",
  "b.ts": "export function beta() { alpha(); gamma(); }",
  "c.py": "def gamma():\n    pass\n",
};

describe("SymbolMap", () => {
  test("a symbol map sorts references, whatever the order of insertion", async () => {
    const expected = { "a.ts": ["b.ts"], "b.ts": ["a.ts", "c.py"], "c.py": [] };
    expect(await references(await mapped(FILES))).toEqual(expected);
    const backwards = await mapped(Object.fromEntries(Object.entries(FILES).toReversed()));
    expect((await backwards.listOutlines()).map(({ path }) => path)).toEqual(["a.ts", "b.ts", "c.py"]);
    expect(await references(backwards)).toEqual(expected);
  });

  test("a symbol map returns the same objects while nothing changes", async () => {
    const map = await mapped(FILES);
    const before = await map.listOutlines();
    expect(await map.listOutlines()).toBe(before);
    await add(map, { "c.py": "def delta():\n    pass\n" });
    const after = await map.listOutlines();
    expect(after[0]).toBe(before[0]);
    expect(after.map(({ refersTo }) => refersTo)).toEqual([["b.ts"], ["a.ts"], []]);
    map.delete("a.ts");
    expect(await references(map)).toEqual({ "b.ts": [], "c.py": [] });
  });

  test("an outline stays the same object if only function bodies change", async () => {
    const map = await mapped(FILES);
    const [before] = await map.listOutlines();
    await add(map, { "a.ts": "export function alpha() { return beta(2); }" });
    expect((await map.listOutlines())[0]).toBe(before);
  });

  test("a name that many files define refers to a file only if that file is imported", async () => {
    const many = Object.fromEntries(
      ["a", "b", "c", "d", "e"].map((name) => [`${name}.ts`, "export function run() {}"]),
    );
    const map = await mapped({ ...many, "user.ts": "export const used = run();" });
    expect((await references(map))["user.ts"]).toEqual([]);
    await add(map, { "user.ts": 'import { run } from "./c.ts";\nexport const used = run();' });
    expect((await references(map))["user.ts"]).toEqual(["c.ts"]);
  });

  test("a name that several files define refers to all of them if none is imported", async () => {
    const map = await mapped({ "x.ts": "class Tide {}", "y.ts": "class Tide {}", "z.ts": "const t = new Tide();" });
    expect((await references(map))["z.ts"]).toEqual(["x.ts", "y.ts"]);
  });

  test.each([
    [
      "app/z.ts",
      'import { rise } from "../sea/tide.js";\nexport const up = rise();',
      "sea/tide.ts",
      "export function rise() {}",
    ],
    [
      "app/z.tsx",
      'import { rise } from "../sea";\nexport const Up = () => <b>{rise()}</b>;',
      "sea/index.ts",
      "export function rise() {}",
    ],
    ["app/z.js", 'const { rise } = require("../sea/tide");\nvar up = rise();', "sea/tide.js", "function rise() {}"],
    ["app/z.py", "from sea.tide import rise\n\nUP = rise()\n", "sea/tide.py", "def rise():\n    pass\n"],
    ["sea/z.py", "from .tide import rise\n\nUP = rise()\n", "sea/tide.py", "def rise():\n    pass\n"],
    ["app/z.py", "from sea import tide\n\nUP = tide.rise()\n", "sea/tide.py", "def rise():\n    pass\n"],
    [
      "app/z.go",
      'package app\n\nimport (\n\t"fmt"\n\t"example.com/m/sea"\n)\n\nvar Up = sea.Rise()\n',
      "sea/tide.go",
      "package sea\n\nfunc Rise() int { return 1 }\n",
    ],
    ["src/z.rs", "use crate::sea::tide;\n\npub fn up() { tide::rise() }\n", "src/sea/tide.rs", "pub fn rise() {}\n"],
    ["app/Z.java", "import com.sea.Tide;\n\nclass Z { Tide tide; }\n", "com/sea/Tide.java", "public class Tide {}\n"],
    ["app/z.c", '#include "sea/tide.h"\nint up(void) { return rise(); }\n', "sea/tide.h", "int rise(void);\n"],
    [
      "sea/z.cpp",
      '#include "tide.hpp"\nint up() { return rise(); }\n',
      "sea/tide.hpp",
      "inline int rise() { return 1; }\n",
    ],
    [
      "App/Z.cs",
      "using My.Sea;\n\nclass Z { Tide tide; }\n",
      "My/Sea/Tide.cs",
      "namespace My.Sea;\npublic class Tide {}\n",
    ],
    ["app/z.rb", 'require_relative "../sea/tide"\n\ndef up\n  Tide.new\nend\n', "sea/tide.rb", "class Tide\nend\n"],
    [
      "app/z.php",
      "<?php\nuse App\\Sea\\Tide;\n\nfunction up() { return new Tide(); }\n",
      "src/App/Sea/Tide.php",
      "<?php\nnamespace App\\Sea;\nclass Tide {}\n",
    ],
  ])(
    "a name that several files define refers to the file that %s imports",
    async (user, source, target, definition) => {
      const decoy = `lake/other${target.slice(target.lastIndexOf("."))}`;
      const map = await mapped({ [user]: source, [target]: definition, [decoy]: definition });
      expect((await references(map))[user]).toEqual([target]);
    },
  );

  test("a symbol map after any changes equals one that is built at once", async () => {
    const name = fc.constantFrom("a", "b", "c", "d", "e");
    const path = name.map((letter) => `${letter}.ts`);
    const file = fc.record({
      path,
      defines: fc.uniqueArray(name),
      uses: fc.uniqueArray(name),
      imports: fc.uniqueArray(name),
    });
    const change = fc.oneof(
      { weight: 4, arbitrary: file },
      path.map((gone) => ({ path: gone })),
    );
    const packed = (each: { defines: string[]; uses: string[]; imports: string[] }) =>
      packOutline({
        text: each.defines.join("\n"),
        ...each,
        uses: new Set(each.uses),
        imports: each.imports.map((other) => `./${other}.ts`),
      });
    await fc.assert(
      fc.asyncProperty(fc.array(fc.array(change, { maxLength: 4 }), { maxLength: 8 }), async (batches) => {
        const [grown, last] = [new SymbolMap(), new Map<string, Parameters<typeof packed>[0]>()];
        for (const batch of batches) {
          for (const each of batch) {
            if ("defines" in each) grown.set(each.path, packed(each));
            else grown.delete(each.path);
            if ("defines" in each) last.set(each.path, each);
            else last.delete(each.path);
          }
          await grown.listOutlines();
        }
        const atOnce = new SymbolMap();
        for (const [path, each] of last) atOnce.set(path, packed(each));
        expect(await grown.listOutlines()).toEqual(await atOnce.listOutlines());
      }),
      { numRuns: propertyRuns() },
    );
  });
});
