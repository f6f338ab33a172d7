/**
 * `npm run screens` writes every screen of the page as a picture, light and dark, on a desktop and on a phone, into the
 * folder `artifacts/screens`, which git does not keep. It plays the sample on a server with the offline model, so that
 * it needs nobody. `--docs` puts the three that README shows under docs/images too.
 */
import { copyFileSync, mkdirSync, mkdtempSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Browser, Page } from "playwright-core";
import { buildPage, launchBrowser, openPage, SIZES } from "../test/support/open-page.ts";
import { startTestServer } from "../test/support/start-server.ts";

const root = join(import.meta.dirname, "..");
const target = join(root, "artifacts/screens");
const work = mkdtempSync(join(tmpdir(), "palimpsest-screens-"));

/** Small enough for a file of words to show. */
const ALL_SIZES = { ...SIZES, small: { width: 1_200, height: 700 } } as const;

const SHOWN_IN_DOCS: Readonly<Record<string, string>> = {
  "a-layer-lifted-small-light": "conversation",
  "first-screen-small-dark": "first-screen",
  "what-the-model-sees-phone-light": "what-the-model-sees",
};

interface Look {
  readonly size: keyof typeof ALL_SIZES;
  readonly colorScheme: "light" | "dark";
}

/** One after the other on one page; each begins where the one before has ended. */
const SCREENS: Readonly<Record<string, (page: Page) => Promise<void>>> = {
  conversation: async (page) => {
    await page.locator(".message").first().waitFor();
    await page.locator(".strip .sheet").first().waitFor({ state: "attached" });
  },
  "a-layer-lifted": async (page) => {
    await page.getByRole("list", { name: "The log by what became of it" }).getByRole("button").first().focus();
    await page.keyboard.press("Home");
    await page.locator(".strip .sheet-lifted").first().waitFor({ state: "attached" });
  },
  folded: async (page) => {
    await page.keyboard.press("End");
    await page.keyboard.press("ArrowUp");
    await page.keyboard.press("Enter");
    await page.locator('.message[data-fate="summarised"]').first().waitFor();
  },
  "what-the-model-sees": async (page) => {
    await page.getByRole("button", { name: "Look inside" }).click();
    await page.locator(".prompt-block").first().waitFor();
  },
  summaries: async (page) => {
    await page.getByRole("tab", { name: "Summaries" }).click();
    await page.locator(".summary-live").waitFor();
  },
  message: async (page) => {
    await page.getByRole("tab", { name: "Message" }).click();
    await page.getByLabel("Why does it not know that?").fill("furnace hall");
    await page.locator(".why-not li").first().waitFor();
  },
  search: async (page) => {
    await page.keyboard.press("Escape");
    await page.keyboard.press("Escape");
    await page.locator(".conversation").focus();
    await page.evaluate("document.activeElement?.blur()");
    await page.keyboard.press("s");
    await page.locator("#search:focus").waitFor();
    await page.keyboard.type("furnace");
    await page.locator(".snippet mark").first().waitFor();
  },
  menu: async (page) => {
    await page.locator("#search").fill("");
    await page.keyboard.press("Escape");
    await page.getByRole("button", { name: "This conversation" }).click();
    await page.locator(".menu:popover-open").waitFor();
  },
  keys: async (page) => {
    await page.keyboard.press("Escape");
    await page.evaluate("document.activeElement?.blur()");
    await page.keyboard.press("?");
    await page.locator("dialog.help[open]").waitFor();
  },
};

async function shoot(page: Page, name: string, { size, colorScheme }: Look): Promise<void> {
  await page.waitForTimeout(400);
  const path = join(target, `${name}-${size}-${colorScheme}.png`);
  await page.screenshot({ path });
  process.stdout.write(`${(statSync(path).size / 1_000).toFixed(0).padStart(5)} kB  ${path}\n`);
}

interface Visit {
  readonly url: string;
  readonly id: string;
  readonly sizes: object;
  readonly look: Look;
}

async function visit(browser: Browser, { url, id, sizes, look }: Visit): Promise<void> {
  const options = { viewport: ALL_SIZES[look.size], colorScheme: look.colorScheme };
  await using first = await openPage(browser, { url, ...options });
  await first.page.locator(".door").first().waitFor();
  await shoot(first.page, "first-screen", look);
  const { page } = first;
  await page.evaluate(`localStorage.setItem("palimpsest-sizes ${id}", ${JSON.stringify(JSON.stringify(sizes))})`);
  await page.evaluate(`location.assign("#/sessions/${id}")`);
  for (const [name, go] of Object.entries(SCREENS)) {
    await go(page);
    await shoot(page, name, look);
  }
}

mkdirSync(target, { recursive: true });
const browser = await launchBrowser();
try {
  const web = join(work, "web");
  buildPage(web);
  await using server = await startTestServer({ page: web, store: `sqlite:${join(work, "chats.db")}` });
  const { session, ...sizes } = (await server.ask("POST", "/api/sample", {})).body;
  for (let turn = 0; turn < 45; turn += 1) await server.ask("POST", `/api/sessions/${session.id}/sample/next`, {});
  for (const size of ["desktop", "phone", "small"] as const) {
    for (const colorScheme of ["light", "dark"] as const) {
      await visit(browser, { url: server.url, id: session.id, sizes, look: { size, colorScheme } });
    }
  }
  if (process.argv.includes("--docs")) {
    mkdirSync(join(root, "docs/images"), { recursive: true });
    for (const [name, shown] of Object.entries(SHOWN_IN_DOCS)) {
      copyFileSync(join(target, `${name}.png`), join(root, `docs/images/${shown}.png`));
    }
  }
} finally {
  await browser.close();
  rmSync(work, { recursive: true, force: true });
}
