/**
 * Repairs a summary without a model: removes the clause of an unsupported claim, adds a line for a missing protected
 * fact, and drops prose from its end to make room. A clause is a bare list item, the content of brackets, or else the
 * whole sentence, because half a sentence can have the opposite meaning.
 */
import { splitAtEnds } from "../../language/split-at-ends.ts";
import { renderFacts } from "../record/layout.ts";
import type { Claim, Fact, Span, VerificationReport } from "../record/record.ts";
import { findLargest } from "../record/trim-summary.ts";
import { createWordFinder } from "./find-words.ts";

export interface RepairOptions {
  readonly budgetTokens: number;
  readonly protectedFacts: readonly Fact[];
  readonly count: (text: string) => number;
}

export interface RepairedSummary {
  readonly text: string;
  readonly removed: readonly Claim[];
  readonly restored: readonly Fact[];
  /** True if prose was removed to make room. */
  readonly isTrimmed: boolean;
  /** True if the protected facts alone exceed the budget. All are present; the caller has to make room. */
  readonly isOverBudget: boolean;
}

export function repairSummary(text: string, report: VerificationReport, options: RepairOptions): RepairedSummary {
  const { budgetTokens, protectedFacts, count } = options;
  // Replaces line breaks one for one, so that offsets in the text stay valid.
  const prose = removeClauses(text.replaceAll(/[\r\u2028\u2029]/g, "\n"), report.unsupported);
  const pieces = proseOf(prose);
  const build = (kept: number): Draft =>
    assemble(kept === pieces.length ? prose : joinPieces(pieces, kept), protectedFacts);
  const fits = (draft: Draft): boolean => count(draft.text) <= budgetTokens;
  const whole = build(pieces.length);
  // A shorter text may need more facts, so the result is checked.
  const best = fits(whole) ? whole : build(findLargest(pieces.length - 1, (kept) => fits(build(kept))));
  return { ...best, removed: report.unsupported, isTrimmed: best !== whole, isOverBudget: !fits(best) };
}

type Draft = Pick<RepairedSummary, "text" | "restored">;

function assemble(prose: string, protectedFacts: readonly Fact[]): Draft {
  const finder = createWordFinder(prose);
  const restored = protectedFacts.filter((fact) => !finder.hasFact(fact));
  const block = renderFacts(restored);
  const body = prose.trim();
  return { text: body === "" || block === "" ? `${body}${block}` : `${body}\n\n${block}`, restored };
}

interface Piece {
  readonly text: string;
  readonly line: number;
}

function proseOf(text: string): readonly Piece[] {
  return text.split("\n").flatMap((line, number) => {
    const sentences = splitAtEnds(line);
    return (sentences.length === 0 ? [""] : sentences).map((piece) => ({ text: piece, line: number }));
  });
}

function joinPieces(pieces: readonly Piece[], kept: number): string {
  const lines: string[] = [];
  let last = -1;
  for (const { text, line } of pieces.slice(0, kept)) {
    if (line === last) lines.push(`${lines.pop() ?? ""} ${text}`);
    else lines.push(text);
    last = line;
  }
  return lines.join("\n").trimEnd();
}

/**
 * Cuts the clauses around the given claims, in the order of the text. Also drops a line that has only its bullet or
 * number left. The mark at a cut never forms a date, number or name with the text around it.
 */
export function removeClauses(text: string, claims: readonly Claim[]): string {
  if (claims.length === 0) return text;
  const pieces: string[] = [];
  let next = 0;
  let start = 0;
  for (const line of text.split("\n")) {
    const end = start + line.length;
    const places: Span[] = [];
    for (let claim = claims[next]; claim !== undefined && claim.start <= end; claim = claims[next]) {
      places.push({ start: Math.max(0, claim.start - start), end: Math.min(line.length, claim.end - start) });
      next += 1;
    }
    const kept = places.length === 0 ? line : cutLine(line, places);
    if (kept !== undefined) pieces.push(kept);
    start = end + 1;
  }
  return pieces.join("\n");
}

/** Returns undefined if no content is left. */
function cutLine(line: string, places: readonly Span[]): string | undefined {
  const marker = MARKER.exec(line)?.[0] ?? "";
  const clauses = readClauses(line, marker.length);
  const hit = findHits(clauses, places);
  const sentences = new Set(
    [...hit].filter((clause) => !isSelfContained(line, clause, places)).map((each) => each.sentence),
  );
  const cut = new Set(clauses.filter((clause) => hit.has(clause) || sentences.has(clause.sentence)));
  const body = joinClauses(line, clauses, cut);
  return /[\p{L}\p{N}]/u.test(body) ? `${marker}${body}` : undefined;
}

