/** JSON-RPC 2.0 as it is written on the wire, without its methods. Plain data: browsers load this file. */

/** The numbers that the standard gives, and one of ours for whatever was understood and could not be done. */
export const RPC_CODES = {
  "parse-error": -32_700,
  "invalid-request": -32_600,
  "method-not-found": -32_601,
  "invalid-params": -32_602,
  "internal-error": -32_603,
  refused: -32_000,
} as const;

export type RpcId = string | number | null;

/** What our own codes say beside the number. */
export interface RpcErrorData {
  readonly code: string;
  readonly retryable: boolean;
  /** What to do about it. */
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

/** Methods are known with and without the name of the document's service. */
export const RPC_PREFIX = "LLMService.";

/** A browser cannot send a token with the opening of a WebSocket but as the name of a protocol. */
export const RPC_PROTOCOL = "palimpsest.rpc";
export const RPC_TOKEN_PROTOCOL = "palimpsest.token.";
