/**
 * Lines of what tools gave back, for a story that has room left when everybody's words are in it. Only the ends of an
 * output are offered, and they count for little: most of it can be had again by asking the tool.
 */
import type { Message, MessageId, ToolResultPart } from "../../message/message.ts";
import { redactSecrets } from "../secrets/redact-secrets.ts";
import { foldLabel, foldLine } from "../text/fold-line.ts";
import { messageTexts } from "../text/message-texts.ts";
import { endsWithFailures } from "../text/output-ends.ts";
import type { Candidate } from "./candidate.ts";
import type { ConversationKind } from "./conversation-kind.ts";

const OUTPUT_WEIGHT = 0.25;
/** A line of a file, as tools show it. */
const NUMBERED = /^(?:\S{1,200}\.\w{1,8}[-:])?\d{1,7}(?:→|[:|-] ?|\s)/;
const SHORTEST_LINE = 12;
const LONGEST_LINE = 320;

export interface OutputPlace {
  readonly message: Message;
  readonly part: ToolResultPart;
  readonly order: number;
  readonly tool: string | undefined;
  /** The message that called it. */
  readonly callerId?: MessageId | undefined;
  readonly date: string | undefined;
}

/** Of an agent's work only lines that say how something ended: the rest is code and lists, which the tool gives again. */
const RESULT =
  /\b(?:errors?|exception|fail(?:ed|ures?|s)?|pass(?:ed|es)?|warnings?|denied|refused|not found|no such|undefined|cannot|could not|timed? out|succe(?:eded|ss)|created|deleted|changed|merged)\b/i;

export function* readOutputLines(
  places: readonly OutputPlace[],
  kind: ConversationKind,
): Generator<undefined, readonly Candidate[]> {
  const candidates: Candidate[] = [];
  for (const { message, part, order, tool, callerId, date } of places) {
    const given = endsWithFailures(messageTexts({ ...message, parts: [part] }).given.join("\n"));
    const lines = redactSecrets(given).text.split("\n");
    const speaker = `tool ${foldLabel(tool ?? part.tool ?? "")} gave`;
    for (const [index, raw] of lines.entries()) {
      const line = foldLine(raw);
      if (line.length < SHORTEST_LINE || line.length > LONGEST_LINE) continue;
      if (kind === "work" && (NUMBERED.test(line) || !RESULT.test(line))) continue;
      const place = order + (index + 1) / (lines.length + 1);
      candidates.push({
        body: `${speaker}: ${line}`,
        raw,
        order: place,
        messageId: message.id,
        messageIds: callerId === undefined ? [message.id] : [callerId, message.id],
        weight: OUTPUT_WEIGHT,
        date,
      });
    }
    yield undefined;
  }
  return candidates;
}
