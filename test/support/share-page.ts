/**
 * A folder for a test run, removed after the run. It contains the page, which the first file that needs it builds, and
 * the folders of PostgreSQL servers.
 */
import { chmodSync, existsSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import type { TestProject } from "vitest/node";
import { buildPage } from "./open-page.ts";

declare module "vitest" {
  interface ProvidedContext {
    /** Folder of the test run. */
    readonly runFolder: string;
  }
}

let folder = "";

/** Called by vitest before the first file. */
export function setup(project: TestProject): void {
  const begin = () => {
    folder = mkdtempSync(join(tmpdir(), "palimpsest-run-"));
    // PostgreSQL runs as another user if the tests run as root.
    chmodSync(folder, 0o711);
    project.provide("runFolder", folder);
  };
  begin();
  project.onTestsRerun(async () => {
    await teardown();
    begin();
  });
}

/** Called by vitest after the last file. */
export async function teardown(): Promise<void> {
  // A PostgreSQL server may still be writing while it shuts down.
  for (let isThere = true; isThere; isThere = existsSync(folder)) {
    rmSync(folder, { recursive: true, force: true, maxRetries: 10 });
    await setTimeout(100);
  }
}

/** Returns the folder of the built page; `takePage` builds it. */
export function pageFolder(shared: string): string {
  return join(shared, "page", "web");
}

/**
 * Builds the page unless it is built, and returns the output of the build. Two concurrent test files may both build it,
 * so that neither waits for one that crashed.
 */
export function takePage(shared: string): string {
  const page = join(shared, "page");
  const output = join(page, "output.txt");
  if (existsSync(page)) return readFileSync(output, "utf8");
  const own = mkdtempSync(join(shared, "building-"));
  writeFileSync(join(own, "output.txt"), buildPage(join(own, "web")));
  try {
    renameSync(own, page);
  } catch (error) {
    if (!existsSync(page)) throw error;
  }
  return readFileSync(output, "utf8");
}
