/** The wire format of JSON-RPC 2.0 without its methods. Plain data: browsers load this file. */

/** The codes of the standard, and one of ours for a valid request that was refused. */
export const RPC_CODES = {
  "parse-error": -32_700,
  "invalid-request": -32_600,
  "method-not-found": -32_601,
  "invalid-params": -32_602,
  "internal-error": -32_603,
  refused: -32_000,
} as const;

export type RpcId = string | number | null;

/** Our own code and details of an error. */
export interface RpcErrorData {
  readonly code: string;
  readonly retryable: boolean;
  readonly advice?: string | undefined;
  readonly details?: Readonly<Record<string, unknown>> | undefined;
}

export interface RpcError {
  readonly code: number;
  readonly message: string;
  readonly data?: RpcErrorData | undefined;
}

export type RpcResponse =
  | { readonly jsonrpc: "2.0"; readonly id: RpcId; readonly result: unknown }
  | { readonly jsonrpc: "2.0"; readonly id: RpcId; readonly error: RpcError };

/** Optional prefix of method names: the document's service. */
export const RPC_PREFIX = "LLMService.";

/** Subprotocols of the WebSocket. The second carries the token: a browser cannot send other headers. */
export const RPC_PROTOCOL = "palimpsest.rpc";
export const RPC_TOKEN_PROTOCOL = "palimpsest.token.";
