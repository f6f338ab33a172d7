/** Describes errors for the user, and recognizes the kinds of errors that the page handles. */
import { ClientError } from "../../src/client/client-error.ts";

/** Describes what happened and, if the server sent advice, what to do. */
export function describeError(error: unknown): string {
  if (error instanceof ClientError) {
    if (error.code === "unreachable") return "The server cannot be reached. Is it still running?";
    return error.advice === undefined ? error.message : `${error.message} ${error.advice}`;
  }
  return error instanceof Error ? error.message : "Something went wrong.";
}

/** Whether the next prompt does not fit into the context window. */
export function isWindowFullError(error: unknown): error is ClientError {
  return error instanceof ClientError && error.status === 422;
}

/** Whether the requested session, message or preview does not exist. */
export function isNotFoundError(error: unknown): boolean {
  // Checks the code and not the status: a proxy can answer 404 while the server is only unavailable.
  return error instanceof ClientError && (error.code === "session-not-found" || error.code === "not-found");
}
