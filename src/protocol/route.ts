/**
 * One route of the protocol: where a request goes, what it may contain, and what is answered. The same schemas validate
 * on the server, type the client, and are written as OpenAPI.
 */
import type { z } from "zod";
import { ADDRESSES, type BodyKind, type Method, type RouteName } from "./addresses.ts";

/** A route without its address. */
export interface RouteDetails {
  readonly summary: string;
  readonly tag: Tag;
  readonly params?: z.ZodObject | undefined;
  readonly query?: z.ZodObject | undefined;
  readonly body?: z.ZodType | undefined;
  /** Kind of a body without a schema. */
  readonly takes?: BodyKind | undefined;
  readonly response?: z.ZodType | undefined;
  /** Says when the answer is empty, with status 204. */
  readonly mayBeEmpty?: string | undefined;
  /** True if no token is needed, because the answer reveals nothing. */
  readonly isOpen?: boolean | undefined;
  /** True if only the owner of the server may call it, because it covers all tenants. */
  readonly isForOwner?: boolean | undefined;
  /** True if calls are written to the audit log. */
  readonly isAudited?: boolean | undefined;
}

export interface Route extends RouteDetails {
  readonly method: Method;
  readonly path: string;
  /** Kind of the answer. */
  readonly gives: BodyKind;
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

export interface RouteAddress<Name extends RouteName> {
  readonly method: (typeof ADDRESSES)[Name][0];
  readonly path: (typeof ADDRESSES)[Name][1];
  readonly gives: (typeof ADDRESSES)[Name][2];
}

/** Adds the addresses to routes by their names, and keeps the literal types of both. */
export function withAddresses<const Details extends { readonly [Name in RouteName]?: RouteDetails }>(
  details: Details,
): { readonly [Name in keyof Details & RouteName]: Details[Name] & RouteAddress<Name> } {
  const routes = Object.entries(details).map(([name, route]) => {
    const [method, path, gives, takes] = ADDRESSES[name as RouteName];
    return [name, { method, path, gives, ...(takes === "json" ? {} : { takes }), ...route }];
  });
  return Object.fromEntries(routes);
}
