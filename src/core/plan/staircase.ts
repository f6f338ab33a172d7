/** The requests that the staircase yields to its caller: to write a summary, or to find a topic boundary. */
import type { Message } from "../message/message.ts";
import type { Coverage, SummaryRecord } from "../summary/record/record.ts";

export interface SummaryTask {
  readonly stretch: readonly Message[];
  readonly previous: SummaryRecord | undefined;
  readonly coverage: Coverage;
  /** Covered messages that are missing from the stretch because they were truncated earlier. */
  readonly omitted: { readonly count: number; readonly tokens: number } | undefined;
  /** In tokens of the counter, without the learned factor. */
  readonly capTokens: number;
  /** Tokens that the summary replaces; undefined if it need not be smaller. */
  readonly replacedTokens: number | undefined;
  readonly tokensBefore: number;
  /** Whether the record has its parent's depth, because the chain is at its depth limit. */
  readonly keepsDepth: boolean;
  readonly reason: string;
}

export type SummaryAnswer =
  | { readonly type: "written"; readonly record: SummaryRecord }
  | { readonly type: "failed"; readonly reason: string };

export interface BoundaryAnswer {
  /** Index of the first message of the new topic among the given messages; undefined if there is none. */
  readonly index: number | undefined;
  readonly confidence: number;
  readonly reason: string;
}

export type StaircaseRequest =
  | { readonly type: "summary"; readonly task: SummaryTask; readonly reply: (answer: SummaryAnswer) => void }
  | {
      readonly type: "boundary";
      readonly messages: readonly Message[];
      readonly reply: (answer: BoundaryAnswer) => void;
    };

/** A computation that yields requests, and undefined to let the event loop run. */
export type Staircase<Result> = Generator<StaircaseRequest | undefined, Result>;

export function requestSummary(task: SummaryTask): Staircase<SummaryAnswer> {
  return request<SummaryAnswer>({ type: "failed", reason: UNANSWERED }, (reply) => ({ type: "summary", task, reply }));
}

export function requestBoundary(messages: readonly Message[]): Staircase<BoundaryAnswer> {
  const none = { index: undefined, confidence: 0, reason: UNANSWERED };
  return request<BoundaryAnswer>(none, (reply) => ({ type: "boundary", messages, reply }));
}

const UNANSWERED = "The request was not answered.";

function* request<Answer>(
  unanswered: Answer,
  createRequest: (reply: (answer: Answer) => void) => StaircaseRequest,
): Staircase<Answer> {
  let answer = unanswered;
  yield createRequest((given) => {
    answer = given;
  });
  return answer;
}
