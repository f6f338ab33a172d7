/** Converts sessions and heads to rows and back. A fork's row names every segment that it inherits. */
import type { SessionId } from "../../core/log/entry.ts";
import { type Fork, findKeptSeqs, findViewFloorSeq, type Head, makeReadingHead } from "../../core/log/head.ts";
import type { Role } from "../../core/message/message.ts";
import type { SessionHeader, SessionSummary } from "../../ports/store.ts";
import { checksumHead, compareText, type HeadColumns } from "./checksums.ts";
import {
  createDamageError,
  findNumberColumn,
  findTextColumn,
  type Row,
  readJson,
  readNumberColumn,
  readTextColumn,
} from "./driver.ts";
import type { LogSegment, NewFork, StoredHead } from "./sql-statements.ts";
import { readHead, writeHead } from "./stored-head.ts";
import { fromStoredText, toStoredText } from "./stored-text.ts";

export interface SessionRow {
  readonly header: SessionHeader;
  readonly lastSeq: number;
  readonly key: number;
  readonly epoch: number;
  readonly fence: number;
  /** Own and inherited segments, newest first. */
  readonly segments: readonly LogSegment[];
}

export interface HeadRow extends Omit<HeadColumns, "head" | "kept"> {
  readonly head: Head;
  readonly kept: readonly number[];
}

/** `text` is stored for the head. */
export function toStoredHead(head: Head, text: string = writeHead(head)): StoredHead {
  const reading = makeReadingHead(head);
  const floorSeq = findViewFloorSeq(reading);
  const viewFromSeq = Math.min(floorSeq, head.foldedThroughSeq);
  const columns = {
    head: text,
    floorSeq,
    foldedThroughSeq: head.foldedThroughSeq,
    viewFromSeq,
    kept: JSON.stringify(findKeptSeqs(reading).filter((seq) => seq <= viewFromSeq)),
  };
  return { ...columns, epoch: head.epoch, checksum: checksumHead(columns) };
}

type Lineage = readonly (readonly [key: number, throughSeq: number])[];

export function toStoredFork({ key, segments }: SessionRow, { atSeq, inheritedSummaryId }: Fork): NewFork {
  const lineage = segments.map((segment) => [segment.key, Math.min(segment.throughSeq, atSeq)]);
  return {
    parentKey: key,
    atSeq,
    inheritedSummaryId: inheritedSummaryId === undefined ? null : toStoredText(inheritedSummaryId),
    lineage: JSON.stringify(lineage),
  };
}

export function fromSessionRow(row: Row, tenant: string): SessionRow {
  const key = readNumberColumn(row, "session_key");
  const lineage = readLineage(row);
  return {
    header: {
      id: fromStoredText(readTextColumn(row, "id")),
      title: findIntactText(row, "title"),
      createdAt: readNumberColumn(row, "created_at"),
      fork: findFork(row),
    },
    lastSeq: readNumberColumn(row, "last_seq"),
    key,
    epoch: readNumberColumn(row, "epoch"),
    fence: readNumberColumn(row, "fence"),
    segments: [
      { tenant, key, throughSeq: Number.MAX_SAFE_INTEGER },
      ...lineage.map(([inheritedKey, throughSeq]) => ({ tenant, key: inheritedKey, throughSeq })),
    ],
  };
}

function readLineage(row: Row): Lineage {
  const lineage = readJson(row, "lineage") as Lineage;
  const isWhole = Array.isArray(lineage) && lineage.flat().every(Number.isSafeInteger);
  if (!isWhole || lineage.some(({ length }) => length !== 2))
    throw createDamageError("The column lineage does not contain segments");
  return lineage;
}

export function fromHeadRow(row: Row): HeadRow {
  return {
    head: readHead(row),
    viewFromSeq: readNumberColumn(row, "view_from_seq"),
    floorSeq: readNumberColumn(row, "floor_seq"),
    foldedThroughSeq: readNumberColumn(row, "folded_through_seq"),
    kept: readJson(row, "kept") as readonly number[],
  };
}

export function fromSummaryRow(row: Row): SessionSummary {
  return {
    id: fromStoredText(readTextColumn(row, "id")),
    title: findIntactText(row, "title"),
    createdAt: readNumberColumn(row, "created_at"),
    updatedAt: readNumberColumn(row, "updated_at"),
    messageCount: readNumberColumn(row, "message_count"),
    preview: findIntactText(row, "preview") ?? "",
    firstRole: findTextColumn(row, "first_role") as Role | undefined,
    fork: findFork(row),
  };
}

function findFork(row: Row): Fork | undefined {
  const parentId: SessionId | undefined = findStoredText(row, "parent_id");
  const atSeq = findNumberColumn(row, "fork_at_seq");
  if (parentId === undefined || atSeq === undefined) return undefined;
  return { parentId, atSeq, inheritedSummaryId: findStoredText(row, "inherited_summary_id") };
}

/** Returns undefined for a text that does not match its checksum, so that it is not shown. */
function findIntactText(row: Row, name: "title" | "preview"): string | undefined {
  return compareText(row, name) === "changed" ? undefined : findStoredText(row, name);
}

function findStoredText(row: Row, name: string): string | undefined {
  const stored = findTextColumn(row, name);
  return stored === undefined ? undefined : fromStoredText(stored);
}
