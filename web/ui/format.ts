/** Numbers and times as people read them. */
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

export function writeCount(count: number, one: string, many = `${one}s`): string {
  return `${WHOLE.format(count)} ${count === 1 ? one : many}`;
}

export function writeWhole(value: number): string {
  return WHOLE.format(value);
}

/** 1,234 as 1.2K. */
export function writeShort(value: number): string {
  return value < 1_000 ? WHOLE.format(value) : SHORT.format(value);
}

export function writeShare(share: number): string {
  return SHARE.format(share);
}

/** In thousands: 5,242,880 as 5.2 MB. */
export function writeBytes(bytes: number): string {
  if (bytes < 1_000) return writeCount(bytes, "byte");
  return bytes < 1_000_000 ? `${SIZE.format(bytes / 1_000)} kB` : `${SIZE.format(bytes / 1_000_000)} MB`;
}

/** US dollars, with as many places as a small sum needs. */
export function writeCost(costUsd: number): string {
  if (costUsd === 0) return "$0";
  return costUsd < 0.0001 ? "under $0.0001" : `$${costUsd.toFixed(costUsd < 0.1 ? 4 : 2)}`;
}

/** The clock; with the day where that is another one. */
export function writeWhen(at: number, now: number): string {
  const isToday = new Date(at).toDateString() === new Date(now).toDateString();
  return isToday ? CLOCK.format(at) : `${writeDay(at, now)}, ${CLOCK.format(at)}`;
}

/** With the year where that is another one. */
function writeDay(at: number, now: number): string {
  return new Date(at).getFullYear() === new Date(now).getFullYear() ? DAY.format(at) : OLD_DAY.format(at);
}

export function writeTime(at: number): string {
  return WHOLE_TIME.format(at);
}

export function writeAgo(at: number, now: number): string {
  const pastMs = Math.max(0, now - at);
  if (pastMs < MINUTE_MS) return "just now";
  if (pastMs < HOUR_MS) return AGO.format(-Math.floor(pastMs / MINUTE_MS), "minute");
  if (pastMs < DAY_MS) return AGO.format(-Math.floor(pastMs / HOUR_MS), "hour");
  if (pastMs < 7 * DAY_MS) return AGO.format(-Math.floor(pastMs / DAY_MS), "day");
  return writeDay(at, now);
}
