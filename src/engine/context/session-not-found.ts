/** The one way to say that a session is not there. */
import { PalimpsestError } from "../../core/errors.ts";
import type { SessionId } from "../../core/log/entry.ts";

export function sessionNotFound(id: SessionId): PalimpsestError {
  return new PalimpsestError("session-not-found", `There is no session ${JSON.stringify(id)}.`);
}
