/** Files and links of a session. Selections live in session objects, so those used last are kept here. */
import type { Session } from "../../engine/session/session.ts";
import type { WORKSPACE_ROUTES } from "../../protocol/workspace-routes.ts";
import type { Handlers } from "../app/handler.ts";

type Name = Exclude<keyof typeof WORKSPACE_ROUTES, "putImage" | "readImage">;

const MOST_SESSIONS = 1_000;

export function createWorkspaceHandlers(): Handlers<Name> {
  const kept = new Set<Session>();
  const keep = (session: Session): void => {
    kept.delete(session);
    const { files, links } = session.workspace;
    if (files.paths.length > 0 || links.length > 0) kept.add(session);
    const [oldest] = kept.size > MOST_SESSIONS ? kept : [];
    if (oldest !== undefined) kept.delete(oldest);
  };
  return {
    readWorkspace: async ({ engine, params }) => (await engine.load(params.id)).showWorkspace(),
    addFile: async ({ engine, params, body }) => {
      const session = await engine.load(params.id);
      const added = await session.workspace.files.add(body.path, body.text);
      keep(session);
      return { added };
    },
    removeFile: async ({ engine, params, query }) => {
      const session = await engine.load(params.id);
      const removed = session.workspace.files.remove(query.path);
      keep(session);
      return { removed };
    },
    addLink: async ({ engine, params, body }) => {
      const session = await engine.load(params.id);
      const outcome = await session.workspace.addLink(body.url, body.text);
      keep(session);
      return outcome;
    },
    removeLink: async ({ engine, params, query }) => {
      const session = await engine.load(params.id);
      const removed = session.workspace.removeLink(query.url);
      keep(session);
      return { removed };
    },
  };
}
