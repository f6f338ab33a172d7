/**
 * A previewed compaction, from the preview to its application. The tab stores it for each session, so that opening
 * another panel or reloading the page loses no edit. An edited preview is checked against the conversation whenever
 * that may have changed.
 */
import { useEffect, useRef, useState, useSyncExternalStore } from "react";
import { describeError, isNotFoundError } from "../api/errors.ts";
import { applyPreview, editPreview, type Preview, previewCompaction } from "../api/summaries.ts";
import { useSingleFlight } from "../hooks/limit-calls.ts";
import { createTabStorage } from "../hooks/tab-storage.ts";

const CHANGED = "The conversation changed while this was prepared. Preview again; your text is kept.";
const EXPIRED = "The server no longer has this preview. Preview again; your text is kept.";

export interface Proposal {
  readonly preview?: Preview | undefined;
  /** The summary as the user edited it; undefined without an edit. */
  readonly text?: string | undefined;
  /** The user's text for an earlier preview. */
  readonly earlier?: string | undefined;
  readonly instructions: string;
}

const NONE: Proposal = { instructions: "" };

const proposals = createTabStorage<Proposal>({
  prefix: "proposal ",
  decode: (stored) => (stored === undefined ? NONE : parse(stored)),
  encode: (proposal) => JSON.stringify(proposal),
});

function parse(stored: string): Proposal {
  try {
    return { ...NONE, ...JSON.parse(stored) };
  } catch {
    return NONE;
  }
}

/** Also works while the panel is closed. */
export function changeProposal(sessionId: string, change: Partial<Proposal>): void {
  proposals.write(sessionId, { ...proposals.read(sessionId), ...change });
}

/** Removes the preview, and keeps the user's text for the next one. */
export function discardPreview(sessionId: string): void {
  const { text = "", earlier } = proposals.read(sessionId);
  changeProposal(sessionId, { preview: undefined, text: undefined, earlier: text === "" ? earlier : text });
}

export interface ProposalOptions {
  readonly sessionId: string;
  /** Increases when the conversation may have changed. */
  readonly version: number;
  readonly onApplied: () => void;
}

export function useProposal({ sessionId, version, onApplied }: ProposalOptions) {
  const proposal = useSyncExternalStore(proposals.subscribe, () => proposals.read(sessionId));
  const [status, setStatus] = useState("");
  // Requests run one after the other: an edit gives the preview another id.
  const last = useRef<Promise<unknown>>(Promise.resolve());
  const queue = (work: () => Promise<string>) => {
    last.current = last.current.then(work).catch((error: unknown) => {
      if (isNotFoundError(error)) discardPreview(sessionId);
      return isNotFoundError(error) ? EXPIRED : describeError(error);
    });
    return last.current as Promise<string>;
  };
  const single = useSingleFlight();
  // A second preview would cost again, and a second compaction would conflict with the first.
  const attempt = (progress: string, work: () => Promise<string>) =>
    single("", async () => {
      setStatus(progress);
      setStatus(await queue(work));
    });
  const preview = () =>
    void attempt("Preparing the preview…", async () => {
      const found = await previewCompaction(sessionId, proposals.read(sessionId).instructions.trim());
      changeProposal(sessionId, { preview: typeof found === "string" ? undefined : found });
      return typeof found === "string" ? found : "";
    });
  const apply = () =>
    void attempt("Compacting…", async () => {
      if (!(await submitEdit(sessionId))) return CHANGED;
      const { preview: current } = proposals.read(sessionId);
      if (current === undefined) return "";
      const { type } = await applyPreview(sessionId, current.id);
      if (type === "compacted") changeProposal(sessionId, { preview: undefined, text: undefined, earlier: undefined });
      else discardPreview(sessionId);
      onApplied();
      return type === "compacted" ? "" : CHANGED;
    });
  const latest = useRef(queue);
  latest.current = queue;
  // biome-ignore lint/correctness/useExhaustiveDependencies: runs when the version changes.
  useEffect(() => {
    const check = () => submitEdit(sessionId).then((isCurrent) => (isCurrent ? "" : CHANGED));
    void latest.current(check).then((text) => text !== "" && setStatus(text));
  }, [sessionId, version]);
  return { proposal, status, preview, apply, edit: (text: string) => changeProposal(sessionId, { text }) };
}

/** Sends the user's edit to the server; false if the preview no longer matches the conversation. */
async function submitEdit(sessionId: string): Promise<boolean> {
  const { preview, text } = proposals.read(sessionId);
  if (preview === undefined || text === undefined) return true;
  const edited = await editPreview(sessionId, preview.id, text);
  if (typeof edited === "string") discardPreview(sessionId);
  else changeProposal(sessionId, { preview: edited });
  return typeof edited !== "string";
}
