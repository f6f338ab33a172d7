/**
 * Opens a long conversation in a real browser: the time from an empty tab to the newest message with the strip, and how
 * evenly it scrolls while pages of the log are loaded and dropped.
 */
import type { Browser, Page } from "playwright-core";

export interface OpeningFigures {
  readonly ms: number;
  readonly requests: number;
  readonly kilobytes: number;
}

export interface ScrollFigures {
  readonly frames: number;
  readonly medianMs: number;
  readonly slowMs: number;
  readonly maxMessages: number;
  readonly maxElements: number;
  readonly pixels: number;
  readonly lastSeq: number;
}

/** Runs in the page: when messages and the strip are visible, resolves with the time since navigation. */
const WAIT_UNTIL_SHOWN = `new Promise((resolve) => {
  const check = () => {
    const isShown = document.querySelector(".message[data-seq]") && document.querySelector(".strip rect[data-fate]");
    if (isShown) requestAnimationFrame(() => resolve(performance.now()));
    else requestAnimationFrame(check);
  };
  check();
})`;

/** Runs in the page: scrolls up by a fixed amount each frame, as a wheel would. */
const SCROLL_UP = `(async ({ frames, step }) => {
  const frame = document.querySelector(".conversation");
  const next = () => new Promise((resolve) => requestAnimationFrame(resolve));
  const times = [];
  let [maxMessages, maxElements, pixels] = [0, 0, 0];
  let before = await next();
  for (let index = 0; index < frames; index += 1) {
    const top = frame.scrollTop;
    frame.scrollBy(0, -step);
    pixels += top - frame.scrollTop;
    const now = await next();
    times.push(now - before);
    before = now;
    if (index % 10 > 0) continue;
    maxMessages = Math.max(maxMessages, document.querySelectorAll(".message").length);
    maxElements = Math.max(maxElements, document.querySelectorAll("*").length);
  }
  const rows = [...document.querySelectorAll(".message[data-seq]")];
  const lastSeq = Math.max(...rows.map((row) => Number(row.dataset.seq)));
  times.sort((left, right) => left - right);
  const at = (share) => times[Math.floor((times.length - 1) * share)];
  return { frames, medianMs: at(0.5), slowMs: at(0.95), maxMessages, maxElements, pixels, lastSeq };
})`;

export async function measureOpening(browser: Browser, url: string): Promise<OpeningFigures & { readonly page: Page }> {
  const page = await (await browser.newContext({ viewport: { width: 1_440, height: 900 } })).newPage();
  await page.goto(url, { waitUntil: "commit" });
  const ms = Number(await page.evaluate(WAIT_UNTIL_SHOWN));
  const sizes: readonly number[] = await page.evaluate(
    `performance.getEntriesByType("resource").map(({ encodedBodySize }) => encodedBodySize)`,
  );
  return { page, ms, requests: sizes.length, kilobytes: sizes.reduce((sum, size) => sum + size, 0) / 1_000 };
}

export function measureScrolling(
  page: Page,
  options: { readonly frames: number; readonly step: number },
): Promise<ScrollFigures> {
  return page.evaluate(`${SCROLL_UP}(${JSON.stringify(options)})`);
}
