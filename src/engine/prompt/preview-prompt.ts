/**
 * The next prompt as it would be sent now, without leaving a trace. The view, the plan, the strip, explanations and the
 * budget of a session are all derived from it, so that they agree at every size.
 *
 * The session is looked at in turn. Where the history has to be folded to fit, which takes seconds for thousands of
 * messages, other verbs go on meanwhile; previews of the same snapshot share that fold, and a preview of a later snapshot
 * waits for it and looks again, so that a session that grows is folded for one preview at a time.
 */
import type { Head } from "../../core/log/head.ts";
import type { View } from "../../core/log/view.ts";
import { findPrepared } from "../compaction/prepare-compaction.ts";
import { floorOfError } from "../context/errors.ts";
import type { PromptRequest } from "../context/prompt-request.ts";
import type { TurnQueue } from "../context/turn-queue.ts";
import { findNeed } from "../state/find-need.ts";
import { resolveRequest } from "../state/measure-session.ts";
import type { SessionState } from "../state/session-state.ts";
import type { GatheredWorkspace } from "../workspace/workspace-content.ts";
import { exceedsLimit, measureWithFewerFiles, shrinkToLimit } from "./build-prompt.ts";
import { type ReadyPrompt, shownView } from "./finish-prompt.ts";
import { shedBelow } from "./shed-files.ts";

export interface PromptPreview {
  readonly finish: ReadyPrompt;
  /** Why no prompt can be sent. There is nothing to see then but what the log says. */
  readonly error?: unknown;
}

export interface PreviewRequest<Result> {
  /** Called once, in the session's turn: what the prompt is asked for with. */
  readonly readRequest: () => PromptRequest | Promise<PromptRequest>;
  /** Called in the session's turn unless a fold was needed. */
  readonly derive: (preview: PromptPreview) => Result | Promise<Result>;
}

export async function previewPrompt<Result>(
  { state, turns }: { readonly state: SessionState; readonly turns: TurnQueue },
  { readRequest, derive }: PreviewRequest<Result>,
): Promise<Result> {
  let request: PromptRequest | undefined;
  let workspace: GatheredWorkspace | undefined;
  for (;;) {
    const looked = await turns.inTurn(async () => {
      request ??= await readRequest();
      const finish = await lookAtNext(state, request, workspace);
      return exceedsLimit(finish) ? detach(finish) : { result: await derive({ finish }) };
    });
    if ("result" in looked) return looked.result;
    const { head } = looked.snapshot.conversation;
    const running = foldings.get(state);
    if (running !== undefined && running.head !== head) {
      await running.done;
      continue;
    }
    const { finish, error } = await foldForPreview(state, looked);
    const floor = floorOfError(error);
    if (error !== undefined && floor === undefined) throw error;
    workspace = floor && shedBelow(state, looked.snapshot, floor);
    if (workspace === undefined) return derive({ finish, error });
  }
}

/** What a preview shows of the log, with the reasons of markers. */
export function previewedView({ finish, error }: PromptPreview): View {
  const { conversation } = finish.snapshot;
  return error === undefined ? conversation.explain(shownView(finish)) : conversation.view;
}

async function lookAtNext(
  state: SessionState,
  request: PromptRequest,
  known: GatheredWorkspace | undefined,
): Promise<ReadyPrompt> {
  const ready = await resolveRequest(state, request);
  const workspace = known ?? (await state.workspace.gather());
  const snapshot = await measureWithFewerFiles(state, { ...ready, refusal: undefined, workspace });
  // What was made ready on another past is given up.
  findPrepared(state, snapshot.conversation.head.epoch);
  const need = findNeed(snapshot, false);
  return { request, snapshot, need, asked: need, compactions: [] };
}

/** Messages that are appended during the fold are no part of the preview. */
function detach(finish: ReadyPrompt): ReadyPrompt {
  const { snapshot } = finish;
  return { ...finish, snapshot: { ...snapshot, conversation: snapshot.conversation.copy() } };
}

interface Folding {
  readonly head: Head;
  /** Resolves when it has ended, however it ended. */
  readonly done: Promise<unknown>;
}

const foldings = new WeakMap<SessionState, Folding>();

async function foldForPreview(state: SessionState, finish: ReadyPrompt): Promise<PromptPreview> {
  const work: Promise<PromptPreview> = shrinkToLimit(state, finish).then(
    (folded) => ({ finish: folded }),
    (error: unknown) => ({ finish, error }),
  );
  const folding = { head: finish.snapshot.conversation.head, done: work };
  foldings.set(state, folding);
  const preview = await work;
  if (foldings.get(state) === folding) foldings.delete(state);
  return preview;
}
