/**
 * Facts as telegraphic lines under one heading, as code puts them into a summary. Names share a line, because each
 * alone costs more than it says. The marks between them are chosen so that two names never read as a third.
 */
import type { Fact, FactKind } from "../record.ts";

export const FACTS_HEADING = "Facts kept from the conversation:";

export function renderFacts(facts: readonly Fact[]): string {
  if (facts.length === 0) return "";
  const lines = facts.filter(({ kind }) => kind !== "identifier").map(renderFact);
  const names = facts.filter(({ kind }) => kind === "identifier").map(({ text }) => text);
  return [FACTS_HEADING, ...lines, ...(names.length === 0 ? [] : [`- ${LABELS.identifier}: ${names.join("; ")}`])].join(
    "\n",
  );
}

/** One fact on a line of its own. */
export function renderFact({ kind, text, status, owner, due }: Fact): string {
  const label = status === "done" ? "done" : LABELS[kind];
  const who = [owner, due === undefined ? undefined : `due ${due}`].filter((piece) => piece !== undefined).join("; ");
  return `- ${label}: ${text}${who === "" ? "" : ` (${who})`}`;
}

const LABELS: Readonly<Record<FactKind, string>> = {
  "pin-note": "pinned",
  constraint: "must hold",
  goal: "goal",
  "open-item": "open",
  question: "open question",
  decision: "decided",
  definition: "known",
  identifier: "names",
  command: "ran",
  "notebook-cell": "notebook",
  error: "error",
  participant: "participant",
};
