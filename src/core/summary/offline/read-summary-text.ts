/** Parses the text of a summary. It is untrusted, so its constraints and pins become `reported` facts. */
import type { MessageId } from "../../message/message.ts";
import { extractClaims } from "../claims/extract-claims.ts";
import { describeUse } from "../facts/fact-list.ts";
import { type FactDraft, makeFact } from "../facts/make-fact.ts";
import { facetsOf } from "../facts/merge-facets.ts";
import { isQuestion } from "../read/find-demands.ts";
import { readDefinition } from "../read/find-statements.ts";
import { createNameKey } from "../read/read-names.ts";
import { OFFLINE_STRATEGY } from "../read/read-previous.ts";
import { HEADINGS, toEnglishHeading } from "../record/headings.ts";
import {
  BULLET,
  FACTS_HEADING,
  NEXT_PREFIX,
  readOwnerAndDue,
  readRenderedFacts,
  readSections,
} from "../record/layout.ts";
import type { Facets, Fact, SummaryRecord } from "../record/record.ts";
import { redactSecrets } from "../secrets/redact-secrets.ts";
import { POINTS_HEADING } from "../verify/complete-record.ts";
import { type ListedName, readNames } from "../write/group-names.ts";

export interface ReadTextOptions {
  readonly source: MessageId;
  /** Number of messages that the summary covers. */
  readonly count: number;
}

export interface ParsedSummaryText extends Pick<SummaryRecord, "text" | "keyPoints" | "strategy"> {
  readonly facets: Facets;
}

/** Strategy of a summary in the history that code did not write. */
export const HISTORY_STRATEGY = "history";

const ALL_HEADINGS: readonly string[] = [...Object.values(HEADINGS), FACTS_HEADING, POINTS_HEADING];

type Draft = Omit<FactDraft, "source" | "turn" | "saidBy"> & Partial<Pick<FactDraft, "saidBy">>;

export function readSummaryText(given: string, { source, count }: ReadTextOptions): ParsedSummaryText {
  const { text } = redactSecrets(given);
  const sections = readSections(text, ALL_HEADINGS);
  const under = (heading: string): readonly string[] => sections.get(heading) ?? [];
  const drafts: readonly Draft[] = [
    ...under(HEADINGS.goals).map((line): Draft => ({ kind: "goal", text: line })),
    ...under(HEADINGS.said).map((line): Draft => ({ kind: "user-message", text: line })),
    ...[...under(HEADINGS.constraints), ...under(HEADINGS.reported)].map((text) => ({
      kind: "reported" as const,
      text,
    })),
    ...under(HEADINGS.decisions).map((line): Draft => ({ kind: "decision", text: line })),
    ...under(HEADINGS.known).map(readKnown),
    ...under(HEADINGS.open).map(readOpen),
    ...under(HEADINGS.done).map((line): Draft => ({ kind: "open-item", text: line, status: "done" })),
    ...under(FACTS_HEADING).flatMap(readRendered),
    ...under(HEADINGS.names).flatMap((line) => readNames(line).map((name) => draftName(name, count))),
  ];
  const facts = new Map<string, Fact>();
  const turns = Math.max(1, drafts.length);
  for (const [place, draft] of drafts.entries()) {
    // Lists are in the order of their messages; names of a summary count as used in the last turn.
    const turn = draft.kind === "identifier" ? turns - 1 : place;
    const fact = makeFact({ saidBy: "user", ...draft, source, turn });
    if (fact !== undefined && !facts.has(fact.id)) facts.set(fact.id, { ...fact, isTakenOver: true });
  }
  return {
    text,
    keyPoints: under(POINTS_HEADING),
    facets: facetsOf({ facts: [...facts.values()], turns, messages: count }),
    strategy: isLaidOut(text) ? OFFLINE_STRATEGY : HISTORY_STRATEGY,
  };
}

function readKnown(line: string): Draft {
  const [definition] = readDefinition(line);
  return { kind: "definition", text: line, identity: definition?.identity };
}

function readOpen(line: string): Draft {
  const { text, ...who } = readOwnerAndDue(line.startsWith(NEXT_PREFIX) ? line.slice(NEXT_PREFIX.length) : line);
  return { kind: isQuestion(text) ? "question" : "open-item", text, ...who };
}

function readRendered(line: string): readonly Draft[] {
  return readRenderedFacts(line).map((fact): Draft => {
    if (fact.kind === "identifier") return draftName({ text: fact.text, saidBy: "user", origin: "said" }, 0);
    return fact.kind === "pin-note" || fact.kind === "constraint" ? { ...fact, kind: "reported" } : fact;
  });
}

function draftName({ text, saidBy, origin, use, home }: ListedName, count: number): Draft {
  const key = findClaimKey(text);
  const used = { origin, use, home: home === undefined ? undefined : findClaimKey(home) };
  return { kind: "identifier", text, saidBy, identity: key, named: describeUse(used, count) };
}

function findClaimKey(name: string): string | undefined {
  const [claim, ...others] = extractClaims(name);
  return claim === undefined || others.length > 0 ? undefined : createNameKey(claim);
}

/** Returns true if the text has only the headings of a summary by code, and items under them. */
function isLaidOut(text: string): boolean {
  const lines = text.split("\n");
  return (
    ALL_HEADINGS.includes(toEnglishHeading(lines[0] ?? "")) &&
    lines.every((line) => line.startsWith(BULLET) || ALL_HEADINGS.includes(toEnglishHeading(line)))
  );
}
