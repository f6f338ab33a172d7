/** A summary in words: its size, author, cost, reason, and the result of its verification. */
import type { Summary, SummaryRecord } from "../api/values.ts";
import { describeReasonAsSentence } from "./describe-reason.ts";
import { formatCost, formatCount, formatNumber, formatPercent } from "./format.ts";

type Description = Pick<
  SummaryRecord,
  | "tokensBefore"
  | "tokensAfter"
  | "strategy"
  | "model"
  | "rejected"
  | "answeredWith"
  | "reason"
  | "costUsd"
  | "verification"
>;

const EDITED = "edited";

/** The model, or how the summary was written without one. */
export function describeAuthor({
  model,
  strategy,
  rejected,
}: Pick<SummaryRecord, "model" | "strategy" | "rejected">): string {
  if (model !== undefined) return model;
  if (rejected !== undefined) return `code instead of ${rejected.model ?? "the summarizer"} (${rejected.rule})`;
  if (strategy === EDITED) return "hand";
  return strategy === "offline" ? "code, without a model" : strategy;
}

export function describeSummary(summary: Description): string {
  const { tokensBefore, tokensAfter, strategy, costUsd, reason } = summary;
  const size = `${formatNumber(tokensBefore)} → ${formatCount(tokensAfter, "token")}`;
  const cost = costUsd === undefined || costUsd === 0 ? "at no cost" : `for ${formatCost(costUsd)}`;
  const author = strategy === EDITED ? "edited by hand" : `written by ${describeAuthor(summary)}, ${cost}`;
  const why = strategy === EDITED ? "" : describeReasonAsSentence(reason);
  const lists = describeLists(summary);
  return [`${size}, ${author}.`, lists, why, describeVerification(summary)]
    .filter((sentence) => sentence !== "")
    .join(" ");
}

function describeLists({ answeredWith }: Description): string {
  if (answeredWith === undefined) return "";
  return `The model ${answeredWith === "prose" ? "answered in prose" : "wrote invalid lists"}, so code made the lists.`;
}

function describeVerification({ verification, strategy }: Description): string {
  if (verification === undefined) return strategy === EDITED ? "Edits are not verified." : "Not verified.";
  const { score, claims, restored, removedClaims, addedLines = 0 } = verification;
  const repairs = `${formatNumber(restored.length)} restored, ${formatNumber(removedClaims)} removed`;
  const added = addedLines === 0 ? "" : ` Code added ${formatCount(addedLines, "line")} that the text did not cover.`;
  return `Verified: ${formatPercent(score)} of ${formatCount(claims, "claim")} correct, ${repairs}.${added}`;
}

/** The text of a summary in two parts: as the model wrote it, and the lines that code added at its end. */
export function separateAddedLines({
  text,
  lines,
  verification,
}: Pick<SummaryRecord, "text" | "lines" | "verification">): {
  readonly written: string;
  readonly added: string;
} {
  const added = (verification?.addedLines ?? 0) === 0 ? "" : (lines ?? []).map((line) => line.text).join("\n");
  if (added === "" || !text.endsWith(added)) return { written: text, added: "" };
  return { written: text.slice(0, -added.length).trimEnd(), added };
}

export interface FacetGroup {
  readonly name: string;
  readonly items: readonly string[];
}

export function listFacets({ facets }: Pick<Summary, "facets">): readonly FacetGroup[] {
  const tasks = facets.actionItems.map(
    ({ task, owner, status }) =>
      `${status === "done" ? "Done: " : ""}${task}${owner === undefined ? "" : ` (${owner})`}`,
  );
  return [
    { name: "Goal", items: facets.goal === undefined ? [] : [facets.goal] },
    { name: "Constraints", items: facets.constraints },
    { name: "Decisions", items: facets.decisions },
    { name: "To do", items: tasks },
    { name: "Open questions", items: facets.unresolved },
    { name: "Done", items: facets.done },
    { name: "People", items: facets.participants },
    { name: "Names, files, figures", items: facets.entities },
  ].filter(({ items }) => items.length > 0);
}
