/**
 * Guesses how many pages a PDF has without reading it: from what its first and last 48 kB say, else from its weight.
 * Providers charge by the page, and a guess by weight is wrong by less than taking every document for one page.
 */
import { byteLength, decodeBytes } from "./decode-base64.ts";

export function estimatePdfPages(base64: string): number {
  const stated = statedPages(latin(base64, 0)) ?? statedPages(latin(base64, tailStart(base64)));
  const pages = stated ?? Math.ceil(byteLength(base64) / BYTES_A_PAGE);
  return Math.min(MOST_PAGES, Math.max(1, pages));
}

/** No provider takes more, whatever a document claims. */
const MOST_PAGES = 1_000;
/** Between a page of text (20–40 kB with its fonts) and a scanned one (100 kB and more). */
const BYTES_A_PAGE = 50_000;
const LOOK_CHARACTERS = 65_536;

function tailStart(base64: string): number {
  return Math.max(0, Math.floor((base64.length - LOOK_CHARACTERS) / 4) * 4);
}

function latin(base64: string, start: number): string {
  return new TextDecoder("latin1").decode(decodeBytes(base64, { start, end: start + LOOK_CHARACTERS }));
}

/** `/N` in the header of a linearized file, else the largest `/Count` of the page tree, where it is not compressed. */
function statedPages(text: string): number | undefined {
  const linearized = /\/Linearized[^>]{0,200}\/N\s{1,4}(\d{1,6})/.exec(text);
  if (linearized?.[1] !== undefined) return Number(linearized[1]);
  const counts = [...text.matchAll(/\/Count\s{1,4}(\d{1,6})/g)].map((match) => Number(match[1]));
  return counts.length === 0 ? undefined : Math.max(...counts);
}
