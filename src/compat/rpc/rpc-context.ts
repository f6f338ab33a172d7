/** State of JSON-RPC for a tenant: the session that its clients share, the streaming reply, the listeners. */
import type { AssumedRequest } from "../../engine/context/prompt-request.ts";
import type { Session } from "../../engine/session/session.ts";
import type { Chats } from "../../server/chat/chats.ts";
import type { FindTurnRequest } from "../../server/prompts/turn-request.ts";
import type { Tenant } from "../../server/tenants/tenants.ts";
import { CurrentSession } from "./current-session.ts";
import { Notices, reportCompactions } from "./notices.ts";
import { Streams } from "./streams.ts";

export interface RpcParts {
  readonly chats: Chats;
  readonly findTurnRequest: FindTurnRequest;
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
  readonly #stopReporting: () => void;

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
    this.#stopReporting = reportCompactions(tenant.engine, {
      notices,
      sessionId: () => this.current.id,
      requestId: () => this.streams.requestIdOf(this.current.id),
      selectedFiles: () => this.current.inMemory?.workspace.files.paths ?? [],
    });
  }

  /** Returns the request of the chat's next prompt, which the figures of a session describe. */
  findRequest(session: Session): Promise<AssumedRequest> {
    return this.#findTurnRequest({ tenant: this.tenant, session }, {});
  }

  get selectedFiles(): Promise<string[]> {
    return this.current.find().then((session) => [...(session?.workspace.files.paths ?? [])]);
  }

  /** Selects files and returns those that cannot be shown. Every client is notified of a change. */
  async select(session: Session, paths: readonly string[]): Promise<string[]> {
    const { files } = session.workspace;
    const before = files.paths.join("\n");
    const rejected: string[] = [];
    files.clear();
    for (const path of new Set(paths)) if (!(await files.add(path).catch(() => false))) rejected.push(path);
    const after = files.paths;
    if (after.join("\n") !== before) this.notices.send("filesChanged", { selected_files: after });
    return rejected;
  }

  close(): void {
    this.#stopReporting();
  }
}

/** The contexts of all tenants in use, each opened once. */
export class RpcContexts {
  readonly #parts: RpcParts;
  readonly #opened = new Map<Tenant, Promise<RpcContext>>();

  constructor(parts: RpcParts) {
    this.#parts = parts;
  }

  find(tenant: Tenant): Promise<RpcContext> {
    const known = this.#opened.get(tenant);
    if (known !== undefined) return known;
    const opening = RpcContext.open(tenant, this.#parts);
    this.#opened.set(tenant, opening);
    return opening;
  }

  /** Resolves when clients have received the ends of all replies. Does not stop a reply. */
  async settle(): Promise<void> {
    await Promise.all([...this.#opened.values()].map(async (opening) => (await opening).streams.ended));
  }

  async close(): Promise<void> {
    for (const opening of this.#opened.values()) (await opening).close();
    this.#opened.clear();
  }
}