function findHits(clauses: readonly Clause[], places: readonly Span[]): ReadonlySet<Clause> {
  const hit = new Set<Clause>();
  let index = 0;
  for (const place of places) {
    while ((clauses[index]?.end ?? Number.POSITIVE_INFINITY) <= place.start) index += 1;
    for (let at = index, clause = clauses[at]; clause !== undefined && clause.start < place.end; clause = clauses[at]) {
      hit.add(clause);
      at += 1;
    }
  }
  return hit;
}

const MARKER = /^[ \t]{0,20}(?:#{1,6} |[-*+•] |\d{1,3}[.)] )?(?:\[[ xX]\] )?/;

interface Clause extends Span {
  readonly sentence: number;
  readonly opener: "" | "," | "(" | ")";
}

/** Splits a line at commas, brackets and sentence ends. Each clause includes its end mark. */
function readClauses(line: string, from: number): readonly Clause[] {
  const clauses: Clause[] = [];
  let start = from;
  let sentence = 0;
  let opener: Clause["opener"] = "";
  const close = (end: number, next: Clause["opener"]): void => {
    if (end > start) clauses.push({ start, end, sentence, opener });
    start = end;
    opener = next;
  };
  for (let index = from; index < line.length; index += 1) {
    const character = line.charAt(index);
    const isSpaced = index + 1 >= line.length || /\s/.test(line.charAt(index + 1));
    if (character === "(") close(index, "(");
    else if (character === ")") close(index + 1, ")");
    else if (character === "," && isSpaced) close(index + 1, ",");
    else if ("。！？；".includes(character) || (".!?;".includes(character) && isSpaced)) {
      close(index + 1, "");
      sentence += 1;
    }
  }
  close(line.length, "");
  return clauses;
}

/** Returns true for a clause in brackets or a bare list item; any other is removed with its sentence. */
function isSelfContained(line: string, clause: Clause, places: readonly Span[]): boolean {
  const isAside = clause.opener === "(" && line.charAt(clause.end - 1) === ")";
  return isAside || isBareItem(line, clause, places);
}

/** Returns true if the clause is only the claim, with or without a joining word such as "and". */
function isBareItem(line: string, clause: Clause, places: readonly Span[]): boolean {
  const isListed = clause.opener === "," || line.charAt(clause.end - 1) === ",";
  if (!isListed || clause.end - clause.start > MAX_ITEM_CHARACTERS) return false;
  let rest = line.slice(clause.start, clause.end);
  for (const place of places) {
    if (place.start < clause.start || place.end > clause.end) continue;
    rest = `${rest.slice(0, place.start - clause.start)}${" ".repeat(place.end - place.start)}${rest.slice(place.end - clause.start)}`;
  }
  return !/[\p{L}\p{N}]/u.test(rest.replace(/\b(?:and|or)\b/g, ""));
}

const MAX_ITEM_CHARACTERS = 400;

function joinClauses(line: string, clauses: readonly Clause[], cut: ReadonlySet<Clause>): string {
  let text = "";
  let isCut = false;
  for (const clause of clauses) {
    const piece = line.slice(clause.start, clause.end);
    if (!cut.has(clause)) text = isCut ? joinOver(text, piece.trimStart()) : `${text}${piece}`;
    isCut = cut.has(clause);
  }
  return isCut ? endWithMark(text) : text;
}

/** Joins with a space only if no digit is near, because a date or percentage may contain a space. */
function joinOver(before: string, after: string): string {
  const near = `${before.slice(-NEAR_CHARACTERS)} ${after.slice(0, NEAR_CHARACTERS)}`;
  if (/^[\p{L}]/u.test(after) && /[\p{L}]\s*$/u.test(before) && !/\d/.test(near)) return `${before.trimEnd()} ${after}`;
  const start = endWithMark(before);
  return start === "" ? after : `${start} ${after}`;
}

const NEAR_CHARACTERS = 24;

/** Ends the text before a cut with a separating mark. */
function endWithMark(text: string): string {
  const kept = text.trimEnd();
  if (kept === "" || ENDS.includes(kept.charAt(kept.length - 1))) return kept;
  return `${kept.endsWith(",") ? kept.slice(0, -1) : kept};`;
}

const ENDS = ".!?;:。！？；";
