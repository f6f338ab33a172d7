/** Translates failures of the file system into errors with advice. Other errors stay unchanged. */
import { FULL_ADVICE, PalimpsestError } from "../../core/errors.ts";
import { type FailureReason, findRetryable } from "../shared/failure-reasons.ts";

interface FileOperation {
  /** Such as `write to`. */
  readonly verb: string;
  readonly path: string;
}

const KNOWN: Readonly<Record<string, readonly [FailureReason, advice: string]>> = {
  ENOSPC: ["disk-full", `the disk is full. ${FULL_ADVICE}`],
  EDQUOT: ["disk-full", `the quota is used up: raise it. ${FULL_ADVICE}`],
  EROFS: ["read-only", "the file system is read-only: mount it for writing or choose another folder"],
  EACCES: ["permission", "permission is denied: give this user access, or choose another folder"],
  EPERM: ["permission", "permission is denied: give this user access, or choose another folder"],
  ENOENT: ["missing-file", "the file is missing: put it back, or restore a backup"],
  ENOTDIR: ["something-else-there", "a file has the name of a folder: keep it, and choose another folder"],
  EEXIST: ["something-else-there", "something else has its name: keep it, and choose another folder"],
  EISDIR: ["something-else-there", "a folder has the name of a file: keep it, and choose another folder"],
  EMFILE: ["too-many-files", "too many files are open: raise the limit or close some"],
  ENFILE: ["too-many-files", "too many files are open: raise the limit or close some"],
  EIO: ["medium", "the disk reports an error: check it before trying again"],
  EFBIG: ["too-large", "the file has become larger than the file system or a limit allows: raise the limit"],
};

export async function withMediumErrors<Result>(operation: FileOperation, work: () => Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    throw mediumError(operation, error);
  }
}

export function mediumError({ verb, path }: FileOperation, error: unknown): unknown {
  const code = errorCode(error);
  if (code === undefined) return error;
  const [reason, advice] = KNOWN[code] ?? [undefined, `the system reports ${code}: try again later`];
  return new PalimpsestError("store-unavailable", `Cannot ${verb} ${path}: ${advice}.`, {
    cause: error,
    details: { path, code, reason },
    retryable: findRetryable(reason),
  });
}

/** Returns the error for a file that was removed while it was in use. */
export function removedError(operation: FileOperation): unknown {
  return mediumError(operation, Object.assign(new Error("The file was removed."), { code: "ENOENT", syscall: "stat" }));
}

/** Returns the system's name of a failure, such as ENOSPC; undefined for other errors. */
export function errorCode(error: unknown): string | undefined {
  if (!(error instanceof Error) || error instanceof PalimpsestError) return undefined;
  return "code" in error && "syscall" in error && typeof error.code === "string" ? error.code : undefined;
}
