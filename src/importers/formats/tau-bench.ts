/** Trajectories of tau-bench: each has its task, its trial and messages of OpenAI's Chat Completions. */
import { type Fields, findNumber, findText, invalidMessage, readFields } from "../../core/check-value.ts";
import { openAiChatFormat } from "../../core/message/formats/openai-chat.ts";
import { hashText } from "../../core/message/hash-message.ts";
import type { TranscriptEvent } from "../../ports/transcript.ts";
import type { FileSample, FormatReader, TranscriptFormat } from "../shared/format.ts";
import type { SourceRecord } from "../shared/record.ts";
import { SessionDraft } from "../shared/session-draft.ts";
import { describeSkip } from "../shared/skip.ts";

export const tauBenchFormat: TranscriptFormat = {
  name: "tau-bench",
  title: "tau-bench trajectories (JSON)",
  recognize: ({ records }: FileSample) =>
    records.some((value) => {
      const { traj, task_id: task } = readFields(value);
      return Array.isArray(traj) && (typeof task === "number" || typeof task === "string");
    }),
  open: () => new TauBenchReader(),
};

class TauBenchReader implements FormatReader {
  *take({ value, place }: SourceRecord): Generator<TranscriptEvent> {
    const { traj, ...fields } = readFields(value);
    if (!Array.isArray(traj)) throw invalidMessage(`${place}.traj`, "a list", traj);
    const draft = new SessionDraft({ format: "tau-bench", ...nameTrajectory(fields, traj) });
    for (const [index, item] of traj.entries()) {
      const path = `${place}.traj[${index}]`;
      try {
        const decoded = openAiChatFormat.decode(item, { path, fallbackId: "" });
        for (const { id: _, ...message } of decoded) yield* draft.add(message);
      } catch (error) {
        yield describeSkip({ place: path }, error);
      }
    }
  }
}

const DIGITS = 12;
/** Trials of one task begin alike, so the name is made from the task, the trial and the first messages. */
const NAMED_BY = 4;

function nameTrajectory({ task_id: task, trial }: Fields, traj: readonly unknown[]) {
  const [taskName, trialNumber] = [findText(task) ?? String(task), findNumber(trial)];
  const digest = hashText(JSON.stringify(traj.slice(0, NAMED_BY))).slice(0, DIGITS);
  const title = `Task ${taskName}${trialNumber === undefined ? "" : `, trial ${trialNumber}`}`;
  return { key: `${taskName}-${trialNumber ?? 0}-${digest}`, sourceId: `${taskName}/${trialNumber ?? 0}`, title };
}
