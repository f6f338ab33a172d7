/** How a route is answered: a checked request in, a value or a response out. */
import type { z } from "zod";
import type { Palimpsest } from "../../engine/palimpsest.ts";
import type { ROUTES, RouteName } from "../../protocol/routes.ts";
import type { Tenant } from "../tenants/tenant.ts";

type Row<Name extends RouteName> = (typeof ROUTES)[Name];
type Read<Part> = Part extends z.ZodType ? z.output<Part> : undefined;
type Field<Name extends RouteName, Key extends string> =
  Row<Name> extends Record<Key, infer Part> ? Read<Part> : undefined;

export interface Call<Name extends RouteName> {
  readonly params: Field<Name, "params">;
  readonly query: Field<Name, "query">;
  readonly body: Field<Name, "body">;
  readonly request: Request;
  /** Whoever asks. */
  readonly tenant: Tenant;
  /** The sessions of whoever asks, and of nobody else. */
  readonly engine: Palimpsest;
  /** Aborted when the client is gone. */
  readonly signal: AbortSignal;
}

/** What the route's schema says, as JSON, or a response of another kind. Tests hold answers to their schemas. */
export type Answer = Response | object;

export type Handler<Name extends RouteName> = (call: Call<Name>) => Promise<Answer>;
export type Handlers<Name extends RouteName = RouteName> = { readonly [Key in Name]: Handler<Key> };
