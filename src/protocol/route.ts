/**
 * One row of the protocol: where a request goes, what it may hold, and what is answered. The same schemas validate on
 * the server, type the client, and are written as OpenAPI.
 */
import type { z } from "zod";

export type Method = "GET" | "POST" | "PUT" | "PATCH" | "DELETE";

/** `lines`: newline-delimited JSON; `events`: server-sent events; `stream`: a UI message stream; `bytes`: as they are. */
export type BodyKind = "json" | "lines" | "events" | "stream" | "bytes" | "text" | "html" | "css";

export interface Route {
  readonly method: Method;
  /** With `:name` for what stands in `params`. */
  readonly path: string;
  readonly summary: string;
  readonly tag: Tag;
  readonly params?: z.ZodObject | undefined;
  readonly query?: z.ZodObject | undefined;
  readonly body?: z.ZodType | undefined;
  /** What the body is where it is not JSON. */
  readonly takes?: BodyKind | undefined;
  readonly response?: z.ZodType | undefined;
  /** What is answered where it is not JSON. */
  readonly gives?: BodyKind | undefined;
  /** When there is nothing to answer: the status is 204 then. */
  readonly mayBeEmpty?: string | undefined;
  /** Answered without a token too: it tells nothing of anybody. */
  readonly isOpen?: boolean | undefined;
  /** Of the whole process: answered to whoever runs the server, and to no other tenant. */
  readonly isForOwner?: boolean | undefined;
  /** Written to the audit log. */
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

/** Keeps each row's own types. */
export function route<const Row extends Route>(row: Row): Row {
  return row;
}
