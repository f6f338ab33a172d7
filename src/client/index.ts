/** `palimpsest/client`: the client of a Palimpsest server, for browsers and Node. */
export { type ClientCode, ClientError } from "./client-error.ts";
export type { ChatChunk, Client, ClientAnswer, ClientEvent, ClientRequest } from "./client-types.ts";
export { type ClientOptions, createClient } from "./create-client.ts";
export type { ConnectOptions, RpcSocket } from "./rpc-socket.ts";
