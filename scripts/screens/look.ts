/** Opens the page in one look (size and theme) and takes pictures of it. */
import { statSync } from "node:fs";
import { join } from "node:path";
import type { Page } from "playwright-core";
import type { SIZES } from "../../test/support/open-page.ts";
import type { OpenOptions, PageStage } from "../../test/support/page-stage.ts";

/** A small window, whose pictures stay readable in the README, and the narrowest supported page. */
const OTHER_SIZES = { small: { width: 1_200, height: 700 }, narrow: { width: 320, height: 640 } } as const;

export interface ScreenLook {
  readonly size: keyof typeof SIZES | keyof typeof OTHER_SIZES;
  readonly colorScheme: "light" | "dark";
}

export interface Scene {
  readonly stage: PageStage;
  readonly look: ScreenLook;
  /** Takes a picture of the page. */
  readonly shoot: (page: Page, name: string) => Promise<void>;
}

export function optionsOf({ size, colorScheme }: ScreenLook): OpenOptions {
  if (size === "small") return { size: "desktop", viewport: OTHER_SIZES.small, colorScheme };
  if (size === "narrow") return { size: "phone", viewport: OTHER_SIZES.narrow, colorScheme };
  return { size, colorScheme };
}

/** Waits until animations have ended. */
const REST_MS = 250;

export function createPictureTaker(target: string, { size, colorScheme }: ScreenLook): Scene["shoot"] {
  return async (page, name) => {
    await page.waitForTimeout(REST_MS);
    const path = join(target, `${name}-${size}-${colorScheme}.png`);
    await page.screenshot({ path });
    process.stdout.write(`${(statSync(path).size / 1_000).toFixed(0).padStart(5)} kB  ${path}\n`);
  };
}
