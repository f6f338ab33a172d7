/** Texts about imported files: what each was, what of it is new, and what could not be read. */
import type { TranscriptImport } from "../../engine/transfer/transcript-import.ts";
import { describeCount, escapeControls } from "../terminal/terminal-text.ts";

export type ImportedFile = Pick<TranscriptImport, "sessions" | "messages" | "added" | "skipped" | "problems"> & {
  readonly format?: string | undefined;
};

/** One line for each session. */
export function describeSessions({ sessions }: ImportedFile): readonly string[] {
  return sessions.map(({ sessionId, format, messages, added, calls, results, summaries }) => {
    const counts = [
      describeCount(messages, "message", "messages"),
      `${added} new`,
      ...(calls + results === 0 ? [] : [`${calls} calls`, `${results} results`]),
      ...(summaries === 0 ? [] : [describeCount(summaries, "compaction", "compactions")]),
    ];
    return `${sessionId}: ${counts.join(", ")} (${format})`;
  });
}

/** Number of skipped records that are listed for a file; the others are counted. */
const MAX_LISTED = 20;

export function describeProblems({ problems, skipped }: ImportedFile): readonly string[] {
  const listed = problems.slice(0, MAX_LISTED).map(({ place, reason }) => {
    // Most reasons begin with the place.
    const text = reason.startsWith(place) ? reason : `${place}: ${reason}`;
    return `skipped: ${escapeControls(text)}`;
  });
  const others = skipped - listed.length;
  return others > 0 ? [...listed, `skipped: ${describeCount(others, "other record", "other records")}`] : listed;
}

export interface FolderTotals {
  files: number;
  sessions: number;
  messages: number;
  added: number;
  calls: number;
  results: number;
  skipped: number;
}

/** A table of what a folder contained, by format. */
export function describeTotals(totals: ReadonlyMap<string, FolderTotals>): readonly string[] {
  const names = ["files", "sessions", "messages", "added", "calls", "results", "skipped"] as const;
  const rows = [...totals].map(([format, row]) => [format, ...names.map((name) => row[name].toLocaleString("en-US"))]);
  const sum = [
    "total",
    ...names.map((name) => [...totals.values()].reduce((all, row) => all + row[name], 0).toLocaleString("en-US")),
  ];
  const table = [
    ["format", ...names.map((name) => (name === "added" ? "new" : name))],
    ...rows,
    ...(rows.length > 1 ? [sum] : []),
  ];
  const widths = (table[0] ?? []).map((_, column) => Math.max(...table.map((row) => row[column]?.length ?? 0)));
  return table.map((row) =>
    row
      .map((cell, column) => (column === 0 ? cell.padEnd(widths[0] ?? 0) : cell.padStart(widths[column] ?? 0)))
      .join("  "),
  );
}
