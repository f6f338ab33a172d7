/** Opens a workspace from options for a local folder, or accepts a custom one. */
import { RECORD } from "../core/check-options.ts";
import { PalimpsestError } from "../core/errors.ts";
import type { Workspace } from "../ports/workspace.ts";
import { type LocalWorkspaceOptions, openLocalWorkspace } from "./local-workspace.ts";

export type WorkspaceInput = LocalWorkspaceOptions | Workspace;

const METHODS = ["listTree", "findFile", "listOutlines", "readLink"] as const satisfies readonly (keyof Workspace)[];

export async function openWorkspace(input: WorkspaceInput): Promise<Workspace> {
  if (isWorkspace(input)) return input;
  const isOwn = METHODS.some((name) => RECORD.holds(input) && name in input);
  if (RECORD.holds(input) && !isOwn) return openLocalWorkspace(input);
  const text = `workspace must be { root: "path of a folder" } or a Workspace with ${METHODS.join(", ")}.`;
  throw new PalimpsestError("config-invalid", text, { details: { option: "workspace" } });
}

function isWorkspace(input: WorkspaceInput): input is Workspace {
  return (
    typeof input === "object" &&
    input !== null &&
    METHODS.every((name) => typeof Reflect.get(input, name) === "function")
  );
}
