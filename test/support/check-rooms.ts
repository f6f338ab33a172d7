/**
 * Checks that imports go one way only: between rooms, between the folders of core, and out of the light entry points.
 * It is a pure function of paths and texts, so its own tests pass files that do not exist.
 */
import { posix } from "node:path";
import { type Import, readImports } from "./read-imports.ts";
import { coreOrder, lightEntryPoints, mayCompose, ownImports, type RoomRule, rooms } from "./rooms.ts";

export interface Violation {
  readonly file: string;
  /** The imported path, if the violation is an import. */
  readonly imports?: string | undefined;
  readonly rule: string;
}

export type SourceFiles = ReadonlyMap<string, string>;

interface Edge extends Import {
  readonly file: string;
  /** The file of a relative specifier; undefined for a package or builtin. */
  readonly target: string | undefined;
}

export function checkRooms(files: SourceFiles): readonly Violation[] {
  const sources = [...files].filter(([file]) => !isTest(file));
  const edges = sources.flatMap(([file, source]) => readEdges(file, source));
  return [
    ...[...files.keys()].flatMap((file) => checkPlace(file, files)),
    ...edges.flatMap((edge) => checkEdge(edge)),
    ...lightEntryPoints.filter((entry) => files.has(entry)).flatMap((entry) => checkClosure(entry, edges)),
    ...findCycles(edges),
  ];
}

export function formatViolation({ file, imports, rule }: Violation): string {
  return imports === undefined ? `${file}: ${rule}` : `${file} imports ${imports}: ${rule}`;
}

function readEdges(file: string, source: string): readonly Edge[] {
  return readImports(source).map((found) => ({
    ...found,
    file,
    target: found.specifier?.startsWith(".")
      ? posix.join(posix.dirname(file), found.specifier)
      : ownImports[found.specifier ?? ""],
  }));
}

function isTest(file: string): boolean {
  return /\.test\.tsx?$/.test(file);
}

/** Returns `core/message`, `engine`, `index`, `web` …, or undefined for a file outside of the design. */
function findRoom(file: string): string | undefined {
  const [top, first = "", second = ""] = file.split("/");
  if (top === "web") return "web";
  if (top !== "src") return undefined;
  const [room = ""] = first.split(".");
  if (room === "core") return `core/${second.split(".")[0]}`;
  const isFile = first.endsWith(".ts");
  // compose.ts has its parts in a folder of the same name.
  const isInPlace = room === "compose" || isFile === (room === "index");
  return room in rooms && isInPlace ? room : undefined;
}

function checkPlace(file: string, files: SourceFiles): readonly Violation[] {
  const found: Violation[] = [];
  const room = findRoom(file);
  const folder = room?.startsWith("core/") ? room.slice("core/".length) : undefined;
  if (room === undefined) found.push({ file, rule: "it is in no room of the design" });
  if (folder !== undefined && !coreOrder.includes(folder))
    found.push({ file, rule: `core has the folders ${coreOrder.join(", ")} and no other` });
  if (/(?:^|[/-])(?:utils?|helpers?|misc)(?:\.|\/)/.test(file))
    found.push({ file, rule: "a file is named after what it does, not utils, helpers or misc" });
  const source = file.replace(/(?:\.[a-z-]+)?\.test(\.tsx?)$/, "$1");
  if (isTest(file) && !files.has(source)) found.push({ file, rule: `a test needs a source beside it, ${source}` });
  return found;
}

function checkEdge(edge: Edge): readonly Violation[] {
  const rule = findBrokenRule(edge);
  return rule === undefined ? [] : [{ file: edge.file, imports: edge.specifier ?? "a computed path", rule }];
}

function findBrokenRule(edge: Edge): string | undefined {
  const room = findRoom(edge.file);
  const rule = rooms[room?.split("/")[0] ?? ""];
  if (room === undefined || rule === undefined) return undefined;
  if (edge.specifier === undefined) return "import() names its module with a string, so that it can be checked";
  if (edge.target !== undefined) return findBrokenRoomRule({ ...edge, target: edge.target }, { room, rule });
  if (/^palimpsest(?:\/|$)/.test(edge.specifier)) return "inside the package, import the file and not the package";
  const allowed = edge.specifier.startsWith("node:") ? rule.builtins : rule.packages;
  const isAllowed = allowed === "any" || (allowed !== "none" && allowed.includes(edge.specifier));
  return isAllowed ? undefined : rule.because;
}

function findBrokenRoomRule(
  edge: Edge & { readonly target: string },
  { room, rule }: { readonly room: string; readonly rule: RoomRule },
): string | undefined {
  const target = findRoom(edge.target);
  if (target === undefined) return "the imported file is in no room of the design";
  if (isTest(edge.target)) return "nothing imports a test";
  if (room.startsWith("core/") && target.startsWith("core/")) return findBrokenCoreRule(room, target);
  const targetRoom = target.split("/")[0] ?? "";
  if (targetRoom === room || rule.rooms.includes(targetRoom) || rule.rooms.includes(target)) return undefined;
  if (rule.typesOf.includes(targetRoom) && edge.kind === "type") return undefined;
  if (targetRoom === "compose" && mayCompose.includes(edge.file)) return undefined;
  if (targetRoom === "testing") return "only tests and testing itself import testing";
  return rule.because;
}

function findBrokenCoreRule(room: string, target: string): string | undefined {
  const rank = (place: string): number => {
    const index = coreOrder.indexOf(place.slice("core/".length));
    return index < 0 ? coreOrder.length : index;
  };
  if (rank(target) <= rank(room)) return undefined;
  return `inside core the order is ${coreOrder.join(" → ")}, and each imports only those before it`;
}

function checkClosure(entry: string, edges: readonly Edge[]): readonly Violation[] {
  const reached = new Map<string, string>([[entry, entry]]);
  const found: Violation[] = [];
  for (const [file, way] of reached) {
    for (const edge of edges.filter((each) => each.file === file && each.kind === "static")) {
      if (edge.target !== undefined) {
        if (!reached.has(edge.target)) reached.set(edge.target, `${way} → ${edge.target}`);
      } else if (edge.specifier !== undefined && !edge.specifier.startsWith("node:")) {
        const rule = `it is loaded with ${entry} (${way}); load packages with import() where they are used`;
        found.push({ file, imports: edge.specifier, rule });
      }
    }
  }
  return found;
}

/** Finds cycles of files, type imports included and dynamic imports excluded. */
function findCycles(edges: readonly Edge[]): readonly Violation[] {
  const targets = Map.groupBy(
    edges.filter((edge) => edge.kind !== "dynamic"),
    (edge) => edge.file,
  );
  const finished = new Set<string>();
  const found: Violation[] = [];
  const visit = (file: string, way: readonly string[]): void => {
    if (way.includes(file)) {
      const cycle = [...way.slice(way.indexOf(file)), file];
      found.push({ file, rule: `files import each other in a cycle: ${cycle.join(" → ")}` });
      return;
    }
    if (finished.has(file)) return;
    for (const edge of targets.get(file) ?? []) if (edge.target !== undefined) visit(edge.target, [...way, file]);
    finished.add(file);
  };
  for (const file of targets.keys()) visit(file, []);
  return found;
}
