/** What is no row of the protocol: an address that nobody has, or a method that this address does not take. */
import type { Route } from "../../protocol/route.ts";
import { ROUTES } from "../../protocol/routes.ts";
import { RefusedRequest } from "./answer-error.ts";

const PATTERNS = Object.values<Route>(ROUTES).map(({ method, path }) => ({
  method,
  pattern: new RegExp(`^${path.replaceAll(".", "\\.").replaceAll(/:\w+/g, "[^/]+")}$`),
}));

export function refuseUnknown(method: string, path: string): RefusedRequest {
  const taken = PATTERNS.filter(({ pattern }) => pattern.test(path)).map((row) => row.method);
  if (taken.length === 0) {
    return new RefusedRequest("not-found", "There is nothing at this address; /openapi.json lists what there is.");
  }
  const allowed = [...new Set(taken.flatMap((each) => (each === "GET" ? ["GET", "HEAD"] : [each])))].toSorted();
  const text = `This address does not take ${/^[A-Z]{1,20}$/.test(method) ? method : "that method"}; it takes ${allowed.join(", ")}.`;
  return new RefusedRequest("method-not-allowed", text, { headers: { allow: allowed.join(", ") } });
}
