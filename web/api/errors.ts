/** What to show of whatever was thrown: what happened, and what to do where the server says so. */
import { ClientError } from "../../src/client/client-error.ts";

export function sayError(error: unknown): string {
  if (error instanceof ClientError) {
    if (error.code === "unreachable") return "The server cannot be reached. Is it still running?";
    return error.advice === undefined ? error.message : `${error.message} ${error.advice}`;
  }
  return error instanceof Error ? error.message : "Something went wrong.";
}

/** Whether what must be sent does not fit into the window. */
export function isFullWindow(error: unknown): error is ClientError {
  return error instanceof ClientError && error.status === 422;
}

/** Whether what was asked for is not there, or not any more. */
export function isMissing(error: unknown): boolean {
  // By its word: a proxy between may say 404 of a server that is only away.
  return error instanceof ClientError && (error.code === "session-not-found" || error.code === "not-found");
}

/** Whether the server understood and will not do it, however often it is asked. */
export function isRefusal(error: unknown): boolean {
  return error instanceof ClientError && error.status !== undefined && error.status < 500 && !error.retryable;
}
