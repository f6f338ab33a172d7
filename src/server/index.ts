/** `palimpsest/server`: the server inside a program of your own. */
export type { ChatModel } from "./chat-model.ts";
export { createRequestLog, type RequestLog } from "./request-log.ts";
export { createOfflineChat, type RunningServer, type ServerOptions, startServer } from "./start.ts";
export { hashToken, newToken, type TokenRow } from "./tokens.ts";
