/** Formats numbers, sizes, costs and times for the user. */
const WHOLE = new Intl.NumberFormat("en", { maximumFractionDigits: 0 });
const SHORT = new Intl.NumberFormat("en", { notation: "compact", maximumFractionDigits: 1 });
const SIZE = new Intl.NumberFormat("en", { maximumFractionDigits: 1 });
const SHARE = new Intl.NumberFormat("en", { style: "percent", maximumFractionDigits: 0 });
const CLOCK = new Intl.DateTimeFormat(undefined, { hour: "2-digit", minute: "2-digit" });
const DAY = new Intl.DateTimeFormat(undefined, { day: "numeric", month: "short" });
const OLD_DAY = new Intl.DateTimeFormat(undefined, { day: "numeric", month: "short", year: "numeric" });
const WHOLE_TIME = new Intl.DateTimeFormat(undefined, { dateStyle: "medium", timeStyle: "short" });
const AGO = new Intl.RelativeTimeFormat("en", { numeric: "auto" });

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

export function formatCount(count: number, singular: string, plural = `${singular}s`): string {
  return `${WHOLE.format(count)} ${count === 1 ? singular : plural}`;
}

export function formatNumber(value: number): string {
  return WHOLE.format(value);
}

/** Formats 1,234 as 1.2K. */
export function formatCompact(value: number): string {
  return value < 1_000 ? WHOLE.format(value) : SHORT.format(value);
}

export function formatPercent(share: number): string {
  return SHARE.format(share);
}

/** Uses units of 1,000: 5,242,880 is 5.2 MB. */
export function formatBytes(bytes: number): string {
  if (bytes < 1_000) return formatCount(bytes, "byte");
  return bytes < 1_000_000 ? `${SIZE.format(bytes / 1_000)} kB` : `${SIZE.format(bytes / 1_000_000)} MB`;
}

/** Formats US dollars with enough decimals for a small amount. */
export function formatCost(costUsd: number): string {
  if (costUsd === 0) return "$0";
  return costUsd < 0.0001 ? "under $0.0001" : `$${costUsd.toFixed(costUsd < 0.1 ? 4 : 2)}`;
}

/** Formats the time of day, with the date if it is not today. */
export function formatTime(at: number, now: number): string {
  const isToday = new Date(at).toDateString() === new Date(now).toDateString();
  return isToday ? CLOCK.format(at) : `${formatDay(at, now)}, ${CLOCK.format(at)}`;
}

/** Formats a date, with the year if it is not this year. */
function formatDay(at: number, now: number): string {
  return new Date(at).getFullYear() === new Date(now).getFullYear() ? DAY.format(at) : OLD_DAY.format(at);
}

export function formatDateTime(at: number): string {
  return WHOLE_TIME.format(at);
}

export function formatAge(at: number, now: number): string {
  const pastMs = Math.max(0, now - at);
  if (pastMs < MINUTE_MS) return "just now";
  if (pastMs < HOUR_MS) return AGO.format(-Math.floor(pastMs / MINUTE_MS), "minute");
  if (pastMs < DAY_MS) return AGO.format(-Math.floor(pastMs / HOUR_MS), "hour");
  if (pastMs < 7 * DAY_MS) return AGO.format(-Math.floor(pastMs / DAY_MS), "day");
  return formatDay(at, now);
}
