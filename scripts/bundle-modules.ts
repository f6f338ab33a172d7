/**
 * Joins the compiled modules of a package into fewer files, because loading hundreds of small modules takes most of the
 * time of a first import. Entry points keep their paths. Modules that several of them use are in shared files, so that
 * each module still exists once in a process.
 */
import { mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync } from "node:fs";
import { dirname, isAbsolute, join, relative } from "node:path";
import { type Plugin, rolldown } from "rolldown";

const SHARED_FOLDER = "shared";

/** `entries` are files in the folder. Type declarations and JSON files stay. */
export async function bundleModules(folder: string, entries: readonly string[]): Promise<void> {
  const bundle = await rolldown({
    input: Object.fromEntries(entries.map((entry) => [entry.replace(/\.js$/, ""), join(folder, entry)])),
    platform: "node",
    external: (id) => !id.startsWith(".") && !isAbsolute(id),
    plugins: [keepPaths(folder)],
    logLevel: "warn",
  });
  const bundled = mkdtempSync(`${folder}-`);
  const chunkFileNames = `${SHARED_FOLDER}/[name]-[hash].js`;
  await bundle.write({ dir: bundled, entryFileNames: "[name].js", chunkFileNames, comments: false });
  await bundle.close();
  for (const file of listModules(folder)) rmSync(join(folder, file));
  for (const file of listModules(bundled)) {
    mkdirSync(dirname(join(folder, file)), { recursive: true });
    renameSync(join(bundled, file), join(folder, file));
  }
  rmSync(bundled, { recursive: true });
}

function listModules(folder: string): readonly string[] {
  return readdirSync(folder, { recursive: true, encoding: "utf8" }).filter((file) => file.endsWith(".js"));
}

/**
 * Keeps `import.meta.url` the address of the module before bundling, and leaves JSON files where they are. Paths are
 * relative to the file that contains them, which is known only after all modules are distributed to files.
 */
function keepPaths(folder: string): Plugin {
  return {
    name: "keep-paths",
    resolveId(id, importer = folder) {
      return id.endsWith(".json") ? { id: join(dirname(importer), id), external: "relative" } : null;
    },
    transform(code, id) {
      return code
        .replaceAll("import.meta.url", `${ADDRESS_OF}(${JSON.stringify(relative(folder, id))})`)
        .replaceAll(/import\("(\.[^"]+\.json)"/g, (_, path: string) => {
          return `import("${JSON_FILE}${relative(folder, join(dirname(id), path))}"`;
        });
    },
    renderChunk(code, { fileName }) {
      const pathTo = (path: string): string => JSON.stringify(asRelative(relative(dirname(fileName), path)));
      return code
        .replaceAll(ADDRESS, (_, path: string) => `new URL(${pathTo(path)}, import.meta.url).href`)
        .replaceAll(JSON_IMPORT, (_, path: string) => `import(${pathTo(path)}`);
    },
  };
}

const ADDRESS_OF = "__addressOf";
const ADDRESS = /__addressOf\("([^"]+)"\)/g;
const JSON_FILE = "json-file:";
const JSON_IMPORT = /import\("json-file:([^"]+)"/g;

function asRelative(path: string): string {
  return path.startsWith(".") ? path : `./${path}`;
}
