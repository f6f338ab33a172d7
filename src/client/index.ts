/** `palimpsest/client`: a server of this package spoken to from a browser or from Node. */
export { type ClientCode, ClientError } from "./client-error.ts";
export type { ChatChunk, Client, ClientAnswer, ClientEvent, ClientRequest } from "./client-types.ts";
export { type ClientOptions, createClient } from "./create-client.ts";
export type { ConnectOptions, RpcSocket } from "./rpc-socket.ts";
