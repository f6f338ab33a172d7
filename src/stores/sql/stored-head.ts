/**
 * A head as a column holds it. What the summary of a long conversation knows of its facts and lines is most of it, and
 * only the next fold asks for that: it is written as a text of its own inside, and read when somebody looks. Heads that
 * were written whole are read too.
 */
import { EMPTY_HEAD, type Head } from "../../core/log/head.ts";
import type { SummaryRecord } from "../../core/summary/record.ts";
import { damaged, type Row, readJson } from "./driver.ts";

type Packed = Pick<SummaryRecord, "facets" | "lines">;

interface StoredHead extends Omit<Head, "summary"> {
  readonly summary?: (Omit<SummaryRecord, keyof Packed> & Partial<Packed>) | undefined;
  /** The rest of the summary. */
  readonly packed?: PackedText | undefined;
}

/** JSON inside JSON without a sign that has to be escaped there, so that whoever passes over it does so at once. */
interface PackedText {
  readonly text: string;
  /** What stands for a quotation mark, and for a backslash. */
  readonly quote: string;
  readonly slash: string;
}

export function writeHead(head: Head): string {
  if (head.summary === undefined) return JSON.stringify(head);
  const { facets, lines, ...summary } = head.summary;
  const packed = pack(JSON.stringify({ facets, lines }));
  const stored: StoredHead = packed === undefined ? head : { ...head, summary, packed };
  return JSON.stringify(stored);
}

/** A head that was written before a field was thought of has that field as an empty head does. */
export function readHead(row: Row): Head {
  const { packed, ...stored } = readJson(row, "head") as StoredHead;
  const { summary } = stored;
  if (packed === undefined || summary === undefined) return { ...EMPTY_HEAD, ...(stored as Head) };
  let read: Packed | undefined;
  const unpack = (): Packed => {
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

/** Signs that few texts hold; where all but one are there, the text is not packed. */
const SIGNS = [..."~^`|@#%&$*;<>", "\u00a8", "\u00ac", "\u00b8", "\u00b4"];

function pack(json: string): PackedText | undefined {
  const [quote, slash] = SIGNS.filter((sign) => !json.includes(sign));
  if (quote === undefined || slash === undefined) return undefined;
  return { text: json.replaceAll('"', quote).replaceAll("\\", slash), quote, slash };
}

function parsePacked({ text, quote, slash }: PackedText): Packed {
  try {
    return JSON.parse(text.replaceAll(quote, '"').replaceAll(slash, "\\")) as Packed;
  } catch (error) {
    throw damaged("The facts of a summary are no JSON", error);
  }
}
