/** The shape of route handlers: a validated request in, a value or a response out. */
import type { z } from "zod";
import type { Palimpsest } from "../../engine/palimpsest.ts";
import type { ROUTES, RouteName } from "../../protocol/routes.ts";
import type { Caller } from "../access/permissions.ts";
import type { BodyShare } from "../http/body-budget.ts";
import type { Tenant } from "../tenants/tenants.ts";

type RouteOf<Name extends RouteName> = (typeof ROUTES)[Name];
type SchemaOutput<Part> = Part extends z.ZodType ? z.output<Part> : undefined;
type Field<Name extends RouteName, Key extends string> =
  RouteOf<Name> extends Record<Key, infer Part> ? SchemaOutput<Part> : undefined;

export interface RouteCall<Name extends RouteName> {
  readonly params: Field<Name, "params">;
  readonly query: Field<Name, "query">;
  readonly body: Field<Name, "body">;
  readonly request: Request;
  /** The part of the budget for request bodies that this request uses. */
  readonly share: BodyShare;
  readonly caller: Caller;
  readonly tenant: Tenant;
  /** The tenant's engine, which sees no other sessions. */
  readonly engine: Palimpsest;
  /** Aborted when the client disconnects. */
  readonly signal: AbortSignal;
}

/** Returns what the route's schema describes, as JSON, or a response of another kind. Tests check the schemas. */
export type Handler<Name extends RouteName> = (call: RouteCall<Name>) => Promise<Response | object>;
export type Handlers<Name extends RouteName = RouteName> = { readonly [Key in Name]: Handler<Key> };
