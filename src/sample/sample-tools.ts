/**
 * The tools of the sample conversation and what they gave back, written out by code so that the bulk of it need not be
 * bundled. Nothing here calls anything: the same input gives the same text, and only the sample asks.
 */
import type { JsonValue } from "../core/message/json.ts";
import { DROPPED_STATIONS, STATIONS, type Station } from "./sample-stations.ts";

const clock = (seconds: number): string => `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, "0")}`;
const pad = (text: string | number, width: number): string => String(text).padEnd(width);

export function stationTable(stations: readonly Station[] = STATIONS): string {
  const rows = stations.map(
    ({ number, title, room, year, seconds }) =>
      `${pad(number, 4)}${pad(title, 32)}${pad(room, 14)}${pad(year, 6)}${clock(seconds)}`,
  );
  const total = stations.reduce((sum, { seconds }) => sum + seconds, 0);
  return [
    `${pad("no", 4)}${pad("title", 32)}${pad("room", 14)}${pad("year", 6)}length`,
    ...rows,
    `${stations.length} stops, ${clock(total)} in all`,
  ].join("\n");
}

export function shortTour(): readonly Station[] {
  return STATIONS.filter(({ number }) => !DROPPED_STATIONS.has(number));
}

/** Cards of the catalogue; the first are those that matter. */
export function archiveCards(subject: string, first: readonly string[]): JsonValue {
  const others = STATIONS.slice(0, 12).map(({ number, title, room, year }) => ({
    card: `GG-${1_200 + number * 7}`,
    title: `${title}, mentions ${subject}`,
    place: room,
    dated: `about ${year}`,
    condition: number % 3 === 0 ? "stained, readable" : "good",
    note: "Not transcribed. Scan at 300 dpi in the reading room folder.",
  }));
  const cards = first.map((note, place) => ({
    card: `GG-${300 + place}`,
    title: subject,
    place: "Strong room, shelf 4",
    condition: "good",
    note,
  }));
  return { query: subject, hits: cards.length + others.length, cards: [...cards, ...others] };
}

export interface SheetRow {
  readonly item: string;
  readonly euros: number;
  readonly note: string;
}

export function budgetSheet(rows: readonly SheetRow[], limit: number): string {
  const total = rows.reduce((sum, { euros }) => sum + euros, 0);
  const lines = rows.map(({ item, euros, note }, place) => `${place + 1},${item},${euros.toFixed(2)},EUR,"${note}"`);
  return [
    "line,item,amount,currency,note",
    ...lines,
    `,total,${total.toFixed(2)},EUR,"limit ${limit.toFixed(2)}, ${total <= limit ? "inside" : "OVER"}"`,
  ].join("\n");
}

export interface BuildOptions {
  readonly stations: readonly Station[];
  readonly language: string;
  /** The stop at which it ends, and with what. */
  readonly failsAt?: { readonly number: number; readonly error: readonly string[] } | undefined;
}

/** The log of the script that cuts and normalises the recordings, stop by stop. */
export function buildLog({ stations, language, failsAt }: BuildOptions): string {
  const lines = [`$ node build-audio.mjs --language ${language}`, `found ${stations.length} stops in stations.json`];
  for (const { number, title, seconds } of stations) {
    const file = `${language}/${String(number).padStart(2, "0")}-${title.toLowerCase().replace(/[^a-z]+/g, "-")}.opus`;
    if (number === failsAt?.number) {
      lines.push(`[${number}] ${title}: FAILED`, ...failsAt.error, "exit code 1");
      return lines.join("\n");
    }
    lines.push(`[${number}] ${title}: ${clock(seconds)}, -16.0 LUFS, ${seconds * 6} kB -> ${file}`);
  }
  return [...lines, `done: ${stations.length} files in dist/${language}`, "exit code 0"].join("\n");
}

/** Signal of a small access point, measured at every stop of the house. */
export function signalTable(stations: readonly Station[]): string {
  const lines = stations.map(({ number, title, room }) => {
    const level = room === "Cellar" ? -86 - (number % 4) : -48 - ((number * 7) % 19);
    const verdict = level < -80 ? "no page loads" : `${(90 + level) / 4} Mbit/s`;
    return `${pad(number, 4)}${pad(title, 32)}${pad(room, 14)}${level} dBm  ${verdict}`;
  });
  return ["Access point in the lamp room, phone at chest height", ...lines].join("\n");
}

/** Hours of a logger in the archive under the roof. */
export function humidityTable(firstDay: number, wetFrom: number): string {
  const lines = Array.from({ length: 36 }, (_, place) => {
    const day = firstDay + Math.floor(place / 12);
    const humidity = place < wetFrom ? 51 + (place % 4) : 66 + ((place * 5) % 17);
    return `April ${day}, ${String((place % 12) * 2).padStart(2, "0")}:00  ${humidity} % RH  ${(11 + (place % 5) / 2).toFixed(1)} C`;
  });
  return ["Logger 3, archive, north wall", ...lines].join("\n");
}
