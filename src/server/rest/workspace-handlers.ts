/** Files and links of a session. Selections are in session objects, so the most recently used ones are kept here. */
import type { Session } from "../../engine/session/session.ts";
import type { WORKSPACE_ROUTES } from "../../protocol/workspace-routes.ts";
import type { Handlers, RouteCall } from "../app/handler.ts";

type Name = Exclude<keyof typeof WORKSPACE_ROUTES, "putImage" | "readImage">;

const MAX_SESSIONS = 1_000;

export function createWorkspaceHandlers(): Handlers<Name> {
  const kept = new Set<Session>();
  const keep = (session: Session): void => {
    kept.delete(session);
    const { files, links } = session.workspace;
    if (files.paths.length > 0 || links.length > 0) kept.add(session);
    const [oldest] = kept.size > MAX_SESSIONS ? kept : [];
    if (oldest !== undefined) kept.delete(oldest);
  };
  const change = async (
    call: Pick<RouteCall<Name>, "engine" | "params">,
    work: (workspace: Session["workspace"]) => object | Promise<object>,
  ) => {
    const session = await call.engine.load(call.params.id);
    const outcome = await work(session.workspace);
    keep(session);
    return outcome;
  };
  return {
    readWorkspace: async ({ engine, params }) => (await engine.load(params.id)).showWorkspace(),
    addFile: ({ body, ...call }) =>
      change(call, async ({ files }) => ({ added: await files.add(body.path, body.text) })),
    removeFile: ({ query, ...call }) => change(call, ({ files }) => ({ removed: files.remove(query.path) })),
    addLink: ({ body, ...call }) => change(call, (workspace) => workspace.addLink(body.url, body.text)),
    removeLink: ({ query, ...call }) => change(call, (workspace) => ({ removed: workspace.removeLink(query.url) })),
  };
}
