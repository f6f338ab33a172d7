/** Why a file could not be used, in words, where the system's code is one that people meet. */
const REASONS: Readonly<Record<string, string>> = {
  ENOENT: "there is no such file or folder",
  ENOTDIR: "a part of its path is no folder",
  EISDIR: "it is a folder",
  EACCES: "it is not permitted",
  EPERM: "it is not permitted",
  EROFS: "the disk can only be read",
  ENOSPC: "the disk is full",
};

export function describeFailure(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const code = "code" in error && typeof error.code === "string" ? error.code : "";
  return Object.hasOwn(REASONS, code) ? `${REASONS[code]} (${code})` : error.message;
}

export function isSystemError(error: unknown): boolean {
  return error instanceof Error && "syscall" in error;
}
