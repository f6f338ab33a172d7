/** Says in words why nothing was compacted; `palimpsest compact` and the verbs of a chat share it. */
import type { NotCompacted } from "../engine/compaction/manual-compaction.ts";

type Outcome = Exclude<NotCompacted, { type: "nothing-to-compact" }> | { type: "nothing-to-compact"; reason: string };

export function describeNotCompacted(outcome: Outcome): string {
  switch (outcome.type) {
    case "nothing-to-compact":
      return `nothing to compact. ${outcome.reason}`;
    case "stale":
      return "the session changed at the same time, so nothing was written. Try again.";
    case "busy":
      return "another compaction of this session is under way, so nothing was written. Try again later.";
    case "aborted":
      return "the compaction was aborted, so nothing was written.";
    default:
      return outcome satisfies never;
  }
}
