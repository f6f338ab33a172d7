/** The page for a test file: one build for the run, one browser for the process, and separate stores. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, inject } from "vitest";
import { launchBrowser } from "./open-page.ts";
import { createStage, type PageStage } from "./page-stage.ts";
import { pageFolder, takePage } from "./share-page.ts";

export interface TestStage extends PageStage {
  readonly folder: string;
  /** Output of the build. */
  readonly buildOutput: () => string;
}

let borrowed: Browser | undefined;

/** The browser of this process, which all its test files share. It closes with the process. */
async function borrowBrowser(): Promise<Browser> {
  if (borrowed?.isConnected() !== true) borrowed = await launchBrowser();
  return borrowed;
}

/** Call it once at the top of the file. */
export function stagePage(): TestStage {
  const folder = mkdtempSync(join(tmpdir(), "palimpsest-page-"));
  const shared = inject("runFolder");
  let [browser, buildOutput]: [Browser | undefined, string] = [undefined, ""];
  beforeAll(async () => {
    buildOutput = takePage(shared);
    browser = await borrowBrowser();
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));
  const launched = () => {
    if (browser === undefined) throw new Error("The browser is available inside of tests only.");
    return browser;
  };
  const stage = createStage({ folder, built: pageFolder(shared), browser: launched });
  return { ...stage, folder, buildOutput: () => buildOutput };
}
