/** A surface that compose adds to the server, such as JSON-RPC. The server knows no extension by name. */
import type { IncomingMessage } from "node:http";
import type { Duplex } from "node:stream";
import type { Access } from "./access/access.ts";
import type { Handlers } from "./app/handler.ts";
import type { Chats } from "./chat/chats.ts";
import type { RequestLog } from "./http/request-log.ts";
import type { Metrics } from "./operations/metrics.ts";
import type { FindTurnRequest } from "./prompts/turn-request.ts";
import type { Tenant, Tenants } from "./tenants/tenants.ts";

export interface ExtensionParts {
  readonly log: Pick<RequestLog, "failed">;
  /** Last segment of the workspace folder; empty without a workspace. */
  readonly repositoryName: string;
  readonly heartbeatMs?: number | undefined;
  readonly access: Access;
  readonly chats: Chats;
  readonly tenants: Tenants;
  readonly metrics: Metrics;
  readonly findTurnRequest: FindTurnRequest;
  /** Aborted when the server starts to shut down. */
  readonly stopping: AbortSignal;
}

export interface ServerExtension {
  readonly handlers: Partial<Handlers>;
  /** Called with a tenant before each of its requests is handled; opens what the extension keeps for it once. */
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
