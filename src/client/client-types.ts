/** The client's methods, typed by the table of routes. Types only, so that loading the client loads no schema. */
import type { z } from "zod";
import type { ADDRESSES } from "../protocol/addresses.ts";
import type { ROUTES, RouteName } from "../protocol/routes.ts";
import type { RpcMethodName, RpcParams, RpcResult } from "../protocol/rpc-methods.ts";
import type { ConnectOptions, RpcSocket } from "./rpc-socket.ts";
import type { LinesInput } from "./send-request.ts";

type Row<Name extends RouteName> = (typeof ROUTES)[Name];
type Schema<Name extends RouteName, Key extends string> =
  Row<Name> extends Readonly<Record<Key, infer Found extends z.ZodType>> ? Found : undefined;

/** The values that the server reads, with its optional fields; the client writes them as text into the address. */
type Values<Found extends z.ZodType> = {
  readonly [Key in keyof z.input<Found>]: Key extends keyof z.output<Found> ? z.output<Found>[Key] : never;
};

/** A part without required fields is optional. */
type Part<Key extends string, Value> = [Value] extends [never]
  ? object
  : object extends Value
    ? { readonly [Each in Key]?: Value | undefined }
    : { readonly [Each in Key]: Value };

type ValuesOf<Name extends RouteName, Key extends string> =
  Schema<Name, Key> extends infer Found extends z.ZodType ? Values<Found> : never;
type BodyOf<Name extends RouteName> =
  Schema<Name, "body"> extends infer Found extends z.ZodType ? z.input<Found> : never;

type RequestKind<Name extends RouteName> = (typeof ADDRESSES)[Name][3];
type ResponseKind<Name extends RouteName> = (typeof ADDRESSES)[Name][2];

type Content<Name extends RouteName> =
  RequestKind<Name> extends "lines"
    ? { readonly lines: LinesInput }
    : RequestKind<Name> extends "bytes"
      ? { readonly bytes: Blob | Uint8Array<ArrayBuffer>; readonly mediaType: string }
      : Part<"body", BodyOf<Name>>;

/** The input of a route by its name: parameters of the address, query and body. */
export type ClientRequest<Name extends RouteName> = Part<"params", ValuesOf<Name, "params">> &
  Part<"query", ValuesOf<Name, "query">> &
  Content<Name> & { readonly signal?: AbortSignal | undefined } & (ResponseKind<Name> extends "events"
    ? ResumeOptions
    : object);

export interface ResumeOptions {
  /** Resumes after this event. */
  readonly lastId?: string | undefined;
  /** Called whenever the event stream opens, including after a reconnection. */
  readonly onOpen?: (() => void) | undefined;
}

/** An event of a server's stream: its name and data, as JSON. */
export interface ClientEvent {
  readonly id: string;
  readonly name: string;
  readonly data: unknown;
}

/** A chunk of the AI SDK's UI message stream. */
export interface ChatChunk {
  readonly type: string;
  readonly [field: string]: unknown;
}

type ResponseBody<Name extends RouteName> =
  Schema<Name, "response"> extends infer Found extends z.ZodType ? z.output<Found> : unknown;

/** The answer of a method. The request of a stream is sent when iteration begins. */
export type ClientAnswer<Name extends RouteName> = {
  readonly json: Promise<ResponseBody<Name>>;
  readonly lines: AsyncIterable<string>;
  readonly events: AsyncIterable<ClientEvent>;
  readonly stream: AsyncIterable<ChatChunk>;
  readonly bytes: Promise<Blob>;
  readonly text: Promise<string>;
  readonly html: Promise<string>;
  readonly css: Promise<string>;
}[ResponseKind<Name>];

export type ClientMethods = {
  readonly [Name in RouteName]: object extends ClientRequest<Name>
    ? (request?: ClientRequest<Name>) => ClientAnswer<Name>
    : (request: ClientRequest<Name>) => ClientAnswer<Name>;
};

/** Nullable parameters may be left out; positional ones are in the order of the table. */
export type RpcArguments<Name extends RpcMethodName> = Readonly<RpcParams<Name>> | readonly unknown[];

/** A client of a Palimpsest server: one function for each route, event streams, and JSON-RPC. */
export interface Client extends ClientMethods {
  rpc<Name extends RpcMethodName>(
    method: Name,
    params: RpcArguments<Name>,
    options?: { readonly signal?: AbortSignal | undefined },
  ): Promise<RpcResult<Name>>;
  /** Opens JSON-RPC over a WebSocket, with the server's notifications. Reconnects by itself. */
  connect(options?: ConnectOptions): Promise<RpcSocket>;
}
