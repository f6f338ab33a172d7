/**
 * Proposals that somebody is looking at, for each conversation: looking at something else meanwhile costs no word of
 * what was changed. Words that met a changed past wait for the next proposal.
 */
import type { Preview } from "../api/values.ts";

export interface KeptProposal {
  readonly preview?: Preview | undefined;
  /** The summary as somebody changed it; undefined where nobody did. */
  readonly text?: string | undefined;
  /** What somebody wrote for a proposal that is gone. */
  readonly earlier?: string | undefined;
  readonly instructions: string;
}

const NONE: KeptProposal = { instructions: "" };

const proposals = new Map<string, KeptProposal>();

export function findProposal(sessionId: string): KeptProposal {
  return proposals.get(sessionId) ?? NONE;
}

export function keepProposal(sessionId: string, proposal: KeptProposal): void {
  proposals.set(sessionId, proposal);
}
