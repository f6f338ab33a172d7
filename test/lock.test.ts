/** `npm ci` needs this of the lock file and of the manifest, so that a clean machine gets the same tree. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { completeLock, findMissingOptionals, type Lock } from "../scripts/complete-lock.ts";
import { repositoryRoot } from "./support/read-repository.ts";

describe.each(["package-lock.json", "bench/peers/package-lock.json"])("%s", (file) => {
  const lockText = readFileSync(join(repositoryRoot, file), "utf8");

  test("has an entry for every optional dependency (npm run lock)", () => {
    const lock: Lock = JSON.parse(lockText);
    expect(findMissingOptionals(lock)).toEqual([]);
  });

  test("names no registry", () => {
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

  test("adds missing entries with the platform that the name states, and nothing else", () => {
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
