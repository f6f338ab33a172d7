/**
 * Proposals that somebody is looking at, for each conversation, kept by the tab: looking at something else meanwhile or
 * loading the page again costs no word of what was changed. Words that met a changed past wait for the next proposal.
 */
import { type Fields, findText, readFields, readNumber, readText, readTexts } from "../api/fields.ts";
import type { Preview } from "../api/values.ts";
import { keepByTab } from "../hooks/keep-by-tab.ts";

export interface KeptProposal {
  readonly preview?: Preview | undefined;
  /** The summary as somebody changed it; undefined where nobody did. */
  readonly text?: string | undefined;
  /** What somebody wrote for a proposal that is gone. */
  readonly earlier?: string | undefined;
  readonly instructions: string;
}

const NONE: KeptProposal = { instructions: "" };

const proposals = keepByTab<KeptProposal>({
  prefix: "proposal ",
  decode: (stored) => (stored === undefined ? NONE : readProposal(stored)),
  encode: (proposal) => JSON.stringify(proposal),
});

export const findProposal = proposals.read;
export const followProposals = proposals.follow;

/** Also where the panel was closed meanwhile. */
export function changeProposal(sessionId: string, change: Partial<KeptProposal>): void {
  proposals.keep(sessionId, { ...findProposal(sessionId), ...change });
}

/** What was written for a proposal that is not carried out is offered with the next one. */
export function letGoProposal(sessionId: string): void {
  const { text = "", earlier } = findProposal(sessionId);
  changeProposal(sessionId, { preview: undefined, text: undefined, earlier: text === "" ? earlier : text });
}

function readProposal(stored: string): KeptProposal {
  const { preview, text, earlier, instructions } = readFields(parse(stored));
  return {
    preview: preview === undefined ? undefined : readPreview(readFields(preview)),
    text: typeof text === "string" ? text : undefined,
    earlier: findText(earlier),
    instructions: readText(instructions),
  };
}

function readPreview(preview: Fields): Preview {
  return {
    id: readText(preview.id),
    tokensBefore: readNumber(preview.tokensBefore),
    tokensAfter: readNumber(preview.tokensAfter),
    kept: readNumber(preview.kept),
    droppedIds: readTexts(preview.droppedIds),
    costUsd: readNumber(preview.costUsd),
    text: readText(preview.text),
  };
}

function parse(stored: string): unknown {
  try {
    return JSON.parse(stored);
  } catch {
    return undefined;
  }
}
