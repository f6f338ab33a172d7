/**
 * The record of one summary: what it says, what it stands for, and what is known of how it came about. Records are
 * linked by parent into a chain; each covers everything its parent covered and a new stretch.
 *
 * Only the shape is here. Who writes the text, and how it is checked, are other files of this room.
 */
import type { Flavoured, MessageId } from "../message/message.ts";

export type SummaryId = Flavoured<"summary">;

/** The stretch of the log that something stands for, from its first to its last message. */
export interface Coverage {
  readonly firstSeq: number;
  readonly lastSeq: number;
  /** Messages covered, the parent's included. */
  readonly count: number;
}

export interface ActionItem {
  readonly task: string;
  readonly owner?: string | undefined;
  readonly due?: string | undefined;
  readonly status: "open" | "done";
}

export interface Facets {
  readonly goal?: string | undefined;
  readonly constraints: readonly string[];
  readonly decisions: readonly string[];
  readonly actionItems: readonly ActionItem[];
  readonly unresolved: readonly string[];
  readonly entities: readonly string[];
  readonly participants: readonly string[];
  /** What is finished and must not be done again. */
  readonly done: readonly string[];
}

export interface SummaryRecord {
  readonly id: SummaryId;
  readonly at: number;
  /** 0 for the first of a chain. */
  readonly depth: number;
  readonly parentId?: SummaryId | undefined;
  readonly coverage: Coverage & {
    /** H(the parent's chainHash, the new stretch): proves what was read without keeping it. */
    readonly chainHash: string;
  };
  /** Messages of the new stretch. */
  readonly messageIds: readonly MessageId[];
  /** The text as the model sees it. */
  readonly text: string;
  readonly keyPoints: readonly string[];
  readonly facets: Facets;
  readonly strategy: string;
  readonly model?: string | undefined;
  readonly reason: string;
  readonly instructions?: string | undefined;
  readonly tokensBefore: number;
  readonly tokensAfter: number;
  readonly costUsd?: number | undefined;
}
