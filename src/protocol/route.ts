/** A route of the protocol. Its schemas validate on the server, type the client, and are written as OpenAPI. */
import { z } from "zod";
import { ADDRESSES, type BodyKind, type Method, type RouteName } from "./addresses.ts";
import { idSchema } from "./values.ts";

/** `read` reads sessions, `chat` also writes to them, `admin` also deletes, imports and changes settings. */
export type TokenRole = "read" | "chat" | "admin";

/** A route without its address. */
interface RouteDetails {
  readonly summary: string;
  /** Fields of the path; by default each is an id. */
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
  /** The lowest role whose tokens may call it. Default: `read` for GET, else `chat`. */
  readonly role?: TokenRole | undefined;
  /** False if a token for one session cannot call it, although it names a session. */
  readonly isOneSession?: false | undefined;
  /** True if calls are written to the audit log. */
  readonly isAudited?: boolean | undefined;
}

export interface Route extends RouteDetails {
  readonly tag: Tag;
  readonly method: Method;
  readonly path: string;
  readonly gives: BodyKind;
}

type Tag =
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

type PathField<Path extends string> = Path extends `${string}/:${infer Rest}`
  ? Rest extends `${infer Field}/${infer More}`
    ? Field | PathField<`/${More}`>
    : Rest
  : never;

type PathParams<Path extends string> = [PathField<Path>] extends [never]
  ? unknown
  : { readonly params: z.ZodObject<Readonly<Record<PathField<Path>, typeof idSchema>>> };

type DefinedRoute<Name extends RouteName, Details> = Details & {
  readonly tag: Tag;
  readonly method: (typeof ADDRESSES)[Name][0];
  readonly path: (typeof ADDRESSES)[Name][1];
  readonly gives: (typeof ADDRESSES)[Name][2];
} & (Details extends { readonly params: z.ZodObject } ? unknown : PathParams<(typeof ADDRESSES)[Name][1]>);

/** Adds the tag to each route, and the address and path fields that belong to its name. Keeps all literal types. */
export function defineRoutes<const Details extends { readonly [Name in RouteName]?: RouteDetails }>(
  tag: Tag,
  details: Details,
): { readonly [Name in keyof Details & RouteName]: DefinedRoute<Name, Details[Name]> } {
  const routes = Object.entries(details).map(([name, route]) => {
    const [method, path, gives, takes] = ADDRESSES[name as RouteName];
    const given = takes === "json" ? {} : { takes };
    return [name, { tag, method, path, gives, ...given, ...paramsOf(path), ...route }];
  });
  return Object.fromEntries(routes);
}

function paramsOf(path: string): Pick<RouteDetails, "params"> {
  const fields = [...path.matchAll(/:(\w+)/g)].map(([, field = ""]) => [field, idSchema] as const);
  return fields.length === 0 ? {} : { params: z.object(Object.fromEntries(fields)) };
}
