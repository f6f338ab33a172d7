/** Decides what a token may do. A role includes the roles before it; a token can be limited to one session. */
import type { Route, TokenRole } from "../../protocol/route.ts";
import { RefusedRequest } from "../http/answer-error.ts";

/** Each role may also do what those before it may. */
export const TOKEN_ROLES: readonly TokenRole[] = ["read", "chat", "admin"];

/** The sender of a request. */
export interface Caller {
  readonly tenantId: string;
  /** Distinguishes senders for limits: the tenant, or without tokens the network address. */
  readonly name: string;
  readonly role: TokenRole;
  /** The only session that it may use. */
  readonly sessionId?: string | undefined;
  /** Returns false once the token has expired, was removed or got other rights. */
  readonly isValid: () => boolean;
}

/** Throws once the caller's token is no longer valid. Called while a response is streamed. */
export function checkStillValid({ isValid }: Pick<Caller, "isValid">): void {
  if (!isValid()) throw new RefusedRequest("token-refused", "The token is no longer valid.");
}

type RouteAccess = Pick<Route, "method" | "role" | "isOneSession">;

export function findNeededRole({ method, role }: Pick<Route, "method" | "role">): TokenRole {
  return role ?? (method === "GET" ? "read" : "chat");
}

/** Throws if the caller's role does not suffice. */
export function checkRole({ role }: Caller, route: Pick<Route, "method" | "role">): void {
  const needed = findNeededRole(route);
  if (TOKEN_ROLES.indexOf(role) >= TOKEN_ROLES.indexOf(needed)) return;
  const advice = `Use a token with the role ${needed}: palimpsest token add --role ${needed}.`;
  throw new RefusedRequest("role-refused", `This token has the role ${role}, and ${needed} is needed. ${advice}`);
}

/** Returns a check to run before a request creates a fork; undefined if the caller may use any session. */
export function createForkCheck({ sessionId }: Caller): (() => void) | undefined {
  if (sessionId === undefined) return undefined;
  return () => {
    const text = "This token is limited to one session. The list differs from that session, so it would create a fork.";
    throw new RefusedRequest("session-refused", `${text} Append the new messages instead.`);
  };
}

/** Throws if the caller is limited to one session, and the request names another one or its route concerns several. */
export function checkSession({ sessionId }: Caller, route: RouteAccess, named: unknown): void {
  if (sessionId === undefined || (route.isOneSession !== false && named === sessionId)) return;
  const text = "This token is limited to one session, and the request is about others. Use a token without this limit.";
  throw new RefusedRequest("session-refused", text);
}
