/** Reports a record that cannot be read. Errors of the program itself are thrown. */
import { PalimpsestError } from "../../core/errors.ts";
import type { TranscriptSkip } from "../../ports/transcript.ts";
import type { RecordPlace } from "./record.ts";

export function describeSkip({ place, line }: RecordPlace, error: unknown): TranscriptSkip {
  if (!(error instanceof PalimpsestError) || error.code !== "message-invalid") throw error;
  return { type: "skipped", place, reason: error.message.replace(/\.$/, ""), ...(line === undefined ? {} : { line }) };
}
