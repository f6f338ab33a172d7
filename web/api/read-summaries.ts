/** A summary's record as the page shows it. */
import { type Fields, findNumber, findText, readFields, readList, readNumber, readText, readTexts } from "./fields.ts";
import type { Summary, Verification } from "./values.ts";

const FACETS = {
  constraints: "Constraints",
  decisions: "Decisions",
  unresolved: "Open questions",
  done: "Done",
  participants: "People",
  entities: "Names, files, figures",
} as const;

const EDITED = "edited";

export function readSummary(value: unknown): Summary {
  const version = readFields(value);
  const record = readFields(version.record);
  const coverage = readFields(record.coverage);
  return {
    id: readText(record.id),
    at: readNumber(record.at),
    depth: readNumber(record.depth),
    parentId: findText(record.parentId),
    firstSeq: readNumber(coverage.firstSeq),
    lastSeq: readNumber(coverage.lastSeq),
    messages: readNumber(coverage.count),
    text: readText(record.text),
    reason: readText(record.reason),
    author: findText(record.model) ?? sayStrategy(readText(record.strategy)),
    isEdited: record.strategy === EDITED,
    tokensBefore: readNumber(record.tokensBefore),
    tokensAfter: readNumber(record.tokensAfter),
    costUsd: findNumber(record.costUsd),
    verification: record.verification === undefined ? undefined : readVerification(readFields(record.verification)),
    facets: readFacets(readFields(record.facets)),
    isLive: version.isLive === true,
  };
}

function sayStrategy(strategy: string): string {
  if (strategy === EDITED) return "hand";
  return strategy === "offline" ? "code, without a model" : strategy;
}

function readVerification(report: Fields): Verification {
  return {
    score: readNumber(report.score),
    claims: readNumber(report.claims),
    removedClaims: readNumber(report.removedClaims),
    restored: readList(report.restored).length,
    evicted: readList(report.evicted).length,
  };
}

function readFacets(facets: Fields): Summary["facets"] {
  const goal = findText(facets.goal);
  const items = readList(facets.actionItems).map((value) => {
    const item = readFields(value);
    const owner = findText(item.owner);
    return `${item.status === "done" ? "Done: " : ""}${readText(item.task)}${owner === undefined ? "" : ` (${owner})`}`;
  });
  const lists = Object.entries(FACETS).map(([key, name]) => ({ name, items: readTexts(facets[key]) }));
  return [
    { name: "Goal", items: goal === undefined ? [] : [goal] },
    ...lists.slice(0, 2),
    { name: "To do", items },
    ...lists.slice(2),
  ].filter((facet) => facet.items.length > 0);
}
