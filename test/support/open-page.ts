/**
 * Builds the page and opens it in a real Chromium. Console errors, script errors, refused requests and requests to other
 * servers are recorded as problems.
 */
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import bundled from "@sparticuz/chromium";
import { type Browser, type BrowserContextOptions, chromium, type Page } from "playwright-core";
import { repositoryRoot } from "./read-repository.ts";

const require = createRequire(import.meta.url);
/** Has less than half of the text of the module's own `source`, so that a browser compiles it sooner. */
const AXE = readFileSync(require.resolve("axe-core/axe.min.js"), "utf8");

/** Impacts of axe violations that fail a test. */
const HARMFUL = ["serious", "critical"];

const LAUNCHES = 20;
/** How long every step of a page may take. */
const BUSY_MACHINE_MS = 60_000;

export const SIZES = { desktop: { width: 1_440, height: 900 }, phone: { width: 390, height: 844 } } as const;

/** Builds the page into a folder of the caller, so that `web/dist` stays unchanged. */
export function buildPage(folder: string): string {
  const script = join(repositoryRoot, "scripts/build-web.ts");
  return execFileSync(process.execPath, [script, folder], { encoding: "utf8", stdio: ["ignore", "pipe", "inherit"] });
}

/** Uses the browser that `PALIMPSEST_CHROMIUM` names, or the one of the npm package. */
export async function launchBrowser(): Promise<Browser> {
  const executablePath = process.env.PALIMPSEST_CHROMIUM ?? (await bundled.executablePath());
  // Without a separate process that draws, a page takes an eighth less processor time.
  const args = ["--no-sandbox", "--font-render-hinting=none", "--in-process-gpu"];
  const options = { executablePath, headless: true, args };
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await chromium.launch(options);
    } catch (error) {
      // Another test file may be unpacking the browser.
      if (attempt === LAUNCHES || !String(error).includes("ETXTBSY")) throw error;
      await new Promise((resolve) => setTimeout(resolve, 1_000));
    }
  }
}

export interface OpenedPage extends AsyncDisposable {
  readonly page: Page;
  /** Empty if nothing went wrong. */
  readonly problems: readonly string[];
}

export interface PageOptions extends BrowserContextOptions {
  /** Whether the test can set the page's clock with `page.clock`. The clock also runs by itself. */
  readonly hasOwnClock?: boolean | undefined;
  /** Whether the page also reloads its data in intervals, in addition to the event stream. Default true. */
  readonly polls?: boolean | undefined;
}

export async function openPage(
  browser: Browser,
  { url, hasOwnClock = false, polls = true, ...options }: PageOptions & { readonly url: string },
): Promise<OpenedPage> {
  const context = await browser.newContext({ viewport: SIZES.desktop, ...options });
  context.setDefaultTimeout(BUSY_MACHINE_MS);
  const page = await context.newPage();
  const problems: string[] = [];
  const origin = new URL(url).origin;
  page.on("console", (line) => {
    if (line.type() === "error" || line.type() === "warning") problems.push(`console: ${line.text()}`);
  });
  page.on("pageerror", (error) => problems.push(`script: ${error.message}`));
  page.on("dialog", (dialog) => {
    problems.push(`dialog: ${dialog.message()}`);
    void dialog.dismiss();
  });
  page.on("request", (request) => {
    const isOurs = new URL(request.url()).origin === origin || /^(?:data|blob):/.test(request.url());
    if (!isOurs) problems.push(`left the server: ${request.url()}`);
  });
  page.on("response", (response) => {
    if (response.status() >= 400) problems.push(`refused: ${response.status()} ${response.url()}`);
  });
  if (hasOwnClock) await page.clock.install();
  if (!polls) await context.addInitScript(`globalThis.setInterval = () => 0;`);
  await page.goto(url);
  return { page, problems, [Symbol.asyncDispose]: () => context.close() };
}

/** Waits for finite animations: axe would judge the contrast of a color in transition. */
const STAND_STILL = `Promise.allSettled(
  document.getAnimations()
    .filter(({ effect }) => effect?.getComputedTiming().endTime !== Infinity)
    .map(({ finished }) => finished),
)`;

/** Returns serious and critical accessibility violations. */
export async function findAccessibilityViolations(page: Page): Promise<readonly string[]> {
  await page.evaluate(STAND_STILL);
  // The content security policy allows no script elements, so the browser evaluates axe.
  if (!(await page.evaluate("typeof axe === 'object'"))) await page.evaluate(AXE);
  const results: { violations: { id: string; impact: string; nodes: { html: string }[] }[] } = await page.evaluate(
    "axe.run(document, { resultTypes: ['violations'], reporter: 'no-passes' })",
  );
  return results.violations
    .filter(({ impact }) => HARMFUL.includes(impact))
    .map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html.slice(0, 160)).join(" | ")}`);
}
