/** Writes the gateway's own refusals in the form of the API that the client speaks. */
import type { Vendor } from "./gateway-options.ts";

interface RefusalText {
  readonly status: number;
  readonly message: string;
}

const ANTHROPIC_TYPES: Readonly<Record<number, string>> = {
  400: "invalid_request_error",
  401: "authentication_error",
  403: "permission_error",
  404: "not_found_error",
  413: "request_too_large",
  429: "rate_limit_error",
};

export function describeRefusal(vendor: Vendor, { status, message }: RefusalText): object {
  if (vendor === "anthropic")
    return { type: "error", error: { type: ANTHROPIC_TYPES[status] ?? "api_error", message } };
  const type = status < 500 ? "invalid_request_error" : "server_error";
  return { error: { message, type, param: null, code: null } };
}
