/**
 * Builds and packs the package like `npm publish`, and installs the tarball into an empty folder below a folder of the
 * caller. The repository and its dist stay unchanged, and nothing is downloaded: dependencies are linked.
 */
import { spawnSync } from "node:child_process";
import { cpSync, existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { repositoryRoot } from "./read-repository.ts";

export interface Manifest {
  readonly version: string;
  readonly files: readonly string[];
  readonly exports: Readonly<Record<string, unknown>>;
  readonly bin: { readonly palimpsest: string };
  readonly dependencies?: Readonly<Record<string, string>> | undefined;
  readonly peerDependencies?: Readonly<Record<string, string>> | undefined;
}

export interface PackedPackage {
  readonly manifest: Manifest;
  readonly tarball: string;
  /** Paths inside the tarball. */
  readonly contents: readonly string[];
  /** Folder of the installation. */
  readonly consumer: string;
}

export function packPackage(folder: string): PackedPackage {
  const manifest: Manifest = JSON.parse(readFileSync(join(repositoryRoot, "package.json"), "utf8"));
  const stage = join(folder, "stage");
  stagePackage(stage, manifest.files);
  const [packed]: readonly { filename: string; files: readonly { path: string }[] }[] = JSON.parse(
    runNpm(stage, ["pack", "--json", "--ignore-scripts", "--pack-destination", folder]),
  );
  if (packed === undefined) throw new TypeError("npm pack reported no tarball");
  const tarball = join(folder, packed.filename);
  const consumer = join(folder, "consumer");
  installTarball(consumer, { tarball, manifest });
  return { manifest, tarball, consumer, contents: packed.files.map((file) => file.path) };
}

function stagePackage(stage: string, files: readonly string[]): void {
  mkdirSync(stage, { recursive: true });
  runProgram(process.execPath, {
    args: [join(repositoryRoot, "scripts/build.ts"), join(stage, "dist")],
    folder: stage,
  });
  for (const file of ["package.json", ...files.filter((each) => each !== "dist")]) {
    const source = join(repositoryRoot, file);
    if (existsSync(source)) cpSync(source, join(stage, file), { recursive: true });
  }
}

function installTarball(
  consumer: string,
  { tarball, manifest }: { readonly tarball: string; readonly manifest: Manifest },
): void {
  const linked = Object.keys(manifest.dependencies ?? {}).map(
    (name) => [name, `file:${join(repositoryRoot, "node_modules", name)}`] as const,
  );
  const dependencies = { ...Object.fromEntries(linked), palimpsest: `file:${tarball}` };
  mkdirSync(consumer, { recursive: true });
  writeFileSync(
    join(consumer, "package.json"),
    JSON.stringify({ name: "consumer", private: true, type: "module", dependencies }),
  );
  runNpm(consumer, ["install", "--offline", "--ignore-scripts", "--legacy-peer-deps"]);
  for (const name of Object.keys(manifest.peerDependencies ?? {})) linkPackage(consumer, name);
}

/** Links one of the repository's packages into the folder. */
export function linkPackage(consumer: string, name: string): void {
  const place = join(consumer, "node_modules", name);
  mkdirSync(dirname(place), { recursive: true });
  symlinkSync(join(repositoryRoot, "node_modules", name), place, "junction");
}

function runNpm(folder: string, args: readonly string[]): string {
  return runProgram("npm", { args, folder });
}

/** Returns the program's output; throws both outputs if it failed. */
export function runProgram(
  program: string,
  { args, folder }: { readonly args: readonly string[]; readonly folder: string },
): string {
  const shell = program === "npm" && process.platform === "win32";
  const { status, stdout, stderr, error } = spawnSync(program, [...args], { cwd: folder, encoding: "utf8", shell });
  if (status === 0) return stdout;
  throw new Error(`${program} ${args.join(" ")} failed\n${stdout ?? ""}${stderr ?? ""}`, { cause: error });
}
