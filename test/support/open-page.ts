/**
 * Builds the page and opens it in a real Chromium. Console errors, script errors, refused requests and requests to other
 * servers are recorded as problems.
 */
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import bundled from "@sparticuz/chromium";
import {
  type Browser,
  type BrowserContextOptions,
  type ConsoleMessage,
  chromium,
  type Dialog,
  type Page,
  type Request,
  type Response,
} from "playwright-core";
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
  /** A script that runs before the page's own. */
  readonly initScript?: string | undefined;
  /** Whether `openPage` returns when the page listens for events, because the test sends some. Default false. */
  readonly awaitsEvents?: boolean | undefined;
}

export async function openPage(
  browser: Browser,
  {
    url,
    hasOwnClock = false,
    polls = true,
    initScript,
    awaitsEvents = false,
    ...options
  }: PageOptions & { readonly url: string },
): Promise<OpenedPage> {
  const isChanged = hasOwnClock || !polls || initScript !== undefined;
  const { page, close } = isChanged ? await createPage(browser, options) : await borrowPage(browser, options);
  const { problems, stopWatching } = watchPage(page, new URL(url).origin);
  if (hasOwnClock) await page.clock.install();
  if (!polls) await page.addInitScript(`globalThis.setInterval = () => 0;`);
  if (initScript !== undefined) await page.addInitScript(initScript);
  const listening = awaitsEvents ? page.waitForResponse(/\/api\/events/) : undefined;
  await page.goto(url);
  await listening;
  return {
    page,
    problems,
    async [Symbol.asyncDispose]() {
      stopWatching();
      await close(new URL(url).origin);
    },
  };
}

interface TakenPage {
  readonly page: Page;
  readonly close: (origin: string) => Promise<void>;
}

async function createPage(browser: Browser, options: BrowserContextOptions): Promise<TakenPage> {
  const context = await browser.newContext({ viewport: SIZES.desktop, ...options });
  context.setDefaultTimeout(BUSY_MACHINE_MS);
  return { page: await context.newPage(), close: () => context.close() };
}

/** Pages that no test uses, by browser and options. */
const idlePages = new WeakMap<Browser, Map<string, Page[]>>();

/** Reuses a page, because a new one costs a process. Nothing of an earlier test is left in it. */
async function borrowPage(browser: Browser, options: BrowserContextOptions): Promise<TakenPage> {
  const byOptions = idlePages.get(browser) ?? new Map<string, Page[]>();
  idlePages.set(browser, byOptions);
  const key = JSON.stringify(options);
  const idle = byOptions.get(key) ?? [];
  byOptions.set(key, idle);
  const page = idle.pop() ?? (await createPage(browser, options)).page;
  // A test may have resized it.
  await page.setViewportSize(options.viewport ?? SIZES.desktop);
  const close = async (origin: string): Promise<void> => {
    try {
      await resetPage(page, origin);
      idle.push(page);
    } catch {
      // A page that crashed or that its test closed.
      await page.context().close();
    }
  };
  return { page, close };
}

/** Leaves the server, closes other pages of the context, and removes all data of the origin. */
async function resetPage(page: Page, origin: string): Promise<void> {
  const context = page.context();
  for (const other of context.pages()) if (other !== page) await other.close();
  await page.unrouteAll({ behavior: "ignoreErrors" });
  await context.unrouteAll({ behavior: "ignoreErrors" });
  // A page without an address keeps the origin of the page that opened it, and so access to its storage.
  await page.evaluate("location.replace('about:blank')");
  await page.waitForURL("about:blank");
  await page.evaluate("sessionStorage.clear()");
  await context.clearCookies();
  const session = await context.newCDPSession(page);
  await session.send("Storage.clearDataForOrigin", { origin, storageTypes: "all" });
  await session.detach();
}

/** Records what goes wrong on the page until `stopWatching` is called. */
function watchPage(page: Page, origin: string): { readonly problems: readonly string[]; stopWatching(): void } {
  const problems: string[] = [];
  const onConsole = (line: ConsoleMessage) => {
    if (line.type() === "error" || line.type() === "warning") problems.push(`console: ${line.text()}`);
  };
  const onError = ({ message }: Error) => problems.push(`script: ${message}`);
  const onDialog = (dialog: Dialog) => {
    problems.push(`dialog: ${dialog.message()}`);
    void dialog.dismiss();
  };
  const onRequest = (request: Request) => {
    const isOurs = new URL(request.url()).origin === origin || /^(?:data|blob):/.test(request.url());
    if (!isOurs) problems.push(`left the server: ${request.url()}`);
  };
  const onResponse = (response: Response) => {
    if (response.status() >= 400) problems.push(`refused: ${response.status()} ${response.url()}`);
  };
  page.on("console", onConsole).on("pageerror", onError).on("dialog", onDialog);
  page.on("request", onRequest).on("response", onResponse);
  return {
    problems,
    stopWatching() {
      page.off("console", onConsole).off("pageerror", onError).off("dialog", onDialog);
      page.off("request", onRequest).off("response", onResponse);
    },
  };
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
