/**
 * Positions on the strip: segments from top to bottom, with heights in proportion to their tokens, and summaries over
 * the messages they cover. Pure functions.
 */
import type { Fate, Summary } from "../api/values.ts";
import type { StripSegment } from "../api/view.ts";

export interface Band {
  readonly firstSeq: number;
  readonly lastSeq: number;
  readonly fate: Fate;
  readonly messages: number;
  readonly tokens: number;
  readonly shownTokens: number;
  readonly top: number;
  readonly height: number;
}

export interface SummarySheet {
  readonly summary: Summary;
  readonly top: number;
  readonly height: number;
  /** 0 for the top sheet. */
  readonly level: number;
}

/** Keeps short messages visible in a short log. */
const MIN_HEIGHT = 2;
/** Maximum pixels for each token, so that a short log does not fill the strip. */
const MAX_TOKEN_PIXELS = 0.5;

export function layOutBands(segments: readonly StripSegment[], maxHeight: number): readonly Band[] {
  const total = segments.reduce((sum, { tokens }) => sum + tokens, 0);
  const height = Math.min(maxHeight, total * MAX_TOKEN_PIXELS + segments.length * MIN_HEIGHT);
  const floor = segments.length * MIN_HEIGHT > height / 2 ? 0 : MIN_HEIGHT;
  const weights = segments.map(({ tokens }) => Math.max(tokens, 1));
  const totalWeight = weights.reduce((sum, weight) => sum + weight, 0);
  const free = height - floor * segments.length;
  let top = 0;
  return segments.map((segment, index) => {
    const share = floor + (free * (weights[index] ?? 0)) / Math.max(1, totalWeight);
    const band = { ...segment, top, height: share };
    top += share;
    return band;
  });
}

/** Joins adjacent bands with the same fate, for the list. */
export function joinBands(bands: readonly Band[]): readonly Band[] {
  const joined: Band[] = [];
  for (const band of bands) {
    const last = joined.at(-1);
    if (last?.fate !== band.fate) joined.push(band);
    else
      joined[joined.length - 1] = {
        ...last,
        lastSeq: band.lastSeq,
        messages: last.messages + band.messages,
        tokens: last.tokens + band.tokens,
        shownTokens: last.shownTokens + band.shownTokens,
        height: last.height + band.height,
      };
  }
  return joined;
}

/** Joins each band thinner than a pixel with the next one. The joined band has the fate of the one with more tokens. */
export function joinThinBands(bands: readonly Band[]): readonly Band[] {
  const drawn: Band[] = [];
  for (const band of bands) {
    const last = drawn.at(-1);
    if (last === undefined || last.height >= 1) drawn.push(band);
    else {
      const main = last.tokens >= band.tokens ? last : band;
      drawn[drawn.length - 1] = {
        ...main,
        firstSeq: last.firstSeq,
        lastSeq: band.lastSeq,
        messages: last.messages + band.messages,
        tokens: last.tokens + band.tokens,
        shownTokens: last.shownTokens + band.shownTokens,
        top: last.top,
        height: last.height + band.height,
      };
    }
  }
  return drawn;
}

/** Pixels for each token. */
export function scaleOf(bands: readonly Band[]): number {
  const tokens = bands.reduce((sum, band) => sum + band.tokens, 0);
  return endOf(bands) / Math.max(1, tokens);
}

/** Distance of a position from the top; between two bands, the edge of the lower one. */
export function topOf(bands: readonly Band[], seq: number): number {
  const index = findBand(bands, seq);
  const band = bands[index];
  if (band === undefined) return bands.length === 0 ? 0 : endOf(bands);
  if (seq < band.firstSeq) return band.top;
  const places = band.lastSeq - band.firstSeq + 1;
  return band.top + (band.height * (seq - band.firstSeq)) / places;
}

export function bottomOf(bands: readonly Band[], seq: number): number {
  return topOf(bands, seq + 1);
}

/** The position at a distance from the top. */
export function seqAt(bands: readonly Band[], top: number): number {
  const band = bands.find((each) => top < each.top + each.height) ?? bands.at(-1);
  if (band === undefined) return 0;
  const share = band.height === 0 ? 0 : Math.min(1, Math.max(0, (top - band.top) / band.height));
  return Math.min(band.lastSeq, band.firstSeq + Math.floor(share * (band.lastSeq - band.firstSeq + 1)));
}

/** The live summary on top, and below it those that it was made from. */
export function layOutSheets(bands: readonly Band[], summaries: readonly Summary[]): readonly SummarySheet[] {
  const byId = new Map(summaries.map((summary) => [summary.id, summary]));
  const sheets: SummarySheet[] = [];
  let next = summaries.find(({ isLive }) => isLive);
  while (next !== undefined && !sheets.some(({ summary }) => summary === next)) {
    const top = topOf(bands, next.coverage.firstSeq);
    const height = Math.max(MIN_HEIGHT, bottomOf(bands, next.coverage.lastSeq) - top);
    sheets.push({ summary: next, top, height, level: sheets.length });
    next = next.parentId === undefined ? undefined : byId.get(next.parentId);
  }
  return sheets;
}

function findBand(bands: readonly Band[], seq: number): number {
  let [low, high] = [0, bands.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((bands[middle]?.lastSeq ?? 0) < seq) low = middle + 1;
    else high = middle;
  }
  return low;
}

function endOf(bands: readonly Band[]): number {
  const last = bands.at(-1);
  return last === undefined ? 0 : last.top + last.height;
}
