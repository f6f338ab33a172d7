/** A client that takes only what an address does not give is told so before anything is done. */
import type { Route } from "../../protocol/route.ts";
import { MEDIA_TYPES } from "../../protocol/write-openapi.ts";
import { RefusedRequest } from "./answer-error.ts";

export function assertAcceptable({ gives = "json" }: Pick<Route, "gives">, accept: string | null | undefined): void {
  // Bytes are of the type that they are.
  if (accept === null || accept === undefined || accept.trim() === "" || gives === "bytes") return;
  const given = MEDIA_TYPES[gives];
  const [kind = ""] = given.split("/");
  const ranges = accept.split(",").map((range) => range.trim().toLowerCase());
  const isTaken = ranges.some((range) => {
    const [type = "", ...parameters] = range.split(";").map((piece) => piece.trim());
    const isRefused = parameters.some((parameter) => /^q=0(?:\.0*)?$/.test(parameter));
    // Who asks for JSON, as `curl --json` does by itself, takes what a stream is made of.
    const isStreamOfJson = gives === "stream" && type === "application/json";
    return !isRefused && (type === "*/*" || type === `${kind}/*` || type === given || isStreamOfJson);
  });
  if (isTaken) return;
  throw new RefusedRequest("not-acceptable", `This address gives ${given}; accept that, or */*.`);
}
