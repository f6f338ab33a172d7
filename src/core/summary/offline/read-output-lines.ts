/**
 * Lines of what tools gave back, for a story that has room left when everybody's words are in it. Only the ends of an
 * output are offered, and they count for little: most of it can be had again by asking the tool.
 */
import type { Message, ToolResultPart } from "../../message/message.ts";
import { messageTexts } from "../facts/message-texts.ts";
import { textEnds } from "../facts/output-ends.ts";
import { redactSecrets } from "../secrets/redact-secrets.ts";
import type { Candidate } from "./candidate.ts";
import { foldLabel, foldLine } from "./fold-line.ts";

const OUTPUT_WEIGHT = 0.25;
const SHORTEST_LINE = 12;
const LONGEST_LINE = 320;

export interface OutputPlace {
  readonly message: Message;
  readonly part: ToolResultPart;
  readonly order: number;
  readonly tool: string | undefined;
  readonly date: string | undefined;
}

export function* readOutputLines(places: readonly OutputPlace[]): Generator<undefined, readonly Candidate[]> {
  const candidates: Candidate[] = [];
  for (const { message, part, order, tool, date } of places) {
    const given = textEnds(messageTexts({ ...message, parts: [part] }).given.join("\n"));
    const lines = redactSecrets(given).text.split("\n");
    const speaker = `tool ${foldLabel(tool ?? part.tool ?? "")} gave`;
    for (const [index, raw] of lines.entries()) {
      const line = foldLine(raw);
      if (line.length < SHORTEST_LINE || line.length > LONGEST_LINE) continue;
      const place = order + (index + 1) / (lines.length + 1);
      candidates.push({
        body: `${speaker}: ${line}`,
        raw,
        order: place,
        messageId: message.id,
        weight: OUTPUT_WEIGHT,
        date,
      });
    }
    yield undefined;
  }
  return candidates;
}
