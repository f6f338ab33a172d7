/**
 * One route of the protocol: where a request goes, what it may contain, and what is answered. The same schemas validate
 * on the server, type the client, and are written as OpenAPI.
 */
import type { z } from "zod";

export type Method = "GET" | "POST" | "PUT" | "PATCH" | "DELETE";

/** `lines`: newline-delimited JSON; `events`: server-sent events; `stream`: a UI message stream; `bytes`: any bytes. */
export type BodyKind = "json" | "lines" | "events" | "stream" | "bytes" | "text" | "html" | "css";

export interface Route {
  readonly method: Method;
  /** Has `:name` for each field of `params`. */
  readonly path: string;
  readonly summary: string;
  readonly tag: Tag;
  readonly params?: z.ZodObject | undefined;
  readonly query?: z.ZodObject | undefined;
  readonly body?: z.ZodType | undefined;
  /** Kind of the request body; default JSON. */
  readonly takes?: BodyKind | undefined;
  readonly response?: z.ZodType | undefined;
  /** Kind of the answer; default JSON. */
  readonly gives?: BodyKind | undefined;
  /** Says when the answer is empty, with status 204. */
  readonly mayBeEmpty?: string | undefined;
  /** True if no token is needed, because the answer reveals nothing. */
  readonly isOpen?: boolean | undefined;
  /** True if only the owner of the server may call it, because it covers all tenants. */
  readonly isForOwner?: boolean | undefined;
  /** True if calls are written to the audit log. */
  readonly isAudited?: boolean | undefined;
}

export type Tag =
  | "sessions"
  | "messages"
  | "prompts"
  | "compaction"
  | "summaries"
  | "search"
  | "workspace"
  | "chat"
  | "sample"
  | "operations";

/** Keeps the literal types of a route. */
export function route<const Row extends Route>(row: Row): Row {
  return row;
}
