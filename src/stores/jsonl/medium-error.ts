/**
 * What a disk says, told to somebody who can do something about it. Only failures of the medium are translated;
 * mistakes of this program go on as they are.
 */
import { PalimpsestError } from "../../core/errors.ts";
import { type FailureReason, findRetryable } from "../shared/failure-reasons.ts";

interface Doing {
  /** Such as `write to`. */
  readonly verb: string;
  readonly path: string;
}

const KNOWN: Readonly<Record<string, readonly [FailureReason, advice: string]>> = {
  ENOSPC: ["disk-full", "the disk is full: free some space, then try again"],
  EDQUOT: ["disk-full", "the quota is used up: free some space or raise it, then try again"],
  EROFS: ["read-only", "the file system is read-only: mount it for writing or choose another folder"],
  EACCES: ["permission", "permission is denied: give this user access, or choose another folder"],
  EPERM: ["permission", "permission is denied: give this user access, or choose another folder"],
  ENOENT: ["missing-file", "it is not there any more: put it back, or delete the session"],
  ENOTDIR: ["something-else-there", "a file stands where a folder is needed: move it, or choose another folder"],
  EEXIST: ["something-else-there", "something else stands in its place: move it, or choose another folder"],
  EISDIR: ["something-else-there", "a folder stands where a file is needed: move it, or choose another folder"],
  EMFILE: ["too-many-files", "too many files are open: raise the limit or close some"],
  ENFILE: ["too-many-files", "too many files are open: raise the limit or close some"],
  EIO: ["medium", "the disk reports an error: check it before trying again"],
  EFBIG: ["too-large", "the file has become larger than the file system or a limit allows: raise it"],
};

export async function onMedium<Result>(doing: Doing, work: () => Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    throw mediumError(doing, error);
  }
}

export function mediumError({ verb, path }: Doing, error: unknown): unknown {
  const code = errorCode(error);
  if (code === undefined) return error;
  const [reason, advice] = KNOWN[code] ?? [undefined, `the system says ${code}: try again when that is over`];
  return new PalimpsestError("store-unavailable", `Cannot ${verb} ${path}: ${advice}.`, {
    cause: error,
    details: { path, code, reason },
    retryable: findRetryable(reason),
  });
}

/** For a file that was there and is not any more. */
export function removedError(doing: Doing): unknown {
  return mediumError(doing, Object.assign(new Error("The file was removed."), { code: "ENOENT", syscall: "stat" }));
}

/** The system's name of a failure, such as ENOSPC; undefined for what did not come from the system. */
export function errorCode(error: unknown): string | undefined {
  if (!(error instanceof Error) || error instanceof PalimpsestError) return undefined;
  return "code" in error && "syscall" in error && typeof error.code === "string" ? error.code : undefined;
}
