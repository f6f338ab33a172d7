/**
 * Adds the missing entries of optional dependencies to package-lock.json. `npm ci` refuses a lock without them, and npm
 * leaves them out if the registry lacks the builds for other platforms. An entry has the requested version and the
 * platform in the package's name, so npm skips it elsewhere. It changes no existing entry and calls no registry.
 */
import { readFileSync, writeFileSync } from "node:fs";

export interface LockEntry {
  readonly version?: string | undefined;
  readonly optional?: boolean | undefined;
  readonly dev?: boolean | undefined;
  readonly optionalDependencies?: Readonly<Record<string, string>> | undefined;
  readonly os?: readonly string[] | undefined;
  readonly cpu?: readonly string[] | undefined;
  readonly libc?: readonly string[] | undefined;
}

export interface Lock {
  readonly packages: Readonly<Record<string, LockEntry>>;
}

export interface MissingOptional {
  readonly name: string;
  readonly version: string;
  readonly dev: boolean;
}

export function findMissingOptionals(lock: Lock): readonly MissingOptional[] {
  return Object.entries(lock.packages).flatMap(([place, entry]) =>
    Object.entries(entry.optionalDependencies ?? {})
      .filter(([name]) => !isInstalled(lock, place, name))
      .map(([name, version]) => ({ name, version, dev: entry.dev === true })),
  );
}

export function completeLock(lock: Lock): Lock {
  const added = findMissingOptionals(lock).map(
    (missing) => [`node_modules/${missing.name}`, describeOptional(missing)] as const,
  );
  const [root, ...rest] = Object.entries(lock.packages);
  const packages = [...rest, ...added].sort(([one], [other]) => one.localeCompare(other, "en"));
  return { ...lock, packages: Object.fromEntries(root === undefined ? packages : [root, ...packages]) };
}

/** Looks where Node looks: in the package's own node_modules, then in each one above it. */
function isInstalled(lock: Lock, place: string, name: string): boolean {
  const above = place.lastIndexOf("node_modules/");
  if (`${place === "" ? "" : `${place}/`}node_modules/${name}` in lock.packages) return true;
  if (place === "") return false;
  return isInstalled(lock, above <= 0 ? "" : place.slice(0, above - 1), name);
}

const systems = ["android", "darwin", "freebsd", "linux", "openharmony", "win32"];
const processors = ["arm64", "arm", "ia32", "ppc64", "riscv64", "s390x", "wasm32", "x64"];

function describeOptional({ name, version, dev }: MissingOptional): LockEntry {
  const words = name.split(/[/-]/);
  const libc = words.some((word) => word.startsWith("musl")) ? "musl" : undefined;
  return {
    version,
    ...only(
      "cpu",
      processors.find((processor) => words.includes(processor)),
    ),
    ...(dev ? { dev } : {}),
    ...only("libc", words.some((word) => word.startsWith("gnu")) ? "glibc" : libc),
    optional: true,
    ...only(
      "os",
      systems.find((system) => words.includes(system)),
    ),
  };
}

function only(field: "cpu" | "libc" | "os", value: string | undefined): Partial<LockEntry> {
  return value === undefined ? {} : { [field]: [value] };
}

if (import.meta.main) {
  const file = process.argv[2] ?? "package-lock.json";
  const lock: Lock = JSON.parse(readFileSync(file, "utf8"));
  const missing = findMissingOptionals(lock);
  writeFileSync(file, `${JSON.stringify(completeLock(lock), null, 2)}\n`);
  process.stdout.write(`${file}: ${missing.length} optional dependencies added\n`);
}
