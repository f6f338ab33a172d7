/** Leaves selected files out of a prompt that would not fit, the largest first. */
import type { EventNoteEntry } from "../../core/log/entry.ts";
import type { Floor } from "../../core/plan/proposal.ts";
import type { WeighedFile } from "../../core/prompt/workspace/limit-workspace.ts";
import { chooseFilesToShed, measureExcess } from "../../core/prompt/workspace/limit-workspace.ts";
import { applyCalibration } from "../../core/tokens/calibration.ts";
import type { SessionSnapshot } from "../state/find-need.ts";
import type { SessionState } from "../state/session-state.ts";
import type { GatheredWorkspace } from "../workspace/workspace-content.ts";

export function shedFilesByEstimate(state: SessionState, snapshot: SessionSnapshot): GatheredWorkspace | undefined {
  const { promptTokens, fullLimits } = snapshot;
  return shed(state, snapshot, measureExcess({ promptTokens, limitTokens: fullLimits.limitTokens }));
}

export function shedFiles(state: SessionState, snapshot: SessionSnapshot, floor: Floor): GatheredWorkspace | undefined {
  return shed(state, snapshot, Math.max(1, floor.floorTokens - floor.limitTokens));
}

function shed(
  { workspace }: SessionState,
  snapshot: SessionSnapshot,
  tooMuchTokens: number,
): GatheredWorkspace | undefined {
  const { measure } = snapshot;
  const gathered = snapshot.workspace?.current;
  if (gathered === undefined || gathered.files.length === 0 || tooMuchTokens === 0) return undefined;
  const weighed = gathered.files.map((file) => ({
    path: file.path,
    tokens: applyCalibration(measure.calibration, workspace.memo.tokensOf(file)),
  }));
  const chosen = chooseFilesToShed(weighed, tooMuchTokens);
  const paths = new Set(chosen.map(({ path }) => path));
  return {
    ...gathered,
    files: gathered.files.filter(({ path }) => !paths.has(path)),
    shed: [...gathered.shed, ...chosen],
  };
}

export function describeShedFiles(files: readonly WeighedFile[]): string {
  const names = files.map(({ path, tokens }) => `${path} (${tokens} tokens)`).join(", ");
  return `The prompt was too large, so these files are no longer shown: ${names}.`;
}

export function createShedNote(state: SessionState, files: readonly WeighedFile[]): Omit<EventNoteEntry, "seq"> {
  const { ids, clock } = state.context;
  const details = { shed: files.map(({ path, tokens }) => ({ path, tokens })) };
  return {
    type: "note",
    kind: "warning",
    id: ids.entry("note"),
    at: clock.now(),
    text: describeShedFiles(files),
    details,
  };
}
