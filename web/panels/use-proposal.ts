/**
 * A proposal from the asking to the applying. One that somebody has changed is compared with the conversation whenever
 * that may have moved on, also after the page was loaded again: whoever writes on should know that it fits no more.
 */
import { useEffect, useRef, useState, useSyncExternalStore } from "react";
import { isMissing, sayError } from "../api/errors.ts";
import { type Fields, findText, readFields, readNumber, readText, readTexts } from "../api/fields.ts";
import { applyPreview, editPreview, previewCompaction } from "../api/summaries.ts";
import type { Preview } from "../api/values.ts";
import { useSingle } from "../hooks/limit-calls.ts";
import { keepByTab } from "../hooks/tab-storage.ts";

const CHANGED = "The conversation changed meanwhile; look again. What you wrote is kept.";
const FORGOTTEN = "The server does not have this proposal any more; look again. What you wrote is kept.";

export interface ProposalOptions {
  readonly sessionId: string;
  /** Changes when the conversation may have. */
  readonly version: number;
  readonly onApplied: () => void;
}

export function useProposal({ sessionId, version, onApplied }: ProposalOptions) {
  const proposal = useSyncExternalStore(followProposals, () => findProposal(sessionId));
  const [said, setSaid] = useState("");
  // One after the other: the server gives a changed proposal another name.
  const last = useRef<Promise<unknown>>(Promise.resolve());
  const queue = (work: () => Promise<string>) => {
    last.current = last.current.then(work).catch((error: unknown) => {
      if (isMissing(error)) letGoProposal(sessionId);
      return isMissing(error) ? FORGOTTEN : sayError(error);
    });
    return last.current as Promise<string>;
  };
  const single = useSingle();
  // A second look would be paid for, and a second fold would find the first one in its way.
  const attempt = (waiting: string, work: () => Promise<string>) =>
    single("", async () => {
      setSaid(waiting);
      setSaid(await queue(work));
    });
  const look = () =>
    void attempt("Looking what it would do…", async () => {
      const found = await previewCompaction(sessionId, findProposal(sessionId).instructions.trim());
      changeProposal(sessionId, { preview: typeof found === "string" ? undefined : found });
      return typeof found === "string" ? found : "";
    });
  const apply = () =>
    void attempt("Folding…", async () => {
      if (!(await hand(sessionId))) return CHANGED;
      const { preview } = findProposal(sessionId);
      if (preview === undefined) return "";
      const { type } = await applyPreview(sessionId, preview.id);
      if (type === "compacted") changeProposal(sessionId, { preview: undefined, text: undefined, earlier: undefined });
      else letGoProposal(sessionId);
      onApplied();
      return type === "compacted" ? "" : CHANGED;
    });
  const latest = useRef(queue);
  latest.current = queue;
  // biome-ignore lint/correctness/useExhaustiveDependencies: another version is what it waits for.
  useEffect(() => {
    const look = () => hand(sessionId).then((fits) => (fits ? "" : CHANGED));
    void latest.current(look).then((words) => words !== "" && setSaid(words));
  }, [sessionId, version]);
  return { proposal, said, look, apply, change: (text: string) => changeProposal(sessionId, { text }) };
}

/** Gives the server the words that somebody wrote; false where the proposal fits the conversation no more. */
async function hand(sessionId: string): Promise<boolean> {
  const { preview, text } = findProposal(sessionId);
  // What nobody has changed is left as its author wrote it.
  if (preview === undefined || text === undefined) return true;
  const edited = await editPreview(sessionId, preview.id, text);
  if (typeof edited === "string") letGoProposal(sessionId);
  else changeProposal(sessionId, { preview: edited });
  return typeof edited !== "string";
}

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
