/** Checks the order of the folders in a room: each imports only itself and those before it. */
import { posix } from "node:path";
import type { SourceFiles } from "./check-rooms.ts";
import { readImports } from "./read-imports.ts";

/** Lists the folders of a room, sorted. */
export function listFolders(room: string, files: SourceFiles): readonly string[] {
  const names = [...files.keys()].flatMap((file) => findName(room, file) ?? []);
  return [...new Set(names)].filter((name) => !name.endsWith(".ts")).toSorted();
}

/** Returns the imports of later folders. A file next to the folders comes last, unless the order names it. */
export function findWrongImports(room: string, order: readonly string[], files: SourceFiles): readonly string[] {
  const placeOf = (name: string) => (order.includes(name) ? order.indexOf(name) : order.length);
  const wrong: string[] = [];
  for (const [file, source] of files) {
    const own = findName(room, file);
    if (own === undefined || file.endsWith(".test.ts")) continue;
    for (const { specifier = "" } of readImports(source)) {
      const target = specifier.startsWith(".") ? posix.join(posix.dirname(file), specifier) : "";
      const imported = findName(room, target);
      if (imported !== undefined && placeOf(imported) > placeOf(own)) wrong.push(`${file} imports ${target}`);
    }
  }
  return wrong;
}

/** Returns the folder of a file, or its name if it is next to the folders; undefined for a file of another room. */
function findName(room: string, file: string): string | undefined {
  return file.startsWith(`${room}/`) ? file.slice(room.length + 1).split("/")[0] : undefined;
}
