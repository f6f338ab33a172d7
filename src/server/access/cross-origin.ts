/**
 * Pages of other origins that the host has named: a browser asks first whether it may, and lets them read the answers.
 * For nobody else is any of this said. Cookies play no part; whoever needs a token sends it.
 */
const METHODS = "GET, POST, PUT, PATCH, DELETE";
/** Seconds for which a browser need not ask again. */
const KEPT_SECONDS = "600";

/** The answer to a browser that asks whether a page may ask; undefined for every other request. */
export function answerPreflight(request: Request, origin: string | undefined): Response | undefined {
  const asks = request.method === "OPTIONS" && request.headers.has("access-control-request-method");
  if (origin === undefined || !asks) return undefined;
  const headers = {
    "access-control-allow-methods": METHODS,
    "access-control-allow-headers": "authorization, content-type, last-event-id",
    "access-control-max-age": KEPT_SECONDS,
  };
  return new Response(null, { status: 204, headers });
}

export function allowOrigin(response: Response, origin: string | undefined): Response {
  if (origin === undefined) return response;
  response.headers.set("access-control-allow-origin", origin);
  response.headers.set("access-control-expose-headers", "retry-after, x-request-id");
  response.headers.set("cross-origin-resource-policy", "cross-origin");
  response.headers.append("vary", "origin");
  return response;
}
