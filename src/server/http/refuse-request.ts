/** Refuses requests that match no route of the protocol: an unknown address, a wrong method, an unacceptable answer. */
import type { Route } from "../../protocol/route.ts";
import { ROUTES } from "../../protocol/routes.ts";
import { MEDIA_TYPES } from "../../protocol/write-openapi.ts";
import { RefusedRequest } from "./answer-error.ts";

const PATTERNS = Object.values<Route>(ROUTES).map(({ method, path }) => ({
  method,
  pattern: new RegExp(`^${path.replaceAll(".", "\\.").replaceAll(/:\w+/g, "[^/]+")}$`),
}));

/** Returns the refusal of a request that matched no route: 404, or 405 if the address accepts other methods. */
export function refuseUnknown(method: string, path: string): RefusedRequest {
  const known = PATTERNS.filter(({ pattern }) => pattern.test(path)).map((route) => route.method);
  if (known.length === 0) {
    return new RefusedRequest("not-found", "There is nothing at this address. /openapi.json lists all addresses.");
  }
  const allowed = [...new Set(known.flatMap((each) => (each === "GET" ? ["GET", "HEAD"] : [each])))].toSorted();
  const shown = /^[A-Z]{1,20}$/.test(method) ? method : "that method";
  return new RefusedRequest("method-not-allowed", `This address accepts ${allowed.join(", ")}, not ${shown}.`, {
    headers: { allow: allowed.join(", ") },
  });
}

/** Throws if the `accept` header excludes the route's media type. */
export function assertAcceptable({ gives = "json" }: Pick<Route, "gives">, accept: string | null | undefined): void {
  // The media type of bytes is known only when they are read.
  if (accept === null || accept === undefined || accept.trim() === "" || gives === "bytes") return;
  const given = MEDIA_TYPES[gives];
  const [kind = ""] = given.split("/");
  const ranges = accept.split(",").map((range) => range.trim().toLowerCase());
  const isAccepted = ranges.some((range) => {
    const [type = "", ...parameters] = range.split(";").map((piece) => piece.trim());
    const isExcluded = parameters.some((parameter) => /^q=0(?:\.0*)?$/.test(parameter));
    // `curl --json` accepts only JSON; the events of a stream are JSON.
    const isStreamOfJson = gives === "stream" && type === "application/json";
    return !isExcluded && (type === "*/*" || type === `${kind}/*` || type === given || isStreamOfJson);
  });
  if (isAccepted) return;
  throw new RefusedRequest("not-acceptable", `This address answers with ${given}. Accept that, or */*.`);
}
