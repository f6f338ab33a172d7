/** Counts summaries that are not written yet: a record without words counts as much as the summary may take. */
import type { Head } from "../../core/log/head.ts";
import { adaptSettingsToKind } from "../../core/plan/adapt-settings.ts";
import type { SummaryTask } from "../../core/plan/staircase.ts";
import { coverMessages } from "../../core/prompt/cover-message.ts";
import type { ConversationKind } from "../../core/summary/read/candidate.ts";
import type { SummaryRecord } from "../../core/summary/record/record.ts";
import type { StaircaseAnswers } from "../compaction/propose.ts";
import type { FitSettings } from "./fit-run.ts";

/** The share of what a fold leaves, beside instructions and tools, that its summary may take. */
const SUMMARY_SHARE = 0.73;

interface FoldAim {
  readonly targetTokens: number;
  readonly settings: FitSettings["settings"];
}

/** Finds the target of a fold and of its summary. A fold frees at most half of what instructions and tools leave. */
export function aimFold(
  { settings: given, limits }: FitSettings,
  kind: ConversationKind,
  fixedTokens: number,
): FoldAim {
  const { limitTokens } = limits;
  const settings = adaptSettingsToKind(given, kind);
  const asked = Math.floor(limitTokens * settings.targetRatio);
  const targetTokens = Math.max(asked, Math.floor((limitTokens + fixedTokens) / 2));
  const most = Math.floor((targetTokens - fixedTokens) * SUMMARY_SHARE);
  const maxTokens = Math.min(settings.summary.maxTokens, most);
  return { targetTokens, settings: { ...settings, summary: { ...settings.summary, maxTokens } } };
}

/** Contains a constraint, because summaries with constraints are never dropped for room. */
const COUNTED_FACETS: SummaryRecord["facets"] = {
  constraints: ["counted"],
  decisions: [],
  actionItems: [],
  unresolved: [],
  entities: [],
  participants: [],
  done: [],
};

export const COUNTED_ANSWERS: StaircaseAnswers = {
  writeSummary: async (task) => ({ type: "written", record: countRecord(task) }),
  // A topic boundary would make the border depend on the texts.
  findBoundary: async () => ({ index: undefined, confidence: 0, reason: "Not asked." }),
};

export function withoutWords(record: SummaryRecord): SummaryRecord {
  return { ...record, text: "", facets: COUNTED_FACETS, omitted: undefined };
}

/** Counts the words of the head's summary, without what it is wrapped in. */
export function countWords(head: Head, { counts, settings }: FitSettings): number {
  if (head.summary === undefined) return 0;
  const count = (shown: Head) =>
    coverMessages(shown, settings.summary.renderer).reduce((sum, message) => sum + counts.count(message), 0);
  return count(head) - count({ ...head, summary: withoutWords(head.summary) });
}

function countRecord({ coverage, tokensBefore, reason, capTokens }: SummaryTask): SummaryRecord {
  return {
    id: "counted",
    at: 0,
    depth: 0,
    coverage: { ...coverage, chainHash: "" },
    messageIds: [],
    text: "",
    keyPoints: [],
    facets: COUNTED_FACETS,
    strategy: "counted",
    reason,
    tokensBefore,
    tokensAfter: capTokens,
  };
}
