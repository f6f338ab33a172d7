/** `palimpsest/server`: the server inside a program of your own. */
export { hashToken, newToken, type TokenRow } from "./access/tokens.ts";
export { createRequestLog, type RequestLog } from "./http/request-log.ts";
export type { ChatModel } from "./prompts/chat-model.ts";
export { createOfflineChat, type ServerOptions } from "./server-options.ts";
export { type RunningServer, startServer } from "./start.ts";
