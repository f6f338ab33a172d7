/** A whole conversation as it leaves in an export, with nothing in it that has the form of a secret. */
import { client } from "./client.ts";
import { readFields, readText } from "./fields.ts";
import { type LogEntry, readEntry, showEntries } from "./read-entries.ts";
import type { LogItem } from "./values.ts";

/** The others say what became of these, and are nothing to read. */
const SHOWN: readonly unknown[] = ["message", "summary", "truncate", "clear"];

export interface Exported {
  readonly title: string;
  readonly items: readonly LogItem[];
}

export async function readExport(id: string): Promise<Exported> {
  const entries: LogEntry[] = [];
  let title = "";
  for await (const line of client.exportSession({ params: { id } })) {
    const { session, entry } = readFields(JSON.parse(line));
    if (session !== undefined) title = readText(readFields(session).title);
    if (SHOWN.includes(readFields(entry).type)) entries.push(readEntry(entry));
  }
  return { title, items: showEntries(entries, { sessionId: id }) };
}
