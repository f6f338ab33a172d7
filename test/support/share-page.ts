/**
 * A folder for the page of one run of tests. Whichever file needs the page first builds it there from the sources as
 * they are, the others take it from there, and it is gone when the run is over.
 */
import { existsSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { TestProject } from "vitest/node";
import { buildPage } from "./open-page.ts";

declare module "vitest" {
  interface ProvidedContext {
    /** Where the run's page is kept once somebody has built it. */
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

/** Where the page is when `takePage` has returned. */
export function pageIn(shared: string): string {
  return join(shared, "page", "web");
}

/**
 * Gives what building it has printed. Two that come at once build it twice, and the one that is ready first is used:
 * neither can wait for one that died.
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
