/** One build of the page for a test run: the first file that needs it builds it, and it is removed after the run. */
import { existsSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { TestProject } from "vitest/node";
import { buildPage } from "./open-page.ts";

declare module "vitest" {
  interface ProvidedContext {
    /** Folder of the run's page. */
    readonly sharedPage: string;
  }
}

let folder = "";

/** Called by vitest before the first file. */
export function setup(project: TestProject): void {
  const begin = () => {
    folder = mkdtempSync(join(tmpdir(), "palimpsest-run-"));
    project.provide("sharedPage", folder);
  };
  begin();
  project.onTestsRerun(() => {
    teardown();
    begin();
  });
}

/** Called by vitest after the last file. */
export function teardown(): void {
  rmSync(folder, { recursive: true, force: true });
}

/** Folder of the page after `takePage`. */
export function pageIn(shared: string): string {
  return join(shared, "page", "web");
}

/** Returns the output of the build. Two files at once build it twice, so that neither waits for a crashed one. */
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
