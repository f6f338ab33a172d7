/**
 * A head as a column holds it. The fact sheet of a long conversation is most of it, and only the next fold asks for it:
 * it is written as a text of its own inside, and read when somebody looks. Heads that were written whole are read too.
 */
import { EMPTY_HEAD, type Head } from "../../core/log/head.ts";
import type { FactSheet } from "../../core/summary/record.ts";
import { damaged, type Row, readJson } from "./driver.ts";

interface StoredHead extends Head {
  readonly packedSheet?: string | undefined;
}

export function writeHead(head: Head): string {
  const { summary } = head;
  const sheet = summary?.facets.sheet;
  if (summary === undefined || sheet === undefined) return JSON.stringify(head);
  const { sheet: _, ...facets } = summary.facets;
  const stored: StoredHead = { ...head, summary: { ...summary, facets }, packedSheet: JSON.stringify(sheet) };
  return JSON.stringify(stored);
}

/** A head that was written before a field was thought of has that field as an empty head does. */
export function readHead(row: Row): Head {
  const { packedSheet, ...head } = readJson(row, "head") as StoredHead;
  const { summary } = head;
  if (packedSheet === undefined || summary === undefined) return { ...EMPTY_HEAD, ...head };
  let sheet: FactSheet | undefined;
  const facets = {
    ...summary.facets,
    get sheet() {
      sheet ??= parseSheet(packedSheet);
      return sheet;
    },
  };
  return { ...EMPTY_HEAD, ...head, summary: { ...summary, facets } };
}

function parseSheet(text: string): FactSheet {
  try {
    return JSON.parse(text) as FactSheet;
  } catch (error) {
    throw damaged("The facts of a summary are no JSON", error);
  }
}
