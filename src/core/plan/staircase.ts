/**
 * What the staircase cannot know by itself: the words of a summary, and where a topic ends. It yields a question and
 * goes on with the answer, so that whoever drives it may take its time, ask a model, or let code answer at once.
 */
import type { Message } from "../message/message.ts";
import type { Coverage, SummaryRecord } from "../summary/record/record.ts";

/** What a summary is to stand for, and how large it may be. */
export interface SummaryTask {
  /** As it was said. */
  readonly stretch: readonly Message[];
  readonly previous: SummaryRecord | undefined;
  readonly coverage: Coverage;
  /** Covered messages that are not in the stretch because they had been truncated before. */
  readonly omitted: { readonly count: number; readonly tokens: number } | undefined;
  /** By the counter, without the learned factor. */
  readonly capTokens: number;
  /** What it takes the place of; undefined where it need not be smaller. */
  readonly replacedTokens: number | undefined;
  readonly tokensBefore: number;
  /** At the cap of a chain: the record takes its parent's depth. */
  readonly keepsDepth: boolean;
  readonly reason: string;
}

export type SummaryAnswer =
  | { readonly type: "written"; readonly record: SummaryRecord }
  | { readonly type: "failed"; readonly reason: string };

export interface BoundaryAnswer {
  /** Of the first message of the new topic, among those that were given. */
  readonly index: number | undefined;
  readonly confidence: number;
  readonly reason: string;
}

export type Ask =
  | { readonly type: "summary"; readonly task: SummaryTask; readonly reply: (answer: SummaryAnswer) => void }
  | {
      readonly type: "boundary";
      readonly messages: readonly Message[];
      readonly reply: (answer: BoundaryAnswer) => void;
    };

/** Work that rests, and asks. */
export type Staircase<Result> = Generator<Ask | undefined, Result>;

export function* askSummary(task: SummaryTask): Staircase<SummaryAnswer> {
  let answer: SummaryAnswer = { type: "failed", reason: "Nobody answered." };
  yield {
    type: "summary",
    task,
    reply: (given) => {
      answer = given;
    },
  };
  return answer;
}

export function* askBoundary(messages: readonly Message[]): Staircase<BoundaryAnswer> {
  let answer: BoundaryAnswer = { index: undefined, confidence: 0, reason: "Nobody answered." };
  yield {
    type: "boundary",
    messages,
    reply: (given) => {
      answer = given;
    },
  };
  return answer;
}
