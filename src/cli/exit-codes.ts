/** How the process ends, by the code of the error. The compiler sees that no code is forgotten. */
import type { ErrorCode } from "../core/errors.ts";

export const EXIT_DONE = 0;
export const EXIT_UNEXPECTED = 1;
export const EXIT_USAGE = 2;
export const EXIT_NOT_FOUND = 4;

export const EXIT_CODES: Readonly<Record<ErrorCode, number>> = {
  "config-invalid": EXIT_USAGE,
  "message-invalid": 3,
  "session-not-found": EXIT_NOT_FOUND,
  "message-not-found": EXIT_NOT_FOUND,
  "prompt-not-found": EXIT_NOT_FOUND,
  "session-exists": 5,
  "message-conflict": 5,
  "store-unavailable": 6,
  "store-conflict": 7,
  "not-too-long": 3,
  "does-not-fit": 8,
  "summarizer-failed": 9,
  "counter-unavailable": 10,
  "file-refused": 3,
  closed: 11,
  aborted: 12,
};
