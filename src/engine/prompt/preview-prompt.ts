/** Previews the next prompt without writing. Other calls do not wait for its fold, and previews share it. */
import type { Head } from "../../core/log/head.ts";
import type { View } from "../../core/log/view.ts";
import { findPrepared } from "../compaction/compact-for-prompt.ts";
import { floorOfError } from "../context/errors.ts";
import type { PromptRequest } from "../context/prompt-request.ts";
import type { TurnQueue } from "../context/turn-queue.ts";
import { findNeed } from "../state/find-need.ts";
import { resolveRequest } from "../state/measure-session.ts";
import type { SessionState } from "../state/session-state.ts";
import type { GatheredWorkspace } from "../workspace/workspace-content.ts";
import { exceedsLimit, measureWithFewerFiles, shrinkToLimit } from "./build-prompt.ts";
import { findShownView, type ReadyPrompt } from "./finish-prompt.ts";
import { shedFiles } from "./shed-files.ts";

export interface PromptPreview {
  readonly finish: ReadyPrompt;
  /** Why no prompt can be sent; then only the log itself can be shown. */
  readonly error?: unknown;
}

export interface PreviewRequest<Result> {
  /** Called once, in the session's turn. */
  readonly readRequest: () => PromptRequest | Promise<PromptRequest>;
  /** Called in the session's turn unless a fold was needed. */
  readonly derive: (preview: PromptPreview) => Result | Promise<Result>;
}

interface PreviewedSession {
  readonly state: SessionState;
  readonly turns: TurnQueue;
}

export function previewPrompt<Result>(session: PreviewedSession, request: PreviewRequest<Result>): Promise<Result> {
  return session.state.memory.use(() => previewInTurns(session, request));
}

async function previewInTurns<Result>(
  { state, turns }: PreviewedSession,
  { readRequest, derive }: PreviewRequest<Result>,
): Promise<Result> {
  let request: PromptRequest | undefined;
  let workspace: GatheredWorkspace | undefined;
  for (;;) {
    const measured = await turns.inTurn(async () => {
      request ??= await readRequest();
      const finish = await measureNext(state, request, workspace);
      return exceedsLimit(finish) ? detach(finish) : { result: await derive({ finish }) };
    });
    if ("result" in measured) return measured.result;
    const { head } = measured.snapshot.conversation;
    const running = runningFolds.get(state);
    if (running !== undefined && running.head !== head) {
      await running.done;
      continue;
    }
    const { finish, error } = await foldForPreview(state, measured);
    const floor = floorOfError(error);
    if (error !== undefined && floor === undefined) throw error;
    workspace = floor && shedFiles(state, measured.snapshot, floor);
    if (workspace === undefined) return derive({ finish, error });
  }
}

export function findPreviewedView({ finish, error }: PromptPreview): View {
  const { conversation } = finish.snapshot;
  return error === undefined ? conversation.explain(findShownView(finish)) : conversation.view;
}

async function measureNext(
  state: SessionState,
  request: PromptRequest,
  known: GatheredWorkspace | undefined,
): Promise<ReadyPrompt> {
  const resolved = await resolveRequest(state, request);
  const workspace = known ?? (await state.workspace.gather());
  const snapshot = await measureWithFewerFiles(state, { ...resolved, workspace });
  // Discards what was prepared for another epoch.
  findPrepared(state, snapshot.conversation.head.epoch);
  const need = findNeed(snapshot, false);
  return { request, snapshot, need, asked: need, compactions: [] };
}

/** Copies the conversation, so that messages appended during the fold are not part of the preview. */
function detach(finish: ReadyPrompt): ReadyPrompt {
  const { snapshot } = finish;
  return { ...finish, snapshot: { ...snapshot, conversation: snapshot.conversation.copy() } };
}

/** The running fold of each session; `done` never rejects. */
const runningFolds = new WeakMap<SessionState, { readonly head: Head; readonly done: Promise<unknown> }>();

async function foldForPreview(state: SessionState, finish: ReadyPrompt): Promise<PromptPreview> {
  const work: Promise<PromptPreview> = shrinkToLimit(state, finish).then(
    (folded) => ({ finish: folded }),
    (error: unknown) => ({ finish, error }),
  );
  const fold = { head: finish.snapshot.conversation.head, done: work };
  runningFolds.set(state, fold);
  const preview = await work;
  if (runningFolds.get(state) === fold) runningFolds.delete(state);
  return preview;
}
