/**
 * Lines of last resort, for a summary that would have room left when all that was said, done and given back at its ends
 * is in it: what tools gave back in between, what calls were given, what the model thought. They count for little.
 */

import { dateOfInstant } from "../../language/normalise-date.ts";
import { textPieces } from "../../language/text-pieces.ts";
import type { Message } from "../../message/message.ts";
import { redactSecrets } from "../secrets/redact-secrets.ts";
import { cutLong } from "../text/cut-long.ts";
import { foldLine } from "../text/fold-line.ts";
import { messageTexts } from "../text/message-texts.ts";
import type { Candidate } from "./candidate.ts";

const WEIGHT = 0.1;
const SHORTEST_LINE = 12;
const LONGEST_LINE = 320;

/** `placed` says where in the story each message stands. */
export function* readRemainder(
  messages: readonly Message[],
  placed: readonly Candidate[],
): Generator<undefined, readonly Candidate[]> {
  const orders = new Map<string, number>();
  for (const { messageId, order } of placed) if (messageId !== undefined) orders.set(messageId, order);
  const candidates: Candidate[] = [];
  let order = 0;
  for (const message of messages) {
    order = orders.get(message.id) ?? order;
    if (message.role === "system") continue;
    const { thought, called, given, attached } = messageTexts(message);
    yield* addLines(candidates, { label: "thought", texts: thought, message, order });
    yield* addLines(candidates, { label: "call", texts: called, message, order });
    yield* addLines(candidates, { label: "output", texts: given, message, order });
    yield* addLines(candidates, { label: "attached", texts: attached, message, order });
  }
  return candidates;
}

interface Remainder {
  readonly label: string;
  readonly texts: readonly string[];
  readonly message: Message;
  readonly order: number;
}

function* addLines(candidates: Candidate[], { label, texts, message, order }: Remainder): Generator<undefined, void> {
  const date = message.saidAt === undefined ? undefined : dateOfInstant(message.saidAt);
  for (const text of texts) {
    for (const piece of textPieces(text)) {
      for (const raw of redactSecrets(piece).text.split("\n")) {
        for (const line of cutLong(foldLine(raw), LONGEST_LINE)) {
          if (line.length < SHORTEST_LINE) continue;
          // Equal places keep the order in which they came.
          candidates.push({ body: `${label}: ${line}`, raw, order, messageId: message.id, weight: WEIGHT, date });
        }
      }
      yield undefined;
    }
  }
}
