/** The page for a file of tests: built from the sources once, in one browser, and gone when the tests have ended. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Browser } from "playwright-core";
import { afterAll, beforeAll } from "vitest";
import { buildPage, launchBrowser } from "./open-page.ts";
import { createStage, type PageStage } from "./page-stage.ts";

export interface TestStage extends PageStage {
  readonly folder: string;
  /** What building the page has printed. */
  readonly buildOutput: () => string;
}

/** Called once, where the file begins. */
export function stagePage(): TestStage {
  const folder = mkdtempSync(join(tmpdir(), "palimpsest-page-"));
  const built = join(folder, "web");
  let [browser, buildOutput]: [Browser | undefined, string] = [undefined, ""];
  beforeAll(async () => {
    buildOutput = buildPage(built);
    browser = await launchBrowser();
  });
  afterAll(async () => {
    await browser?.close();
    rmSync(folder, { recursive: true, force: true });
  });
  const launched = () => {
    if (browser === undefined) throw new Error("The browser is there from the first test on.");
    return browser;
  };
  return { ...createStage({ folder, built, browser: launched }), folder, buildOutput: () => buildOutput };
}
