/**
 * Joins requirements and tests: which tests cite which id, what is still open, and contradictions. It reads no files;
 * trace.ts reads them and writes the list.
 */
import type { Requirement } from "../test/requirements.ts";
import { maskSource } from "../test/support/mask-source.ts";

export interface Citation {
  readonly id: string;
  readonly file: string;
}

export interface RequirementTrace {
  readonly requirement: Requirement;
  readonly state: "shown" | "open" | "note";
  /** The tests that cite it. */
  readonly files: readonly string[];
}

/** Returns the ids that a test file cites. A skipped or planned test shows nothing. */
export function readCitations(file: string, source: string): readonly Citation[] {
  const { code, strings } = maskSource(source);
  return [...code.matchAll(/(\.(?:skip|todo)\s*\(\s*)?\bshows\s*\(\s*(?:"(\d+)"|\[([^\]]*)\])/g)]
    .filter(([, unused]) => unused === undefined)
    .flatMap(([, , one, several]) => one ?? [...(several ?? "").matchAll(/"(\d+)"/g)].map(([, each]) => each ?? ""))
    .map((index) => ({ id: strings[Number(index)] ?? "", file }));
}

export function traceRequirements(
  requirements: readonly Requirement[],
  citations: readonly Citation[],
): readonly RequirementTrace[] {
  return requirements.map((requirement) => {
    const citing = citations.filter((citation) => citation.id === requirement.id).map((citation) => citation.file);
    const files = [...new Set(citing)].sort();
    const unshown = requirement.note === undefined ? "open" : "note";
    return { requirement, files, state: files.length > 0 ? "shown" : unshown };
  });
}

export function listOpen(traces: readonly RequirementTrace[]): readonly string[] {
  return traces.filter((trace) => trace.state === "open").map((trace) => trace.requirement.id);
}

/** Returns requirements that only tests of internal functions show. */
export function listInside(
  traces: readonly RequirementTrace[],
  insideTests: ReadonlySet<string>,
): readonly RequirementTrace[] {
  return traces.filter(({ state, files }) => state === "shown" && files.every((file) => insideTests.has(file)));
}

/** Returns contradictions between requirements, tests and the list of open ones. */
export function findDiscrepancies(
  traces: readonly RequirementTrace[],
  { citations, open }: { readonly citations: readonly Citation[]; readonly open: readonly string[] },
): readonly string[] {
  const known = new Map(traces.map((trace) => [trace.requirement.id, trace]));
  return [
    ...citations
      .filter(({ id }) => !known.has(id))
      .map(({ id, file }) => `${file} cites ${id}, which is not a requirement`),
    ...open.filter((id, index) => open.indexOf(id) !== index).map((id) => `${id} is on the open list twice`),
    ...open.flatMap((id) => describeOpen(id, known.get(id))),
    ...listOpen(traces)
      .filter((id) => !open.includes(id))
      .map((id) => `${id} is neither shown by a test nor on the open list`),
  ];
}

function describeOpen(id: string, trace: RequirementTrace | undefined): readonly string[] {
  switch (trace?.state) {
    case undefined:
      return [`${id} is on the open list and is not a requirement`];
    case "shown":
      return [`${id} is on the open list, but ${trace?.files.join(", ")} shows it`];
    case "note":
      return [`${id} is on the open list, but it is only a note and needs no test`];
    case "open":
      return [];
  }
}

export function formatTrace({ requirement, state, files }: RequirementTrace): string {
  switch (state) {
    case "shown":
      return `${requirement.id} shown ${files.join(", ")}`;
    case "note":
      return `${requirement.id} note: ${requirement.note}`;
    case "open":
      return `${requirement.id} open`;
  }
}

export function formatTotals(traces: readonly RequirementTrace[]): string {
  const count = (state: RequirementTrace["state"]): number => traces.filter((trace) => trace.state === state).length;
  return `${traces.length} requirements: ${count("shown")} shown, ${count("open")} open, ${count("note")} notes`;
}
