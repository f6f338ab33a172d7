/**
 * Stores a head as JSON. A long conversation's head consists mostly of the facets and lines of its summary, which only
 * the next fold needs: they are packed as one string inside and parsed on first use. Unpacked heads are read too.
 */
import { EMPTY_HEAD, type Head } from "../../core/log/head.ts";
import type { SummaryRecord } from "../../core/summary/record/record.ts";
import { createDamageError, type Row, readJson } from "./driver.ts";

type PackedFields = Pick<SummaryRecord, "facets" | "lines">;

interface HeadJson extends Omit<Head, "summary"> {
  readonly summary?: (Omit<SummaryRecord, keyof PackedFields> & Partial<PackedFields>) | undefined;
  readonly packed?: PackedText | undefined;
}

/** JSON inside JSON without characters that need escaping, so that a parser skips it quickly. */
interface PackedText {
  readonly text: string;
  /** Substitutes for the quotation mark and the backslash. */
  readonly quote: string;
  readonly slash: string;
}

export function writeHead(head: Head): string {
  if (head.summary === undefined) return JSON.stringify(head);
  const { facets, lines, ...summary } = head.summary;
  const packed = packJson(JSON.stringify({ facets, lines }));
  const stored: HeadJson = packed === undefined ? head : { ...head, summary, packed };
  return JSON.stringify(stored);
}

/** Fills fields that an older version did not write from the empty head. */
export function readHead(row: Row): Head {
  const { packed, ...stored } = readJson(row, "head") as HeadJson;
  const { summary } = stored;
  if (packed === undefined || summary === undefined) return { ...EMPTY_HEAD, ...(stored as Head) };
  let read: PackedFields | undefined;
  const unpack = (): PackedFields => {
    read ??= parsePacked(packed);
    return read;
  };
  return {
    ...EMPTY_HEAD,
    ...stored,
    summary: {
      ...summary,
      get facets() {
        return unpack().facets;
      },
      get lines() {
        return unpack().lines;
      },
    },
  };
}

/** Characters that few texts contain; if fewer than two are free, the text is not packed. */
const SUBSTITUTES = [..."~^`|@#%&$*;<>", "\u00a8", "\u00ac", "\u00b8", "\u00b4"];

function packJson(json: string): PackedText | undefined {
  const [quote, slash] = SUBSTITUTES.filter((sign) => !json.includes(sign));
  if (quote === undefined || slash === undefined) return undefined;
  return { text: json.replaceAll('"', quote).replaceAll("\\", slash), quote, slash };
}

function parsePacked({ text, quote, slash }: PackedText): PackedFields {
  try {
    return JSON.parse(text.replaceAll(quote, '"').replaceAll(slash, "\\")) as PackedFields;
  } catch (error) {
    throw createDamageError("The facets of a summary are not JSON", error);
  }
}
