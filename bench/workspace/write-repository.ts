/**
 * A repository of generated sources in eleven languages, the same for the same number of files: classes and functions
 * that call those of other files, with comments and string literals between, about as long as real files.
 */
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";

export interface WrittenRepository {
  readonly paths: readonly string[];
  readonly bytes: number;
}

interface Style {
  readonly ending: string;
  readonly head: (path: string, imported: string) => string;
  readonly open: (name: string) => string;
  readonly method: (name: string, call: string) => string;
  readonly close: string;
}

const braces = (keyword: string) => ({ open: (name: string) => `${keyword} ${name} {`, close: "}\n" });

const STYLES: readonly Style[] = [
  {
    ending: "ts",
    head: (_, imported) => `import { ${imported} } from "./${imported}.ts";\n`,
    ...braces("export class"),
    method: (name, call) =>
      `  ${name}(level: number): number {\n    // how high it is\n    return level + ${call}("high tide");\n  }`,
  },
  {
    ending: "js",
    head: (_, imported) => `const { ${imported} } = require("./${imported}.js");\n`,
    ...braces("class"),
    method: (name, call) =>
      `  ${name}(level) {\n    /* how high it is */\n    return level + ${call}("high tide");\n  }`,
  },
  {
    ending: "py",
    head: (_, imported) => `from .${imported} import ${imported}\n`,
    open: (name) => `class ${name}:`,
    method: (name, call) =>
      `    def ${name}(self, level: int) -> int:\n        # how high it is\n        return level + ${call}("high tide")\n`,
    close: "\n",
  },
  {
    ending: "go",
    head: (path) => `package tide${path.length}\n`,
    open: (name) => `type ${name} struct { level int }\n`,
    method: (name, call) =>
      `// how high it is\nfunc ${name}(level int) int {\n\treturn level + ${call}("high tide")\n}`,
    close: "\n",
  },
  {
    ending: "rs",
    head: (_, imported) => `use crate::${imported};\n`,
    ...braces("pub mod"),
    method: (name, call) =>
      `  /// how high it is\n  pub fn ${name}(level: i32) -> i32 {\n    level + ${call}("high tide")\n  }`,
  },
  {
    ending: "java",
    head: (_, imported) => `import sea.${imported};\n`,
    ...braces("public class"),
    method: (name, call) =>
      `  public int ${name}(int level) {\n    // how high it is\n    return level + ${call}("high tide");\n  }`,
  },
  {
    ending: "c",
    head: (_, imported) => `#include "${imported}.h"\n`,
    open: (name) => `struct ${name} { int level; };\n`,
    method: (name, call) => `/* how high it is */\nint ${name}(int level) {\n  return level + ${call}("high tide");\n}`,
    close: "\n",
  },
  {
    ending: "cpp",
    head: (_, imported) => `#include "${imported}.hpp"\n`,
    open: (name) => `class ${name} {\n public:`,
    method: (name, call) =>
      `  int ${name}(int level) {\n    // how high it is\n    return level + ${call}("high tide");\n  }`,
    close: "};\n",
  },
  {
    ending: "cs",
    head: () => "using System;\n",
    ...braces("public class"),
    method: (name, call) =>
      `  public int ${name}(int level) {\n    // how high it is\n    return level + ${call}("high tide");\n  }`,
  },
  {
    ending: "rb",
    head: (_, imported) => `require_relative "${imported}"\n`,
    open: (name) => `class ${name}`,
    method: (name, call) => `  def ${name}(level)\n    # how high it is\n    level + ${call}("high tide")\n  end\n`,
    close: "end\n",
  },
  {
    ending: "php",
    head: (_, imported) => `<?php\nuse Sea\\${imported};\n`,
    ...braces("class"),
    method: (name, call) =>
      `  public function ${name}(int $level): int {\n    // how high it is\n    return $level + ${call}("high tide");\n  }`,
  },
];

const METHODS = 40;
const FILES_A_FOLDER = 12;

export function writeRepository(root: string, files: number): WrittenRepository {
  const paths: string[] = [];
  let bytes = 0;
  for (let index = 0; index < files; index += 1) {
    const { path, text } = writeSource(index, files);
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text);
    paths.push(path);
    bytes += Buffer.byteLength(text);
  }
  return { paths, bytes };
}

/** At least two of three files are in the four most common languages. */
function writeSource(index: number, files: number): { readonly path: string; readonly text: string } {
  const style = STYLES[index % 3 === 0 ? index % STYLES.length : index % 4];
  if (style === undefined) throw new TypeError("There is no such style.");
  const path = `part${Math.floor(index / FILES_A_FOLDER)}/Tide${index}.${style.ending}`;
  const other = (step: number): number => (index * 7 + step * 131) % files;
  const methods = Array.from({ length: METHODS }, (_, step) =>
    style.method(`rise${index}x${step}`, `rise${other(step)}x${(step * 3) % METHODS}`),
  );
  const text = [style.head(path, `Tide${other(1)}`), style.open(`Tide${index}`), ...methods, style.close].join("\n");
  return { path, text };
}
