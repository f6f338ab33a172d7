/** Texts for people in the terminal: counts, store addresses, reasons for failures, escaped control characters. */
import type { NotCompacted } from "../../engine/compaction/manual-compaction.ts";

const REASONS: Readonly<Record<string, string>> = {
  ENOENT: "there is no such file or folder",
  ENOTDIR: "a part of its path is not a folder",
  EISDIR: "it is a folder",
  EACCES: "it is not permitted",
  EPERM: "it is not permitted",
  EROFS: "the disk is read-only",
  ENOSPC: "the disk is full",
};

export function explainError(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const code = "code" in error && typeof error.code === "string" ? error.code : "";
  return Object.hasOwn(REASONS, code) ? `${REASONS[code]} (${code})` : error.message;
}

export function isSystemError(error: unknown): boolean {
  return error instanceof Error && "syscall" in error;
}

export function describeCount(count: number, one: string, many: string): string {
  return `${count} ${count === 1 ? one : many}`;
}

/** Leaves out the user and the password of an address. */
export function hideCredentials(store: string): string {
  const url = /^postgres(?:ql)?:/.test(store) ? URL.parse(store) : null;
  return url === null ? store : `${url.protocol}//${url.host}${url.pathname}`;
}

type Outcome = Exclude<NotCompacted, { type: "nothing-to-compact" }> | { type: "nothing-to-compact"; reason: string };

export function describeNotCompacted(outcome: Outcome): string {
  switch (outcome.type) {
    case "nothing-to-compact":
      return `nothing to compact. ${outcome.reason}`;
    case "stale":
      return "the session changed at the same time, so nothing was written. Try again.";
    case "busy":
      return "another compaction of this session is running, so nothing was written. Try again later.";
    case "aborted":
      return "the compaction was aborted, so nothing was written.";
    default:
      return outcome satisfies never;
  }
}

const CONTROLS = /[\p{Cc}\u2028\u2029\u202A-\u202E\u2066-\u2069]/gu;

/** Shows control characters, and those that reverse the reading order, as JSON escapes. */
export function escapeControls(text: string): string {
  return text.replaceAll(CONTROLS, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`);
}
