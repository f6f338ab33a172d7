/** The page for a file of tests: built from the sources once in a run, in one browser, with stores of its own. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, inject } from "vitest";
import { launchBrowser } from "./open-page.ts";
import { createStage, type PageStage } from "./page-stage.ts";
import { pageIn, takePage } from "./share-page.ts";

export interface TestStage extends PageStage {
  readonly folder: string;
  /** What building the page has printed. */
  readonly buildOutput: () => string;
}

/** Called once, where the file begins. */
export function stagePage(): TestStage {
  const folder = mkdtempSync(join(tmpdir(), "palimpsest-page-"));
  const shared = inject("sharedPage");
  let [browser, buildOutput]: [Browser | undefined, string] = [undefined, ""];
  beforeAll(async () => {
    buildOutput = takePage(shared);
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
  const stage = createStage({ folder, built: pageIn(shared), browser: launched });
  return { ...stage, folder, buildOutput: () => buildOutput };
}
