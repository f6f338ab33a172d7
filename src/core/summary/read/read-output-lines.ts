/** Reads lines from the ends of tool output. They weigh little, because a tool can return them again. */

import { dateOfInstant } from "../../language/normalize-date.ts";
import { textPieces } from "../../language/text-pieces.ts";
import type { Message, MessageId, ToolResultPart } from "../../message/message.ts";
import { redactSecrets } from "../secrets/redact-secrets.ts";
import { cutLongLine, foldLabel, foldLine, withoutJsonMarks } from "../text/fold-line.ts";
import { messageTexts, takeEndsAndFailures } from "../text/message-texts.ts";
import { WORK_LINE_WEIGHTS } from "../weights.ts";
import type { Candidate, ConversationKind } from "./candidate.ts";

/** Matches a line of a file with its number, as tools show it. */
const NUMBERED = /^(?:\S{1,200}\.\w{1,8}[-:])?\d{1,7}(?:→|[:|-] ?|\s)/;

export interface OutputPlace {
  readonly message: Message;
  readonly part: ToolResultPart;
  readonly order: number;
  readonly tool: string | undefined;
  readonly callerId?: MessageId | undefined;
  readonly date: string | undefined;
}

/** Matches lines that report an outcome, unlike code and lists. */
const RESULT =
  /\b(?:errors?|exception|fail(?:ed|ures?|s)?|pass(?:ed|es)?|warnings?|denied|refused|not found|no such|undefined|cannot|could not|timed? out|succe(?:eded|ss)|created|deleted|changed|merged)\b/i;

export function* readOutputLines(
  places: readonly OutputPlace[],
  kind: ConversationKind,
): Generator<undefined, readonly Candidate[]> {
  const candidates: Candidate[] = [];
  for (const { message, part, order, tool, callerId, date } of places) {
    const output = takeEndsAndFailures(messageTexts({ ...message, parts: [part] }).outputs.join("\n"));
    const lines = redactSecrets(output).text.split("\n");
    const speaker = `tool ${foldLabel(tool ?? part.tool ?? "")} gave`;
    for (const [index, raw] of lines.entries()) {
      const line = withoutJsonMarks(foldLine(raw));
      if (line.length < WORK_LINE_WEIGHTS.shortestOutputCharacters || line.length > WORK_LINE_WEIGHTS.longestCharacters)
        continue;
      if (kind === "work" && (NUMBERED.test(line) || !RESULT.test(line))) continue;
      const place = order + (index + 1) / (lines.length + 1);
      candidates.push({
        body: `${speaker}: ${line}`,
        raw,
        order: place,
        messageId: message.id,
        messageIds: callerId === undefined ? [message.id] : [callerId, message.id],
        weight: WORK_LINE_WEIGHTS.output,
        date,
      });
    }
    yield undefined;
  }
  return candidates;
}

/** Reads lines of last resort: middles of tool output, tool inputs, reasoning. Orders them as `placed` is ordered. */
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
    const { reasoning, inputs, outputs, attached } = messageTexts(message);
    for (const [label, texts] of Object.entries({ thought: reasoning, call: inputs, output: outputs, attached }))
      yield* addLines(candidates, { label, texts, message, order });
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
        for (const line of cutLongLine(foldLine(raw), WORK_LINE_WEIGHTS.longestCharacters)) {
          if (line.length < WORK_LINE_WEIGHTS.shortestOutputCharacters) continue;
          const text = label === "output" ? withoutJsonMarks(line) : line;
          if (text !== "")
            candidates.push({ body: `${label}: ${text}`, raw, order, messageId: message.id, weight: 1, date });
        }
      }
      yield undefined;
    }
  }
}
