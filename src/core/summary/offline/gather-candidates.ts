/**
 * The lines that a story is chosen from: those of the summary before, of everybody's words and of calls, and, where
 * these would leave room, what tools gave back. A line that is said again in the same words stands where it was said
 * last.
 */
import type { Message } from "../../message/message.ts";
import { factWords } from "../facts/make-fact.ts";
import type { Candidate } from "../read/candidate.ts";
import type { ConversationKind } from "../read/conversation-kind.ts";
import { readCandidatesInSteps } from "../read/read-candidates.ts";
import { readOutputLines } from "../read/read-output-lines.ts";
import { readPrevious } from "../read/read-previous.ts";
import type { SummaryRecord } from "../record/record.ts";
import { redactSecrets } from "../secrets/redact-secrets.ts";
import { foldLine } from "../text/fold-line.ts";
import { messageTexts } from "../text/message-texts.ts";
import type { SentenceReader } from "../text/sentence-reader.ts";

export interface Gathering {
  readonly kind: ConversationKind;
  readonly sentences: SentenceReader;
  readonly previous: SummaryRecord | undefined;
  readonly capTokens: number;
}

/** What tools gave back is offered only where everybody's words would leave room. */
const ENOUGH_CHARACTERS_A_TOKEN = 6;

export function* gatherCandidates(
  messages: readonly Message[],
  { kind, sentences, previous, capTokens }: Gathering,
): Generator<undefined, readonly Candidate[]> {
  const { candidates, outputs } = yield* readCandidatesInSteps(messages, { kind, sentences });
  const said = [...readPrevious(previous, kind), ...candidates];
  const characters = said.reduce((sum, { body }) => sum + body.length, 0);
  const isEnough = characters >= capTokens * ENOUGH_CHARACTERS_A_TOKEN;
  const found = isEnough ? said : [...said, ...(yield* readOutputLines(outputs, kind))];
  return yield* newestOfEach(found.length > 0 ? found : readAnything(messages));
}

/** Where nobody said anything: the first words that can be found, such as thoughts or the name of a file. */
function readAnything(messages: readonly Message[]): readonly Candidate[] {
  for (const message of messages) {
    const { said, thought, given, called, labels, attached } = messageTexts(message);
    for (const text of [said, thought, given, called, labels, attached].flat()) {
      const raw = redactSecrets(text.slice(0, LONGEST_FALLBACK)).text;
      const line = foldLine(raw);
      if (line !== "") return [{ body: `${message.role}: ${line}`, raw, order: 1, messageId: message.id, weight: 1 }];
    }
  }
  return [];
}

const LONGEST_FALLBACK = 400;

export function* newestOfEach(candidates: readonly Candidate[]): Generator<undefined, readonly Candidate[]> {
  const newest = new Map<string, Candidate>();
  for (const [index, candidate] of candidates.entries()) {
    const words = factWords(candidate.body);
    newest.delete(words);
    newest.set(words, candidate);
    if (index % STEP_LINES === STEP_LINES - 1) yield undefined;
  }
  return [...newest.values()];
}

const STEP_LINES = 512;
