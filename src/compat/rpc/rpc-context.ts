/** What JSON-RPC holds for one tenant: the session that its clients share, the reply that streams, who is told. */
import type { SeenAs } from "../../engine/context/prompt-request.ts";
import type { Session } from "../../engine/session/session.ts";
import type { Chats } from "../../server/chat/chats.ts";
import type { FindTurnRequest } from "../../server/prompts/turn-request.ts";
import type { Tenant } from "../../server/tenants/tenants.ts";
import { CurrentSession } from "./current-session.ts";
import { Notices } from "./notices.ts";
import { Streams } from "./streams.ts";
import { tellCompactions } from "./tell-compactions.ts";

export interface RpcParts {
  readonly chats: Chats;
  readonly findTurnRequest: FindTurnRequest;
  /** The folder that stands beside the conversations, by its last name. */
  readonly repositoryName: string;
  readonly onFailure: (error: unknown) => void;
}

export class RpcContext {
  readonly tenant: Tenant;
  readonly current: CurrentSession;
  readonly notices = new Notices();
  readonly streams: Streams;
  readonly repositoryName: string;
  readonly #findTurnRequest: FindTurnRequest;
  readonly #stopTelling: () => void;

  /** Whoever opens one goes on in the newest session, before anybody can ask for it. */
  static async open(tenant: Tenant, parts: RpcParts): Promise<RpcContext> {
    const context = new RpcContext(tenant, parts);
    await context.current.restore(parts.onFailure);
    return context;
  }

  private constructor(tenant: Tenant, { chats, findTurnRequest, repositoryName, onFailure }: RpcParts) {
    const { notices } = this;
    this.tenant = tenant;
    this.current = new CurrentSession(tenant.engine);
    this.repositoryName = repositoryName;
    this.#findTurnRequest = findTurnRequest;
    this.streams = new Streams({ tenant, notices, chats, onFailure });
    this.#stopTelling = tellCompactions(tenant.engine, {
      notices,
      sessionId: () => this.current.id,
      requestId: () => this.streams.requestIdOf(this.current.id),
      selectedFiles: () => this.current.held?.workspace.files.paths ?? [],
    });
  }

  /** The prompt that figures of a session are told of: the chat's next one. */
  seenAs(session: Session): Promise<SeenAs> {
    return this.#findTurnRequest({ tenant: this.tenant, session }, {});
  }

  get selectedFiles(): Promise<string[]> {
    return this.current.find().then((session) => [...(session?.workspace.files.paths ?? [])]);
  }

  /** Those that cannot be shown are given back by name; every client hears of a change. */
  async select(session: Session, paths: readonly string[]): Promise<string[]> {
    const { files } = session.workspace;
    const before = files.paths.join("\n");
    const rejected: string[] = [];
    files.clear();
    for (const path of new Set(paths)) if (!(await files.add(path).catch(() => false))) rejected.push(path);
    const after = files.paths;
    if (after.join("\n") !== before) this.notices.tell("filesChanged", { selected_files: after });
    return rejected;
  }

  close(): void {
    this.#stopTelling();
  }
}
