/**
 * Adds the missing entries of optional dependencies to package-lock.json. `npm ci` refuses a lock without them, and npm
 * leaves them out if the registry lacks the builds for other platforms. An entry has the requested version and the
 * platform in the package's name, so npm skips it elsewhere. It changes no existing entry and calls no registry, so
 * such an entry has no hash. `npm run lock -- --hashes` requests the missing hashes from the registry.
 */
import { execFile } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { promisify } from "node:util";

export interface LockEntry {
  readonly version?: string | undefined;
  readonly integrity?: string | undefined;
  readonly link?: boolean | undefined;
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

export interface UnhashedEntry extends LockEntry {
  readonly place: string;
  /** The specifier for `npm view`: `name@version`. */
  readonly spec: string;
}

/** Finds packages without a hash. The repository's own folders have none. */
export function findUnhashed(lock: Lock): readonly UnhashedEntry[] {
  return Object.entries(lock.packages)
    .filter(([place, { integrity, link }]) => place.includes("node_modules/") && integrity === undefined && !link)
    .map(([place, entry]) => {
      const name = place.slice(place.lastIndexOf("node_modules/") + "node_modules/".length);
      return { ...entry, place, spec: `${name}@${entry.version}` };
    });
}

/** Adds the hashes that the registry has, and leaves the other entries unchanged. */
export async function addHashes(lock: Lock, readHash: (spec: string) => Promise<string | undefined>): Promise<Lock> {
  const packages = { ...lock.packages };
  for (const { place, spec } of findUnhashed(lock)) {
    const integrity = await readHash(spec);
    const { version, ...rest } = packages[place] ?? {};
    if (integrity !== undefined) packages[place] = { version, integrity, ...rest };
  }
  return { ...lock, packages };
}

/** Uses the registry of npm's configuration. */
async function readHash(spec: string): Promise<string | undefined> {
  try {
    const { stdout } = await promisify(execFile)("npm", ["view", spec, "dist.integrity"]);
    return stdout.trim() === "" ? undefined : stdout.trim();
  } catch {
    // The registry does not have this build, or cannot be reached.
    return undefined;
  }
}

/** Searches like Node: in the package's own node_modules, then in each one above it. */
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
  const [file = "package-lock.json"] = process.argv.slice(2).filter((argument) => argument !== "--hashes");
  const lock: Lock = JSON.parse(readFileSync(file, "utf8"));
  const missing = findMissingOptionals(lock);
  const complete = completeLock(lock);
  const hashed = process.argv.includes("--hashes") ? await addHashes(complete, readHash) : complete;
  writeFileSync(file, `${JSON.stringify(hashed, null, 2)}\n`);
  const left = findUnhashed(hashed).length;
  const added = findUnhashed(complete).length - left;
  process.stdout.write(
    `${file}: ${missing.length} optional dependencies added; ${added} hashes added, ${left} missing\n`,
  );
}
