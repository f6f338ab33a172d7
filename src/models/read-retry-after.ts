/** Reads how long a provider asked to wait: in seconds, in milliseconds, as a date, or in the body as Gemini does. */
import type { VendorError } from "./read-vendor-error.ts";

/** Upper bound against nonsense; callers have limits of their own. */
const MAX_WAIT_MS = 86_400_000;

export function readRetryAfter({ headers, text }: VendorError, nowMs: number): number | undefined {
  const milliseconds = readNumber(headers["retry-after-ms"]);
  if (milliseconds !== undefined) return clampWait(milliseconds);
  const header = headers["retry-after"]?.trim();
  const seconds = readNumber(header) ?? readNumber(/"retryDelay"\s*:\s*"(\d+(?:\.\d+)?)s"/.exec(text)?.[1]);
  if (seconds !== undefined) return clampWait(seconds * 1_000);
  const date = header === undefined || header === "" ? Number.NaN : Date.parse(header);
  return Number.isNaN(date) ? undefined : clampWait(date - nowMs);
}

function readNumber(text: string | undefined): number | undefined {
  return text !== undefined && /^\d{1,12}(?:\.\d+)?$/.test(text.trim()) ? Number(text) : undefined;
}

function clampWait(milliseconds: number): number {
  return Math.min(MAX_WAIT_MS, Math.max(0, Math.round(milliseconds)));
}
