/**
 * Writes and parses the facts that code adds to a summary. Separators keep two names from being read as a third one.
 */
import type { Fact, FactKind, FactStatus } from "./record.ts";

export const FACTS_HEADING = "Facts kept from the conversation:";

type RenderableFact = Pick<Fact, "kind" | "text" | "status" | "owner" | "due">;

export function renderFacts(facts: readonly RenderableFact[]): string {
  if (facts.length === 0) return "";
  const lines = facts.filter(({ kind }) => kind !== "identifier").map(renderFact);
  const names = facts.filter(({ kind }) => kind === "identifier").map(({ text }) => text);
  return [FACTS_HEADING, ...lines, ...(names.length === 0 ? [] : [`- ${LABELS.identifier}: ${names.join("; ")}`])].join(
    "\n",
  );
}

export function renderFact({ kind, text, status, owner, due }: RenderableFact): string {
  const label = status === "done" ? DONE_LABEL : LABELS[kind];
  return `- ${label}: ${text}${renderOwnerAndDue({ owner, due })}`;
}

export function renderOwnerAndDue({ owner, due }: Pick<Fact, "owner" | "due">): string {
  const who = [owner, due === undefined ? undefined : `due ${due}`].filter((piece) => piece !== undefined).join("; ");
  return who === "" ? "" : ` (${who})`;
}

export type RenderedFact = Pick<Fact, "kind" | "text" | "owner" | "due"> & { readonly status?: FactStatus };

const DUE = / \((?:([^();]+); )?due ([^();]+)\)$/u;

/** Parses owner and due date. An owner without a date cannot be distinguished from the text. */
export function readOwnerAndDue(line: string): Pick<Fact, "text" | "owner" | "due"> {
  const found = DUE.exec(line);
  if (found === null) return { text: line };
  const [whole, owner, due] = found;
  return { text: line.slice(0, -whole.length), ...(owner === undefined ? {} : { owner }), due };
}

/** Expects a line without its bullet. */
export function readRenderedFacts(line: string): readonly RenderedFact[] {
  const border = line.indexOf(": ");
  const [label, rest] = [line.slice(0, border), line.slice(border + 2)];
  if (border < 0 || rest === "") return [];
  if (label === DONE_LABEL) return [{ kind: "open-item", ...readOwnerAndDue(rest), status: "done" }];
  const kind = KINDS.get(label);
  if (kind === undefined) return [];
  if (kind === "identifier") return rest.split("; ").map((text) => ({ kind, text }));
  return [{ kind, ...readOwnerAndDue(rest) }];
}

const DONE_LABEL = "done";

const LABELS: Readonly<Record<FactKind, string>> = {
  "pin-note": "pinned",
  constraint: "must hold",
  reported: "reported",
  goal: "goal",
  "user-message": "user said",
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

const KINDS: ReadonlyMap<string, FactKind> = new Map(
  Object.entries(LABELS).map(([kind, label]) => [label, kind as FactKind]),
);
