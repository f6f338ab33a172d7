/** Rules for the lock file and the manifest, so that `npm ci` installs the same tree on a clean machine. */
import { execFile } from "node:child_process";
import { once } from "node:events";
import { readFileSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { join } from "node:path";
import { promisify } from "node:util";
import { describe, expect, test } from "vitest";
import { addHashes, completeLock, findMissingOptionals, findUnhashed, type Lock } from "../scripts/complete-lock.ts";
import { newFolders } from "./support/new-folders.ts";
import { repositoryRoot } from "./support/read-repository.ts";

const newFolder = newFolders("lock");

describe.each(["package-lock.json", "bench/peers/package-lock.json"])("%s", (file) => {
  const lockText = readFileSync(join(repositoryRoot, file), "utf8");

  test("the lock file has an entry for every optional dependency (npm run lock)", () => {
    const lock: Lock = JSON.parse(lockText);
    expect(findMissingOptionals(lock)).toEqual([]);
  });

  test("the lock file has a hash for every package except builds of tools for other platforms", () => {
    const unhashed = findUnhashed(JSON.parse(lockText));
    const runsOn = (here: string, values: readonly string[] = [here]) => values.includes(here);
    const isForOthers = ({ os, cpu, libc }: (typeof unhashed)[number]) =>
      !(runsOn("linux", os) && runsOn("x64", cpu) && runsOn("glibc", libc));
    const others = unhashed.filter((entry) => entry.dev !== true || entry.optional !== true || !isForOthers(entry));
    expect(others.map(({ place }) => place)).toEqual([]);
  });

  test("the lock file names no registry", () => {
    expect(lockText).not.toMatch(/"resolved": "https?:/);
  });
});

describe("completeLock", () => {
  const lock: Lock = {
    packages: {
      "": { version: "1.0.0" },
      "node_modules/a": {
        version: "2.0.0",
        dev: true,
        optionalDependencies: {
          "@a/linux-x64-musl": "2.0.0",
          "@a/darwin-arm64": "2.0.0",
          "@a/linux-arm-gnueabihf": "2.0.0",
          nested: "1.0.0",
          hoisted: "1.0.0",
        },
      },
      "node_modules/a/node_modules/nested": { version: "1.0.0" },
      "node_modules/hoisted": { version: "1.0.0" },
    },
  };

  test("adds missing optional packages with the platform in their names, and nothing else", () => {
    const { packages } = completeLock(lock);
    expect(packages["node_modules/@a/linux-x64-musl"]).toEqual({
      version: "2.0.0",
      cpu: ["x64"],
      dev: true,
      libc: ["musl"],
      optional: true,
      os: ["linux"],
    });
    expect(packages["node_modules/@a/darwin-arm64"]).toMatchObject({ cpu: ["arm64"], os: ["darwin"] });
    expect(packages["node_modules/@a/linux-arm-gnueabihf"]).toMatchObject({ cpu: ["arm"], libc: ["glibc"] });
    expect(Object.keys(packages)).toHaveLength(Object.keys(lock.packages).length + 3);
  });

  test("changes nothing in a complete lock", () => {
    expect(completeLock(completeLock(lock))).toEqual(completeLock(lock));
  });
});

describe("npm run lock -- --hashes", () => {
  const lock: Lock = {
    packages: {
      "": { version: "1.0.0" },
      "node_modules/a": { version: "2.0.0", integrity: "sha512-a" },
      "node_modules/@b/darwin-arm64": { version: "3.0.0", optional: true },
      "node_modules/a/node_modules/c": { version: "4.0.0", optional: true },
      "node_modules/own": { link: true },
      "test/own": { version: "0.0.0" },
    },
  };

  test("asks only for packages without a hash, and leaves those that the registry lacks", async () => {
    const asked: string[] = [];
    const { packages } = await addHashes(lock, async (spec) => {
      asked.push(spec);
      return spec.startsWith("c@") ? undefined : `sha512-of-${spec}`;
    });
    expect(asked).toEqual(["@b/darwin-arm64@3.0.0", "c@4.0.0"]);
    expect(packages["node_modules/@b/darwin-arm64"]?.integrity).toBe("sha512-of-@b/darwin-arm64@3.0.0");
    expect({ ...packages, "node_modules/@b/darwin-arm64": undefined }).toEqual({
      ...lock.packages,
      "node_modules/@b/darwin-arm64": undefined,
    });
  });

  test("reads the hashes from the registry that npm is set up for", async () => {
    const folder = newFolder();
    const file = join(folder, "package-lock.json");
    writeFileSync(file, JSON.stringify(lock));
    await using registry = await startRegistry({ "@b/darwin-arm64": "3.0.0" });
    const env = { ...process.env, npm_config_registry: registry.url, npm_config_cache: join(folder, "cache") };
    const script = join(repositoryRoot, "scripts/complete-lock.ts");
    const { stdout } = await promisify(execFile)(process.execPath, [script, file, "--hashes"], { env });
    expect(stdout).toContain("1 hashes added, 1 missing");
    const { packages }: Lock = JSON.parse(readFileSync(file, "utf8"));
    expect(packages["node_modules/@b/darwin-arm64"]?.integrity).toBe("sha512-known");
    expect(packages["node_modules/a/node_modules/c"]).toEqual(lock.packages["node_modules/a/node_modules/c"]);
  });
});

/** A local registry that has one version of each package. */
async function startRegistry(versions: Readonly<Record<string, string>>) {
  const server = createServer(({ url = "" }, response) => {
    const name = decodeURIComponent(url.slice(1));
    const version = versions[name];
    const dist = { integrity: "sha512-known", tarball: "http://127.0.0.1/none.tgz" };
    response.statusCode = version === undefined ? 404 : 200;
    response.setHeader("content-type", "application/json");
    const known = { name, "dist-tags": { latest: version }, versions: { [`${version}`]: { name, version, dist } } };
    response.end(JSON.stringify(version === undefined ? {} : known));
  });
  await once(server.listen(0, "127.0.0.1"), "listening");
  const address = server.address();
  const port = typeof address === "object" ? address?.port : undefined;
  return {
    url: `http://127.0.0.1:${port}/`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await once(server.close(), "close");
    },
  };
}
