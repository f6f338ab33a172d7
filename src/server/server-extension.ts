/** A protocol that `compose.ts` adds to the server, such as JSON-RPC. The server itself knows no extension by name. */
import type { IncomingMessage } from "node:http";
import type { Duplex } from "node:stream";
import type { Access } from "./access/access.ts";
import type { Handlers } from "./app/handler.ts";
import type { Chats } from "./chat/chats.ts";
import type { RequestLog } from "./http/request-log.ts";
import type { ServerParts } from "./rest/server-parts.ts";
import type { Tenant } from "./tenants/tenants.ts";

type Shared = "tenants" | "metrics" | "findTurnRequest" | "stopping" | "bodies";

export interface ExtensionParts extends Pick<ServerParts, Shared> {
  readonly log: Pick<RequestLog, "failed">;
  /** Last segment of the workspace folder; empty without a workspace. */
  readonly repositoryName: string;
  readonly heartbeatMs?: number | undefined;
  readonly access: Access;
  readonly chats: Chats;
}

export interface ServerExtension {
  readonly handlers: Partial<Handlers>;
  /** Called before each request of a tenant. The first call opens what the extension keeps for the tenant. */
  prepare(tenant: Tenant): Promise<void>;
  upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void;
  /** Resolves when clients have received the ends of all replies. Ends none of them. */
  settle(): Promise<void>;
  /** Answers pending requests and closes the extension's connections. */
  disconnect(): Promise<void>;
  close(): Promise<void>;
}

export interface DocumentSurface {
  /** Policies whose documents require token counts and summaries in the log. */
  readonly recordedPolicies: ReadonlySet<string>;
  open(parts: ExtensionParts): ServerExtension;
}
