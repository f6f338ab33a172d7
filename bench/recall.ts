/**
 * Measures what a model could still find in a summary written by code: answers in people's chats, the content of
 * meetings, the names that agents use next, and the user's words where a coding agent compacted. Each figure is
 * compared with the tail, random lines and the shortest lines, of the same size. It measures the content of the text,
 * not the answers of a model. The part `recall` measures the passages that are recalled for a question.
 *
 * `--only people|transcripts|meetings|agents|compactions|models|recall` runs one part, `--quick` a few conversations,
 * `--data <folder>` other data of the same kinds.
 */
import { parseArgs } from "node:util";
import type { BenchRequest, BenchResult } from "./bench.ts";
import { measureAgents } from "./recall/agents.ts";
import { measureCompactions } from "./recall/compactions.ts";
import { measureMeetings } from "./recall/meetings.ts";
import { measureModels } from "./recall/models.ts";
import { measurePeople } from "./recall/people.ts";
import { measurePassages } from "./recall/recall.ts";
import type { MeasureRecall, RecallPart } from "./recall/recall-part.ts";
import { measureTranscripts } from "./recall/transcripts.ts";

const PARTS: Readonly<Record<string, MeasureRecall>> = {
  people: measurePeople,
  transcripts: measureTranscripts,
  meetings: measureMeetings,
  agents: measureAgents,
  compactions: measureCompactions,
  models: measureModels,
  recall: measurePassages,
};
const DATA_FOLDER = `${import.meta.dirname}/../../shared/data`;

export async function run({ args }: BenchRequest): Promise<BenchResult> {
  const { values } = parseArgs({
    args: [...args],
    options: { only: { type: "string" }, quick: { type: "boolean" }, data: { type: "string" } },
  });
  const names = Object.keys(PARTS).filter((name) => values.only === undefined || values.only === name);
  if (names.length === 0) throw new Error(`--only takes one of: ${Object.keys(PARTS).join(", ")}`);
  const parts: RecallPart[] = [];
  for (const name of names) {
    const part = await PARTS[name]?.({ dataFolder: values.data ?? DATA_FOLDER, quick: values.quick === true });
    parts.push(part ?? { rows: [], figures: {}, notes: [`Not measured: ${name}. Its data is missing.`] });
  }
  return {
    name: "recall",
    title: "Facts that a model could use from a summary by code, compared with other texts of the same size.",
    rows: parts.flatMap(({ rows }) => rows),
    figures: Object.assign({}, ...parts.map(({ figures }) => figures)),
    notes: parts.flatMap(({ notes }) => notes),
  };
}
