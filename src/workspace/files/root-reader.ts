/**
 * Opens a regular file below a root and reads a bounded part of it. The location is checked before and after opening,
 * so a file or folder that was replaced by a link in between is noticed. Pipes and devices never block.
 */
import { type BigIntStats, constants } from "node:fs";
import { type FileHandle, lstat, open, readlink, realpath } from "node:fs/promises";
import { isAbsolute, join, relative, sep } from "node:path";
import { isSecretFile } from "./secret-files.ts";

/** The reason why a file is not read. It is never thrown outside this folder. */
export class Refusal extends Error {
  override readonly name = "Refusal";
}

export interface ReadLimit {
  readonly maxBytes: number;
}

export interface FileBytes {
  readonly bytes: Uint8Array;
  readonly facts: BigIntStats;
  /** False if the file changed while it was read, so its text may mix two states. */
  readonly isWhole: boolean;
}

/** System folders that are not on a disk; shared memory is an ordinary folder. */
const SYSTEM = /^\/(?:proc|sys|dev(?!\/shm\/))\//;

/** Does not follow a link created after resolving, and does not block on a pipe. */
const FLAGS = constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0);

export class RootReader {
  readonly root: string;

  /** The root must be a real path without links. */
  constructor(root: string) {
    this.root = root;
  }

  /** Returns undefined if there is no such file. The file is open until `use` resolves. */
  async open<Result>(
    path: string,
    use: (handle: FileHandle, facts: BigIntStats) => Promise<Result>,
  ): Promise<Result | undefined> {
    const place = await this.resolve(path);
    const handle = place === undefined ? undefined : await open(place, FLAGS).catch(ignoreMissingFile);
    if (place === undefined || handle === undefined) return undefined;
    try {
      const facts = await handle.stat({ bigint: true });
      if (!facts.isFile()) throw new Refusal("it is not a regular file");
      await this.#checkPlace(place, { handle, facts });
      return await use(handle, facts);
    } finally {
      await handle.close();
    }
  }

  async resolve(path: string): Promise<string | undefined> {
    const place = await realpath(join(this.root, path)).catch(ignoreMissingFile);
    if (place !== undefined) this.#checkInside(place, path);
    return place;
  }

  #checkInside(place: string, path?: string): void {
    const inside = relative(this.root, place);
    if (inside === "" || inside === ".." || inside.startsWith(`..${sep}`) || isAbsolute(inside)) {
      throw new Refusal("it points outside the workspace");
    }
    if (inside.split(sep).some(isGitFolder)) throw new Refusal("it points into .git");
    if (sep === "/" && SYSTEM.test(place)) throw new Refusal("it is in a system folder");
    if (path === undefined) return;
    if (differsInCase(path, inside)) throw new Refusal(`its name on disk is ${inside}`);
    const isHiddenSecret = isSecretFile(inside.replaceAll(sep, "/")) && !isSecretFile(path);
    if (isHiddenSecret) throw new Refusal("it is a link to a file that may contain secrets");
  }

  /** On Linux asks where the open file is; elsewhere compares it with the file at the path. */
  async #checkPlace(place: string, { handle, facts }: { readonly handle: FileHandle; readonly facts: BigIntStats }) {
    const actual = await readlink(`/proc/self/fd/${handle.fd}`).catch(() => undefined);
    if (actual !== undefined) return this.#checkInside(actual);
    const there = await lstat(place, { bigint: true }).catch(ignoreMissingFile);
    const again = await realpath(place).catch(ignoreMissingFile);
    const isSame = there?.dev === facts.dev && there.ino === facts.ino;
    if (!isSame || again !== place) throw new Refusal("it was replaced while it was opened");
  }
}

const MAX_ATTEMPTS = 3;

/** Reads the file, and again if it changed in the meantime. */
export async function readBounded(handle: FileHandle, facts: BigIntStats, { maxBytes }: ReadLimit): Promise<FileBytes> {
  let before = facts;
  for (let tries = 1; ; tries += 1) {
    if (before.size > maxBytes) throw createTooLargeRefusal(before.size, maxBytes);
    const bytes = await readUpTo(handle, { maxBytes, size: Number(before.size) });
    const after = await handle.stat({ bigint: true });
    const isWhole = formatStamp(before) === formatStamp(after);
    if (isWhole || tries === MAX_ATTEMPTS) return { bytes, facts: after, isWhole };
    before = after;
  }
}

/** Does not trust the stated size: a file may grow, and some have no size. */
async function readUpTo(
  handle: FileHandle,
  { maxBytes, size }: { readonly maxBytes: number; readonly size: number },
): Promise<Uint8Array> {
  let buffer = Buffer.allocUnsafe(size + 1);
  let length = 0;
  for (;;) {
    const { bytesRead } = await handle.read(buffer, length, buffer.length - length, length);
    length += bytesRead;
    if (length > maxBytes) throw createTooLargeRefusal(length, maxBytes);
    if (bytesRead === 0) return buffer.subarray(0, length);
    if (length === buffer.length) buffer = Buffer.concat([buffer], Math.min(2 * length, maxBytes) + 1);
  }
}

/** Identifies a state of a file, as far as its file system's clock allows. */
export function formatStamp({ dev, ino, size, mtimeNs, ctimeNs }: BigIntStats): string {
  return `${dev} ${ino} ${size} ${mtimeNs} ${ctimeNs}`;
}

/** Returns undefined if the file does not exist, and throws a refusal with the reason otherwise. */
export function ignoreMissingFile(error: unknown): undefined {
  const code = error instanceof Error && "code" in error ? error.code : undefined;
  if (code === "ENOENT" || code === "ENOTDIR" || code === "ENAMETOOLONG" || code === "ELOOP") return undefined;
  if (code === "ENXIO" || code === "EISDIR" || code === "ENODEV") throw new Refusal("it is not a regular file");
  if (code === "EACCES" || code === "EPERM") throw new Refusal("reading it is not permitted", { cause: error });
  throw new Refusal(`it cannot be read (${String(code ?? error)})`, { cause: error });
}

function createTooLargeRefusal(size: bigint | number, maxBytes: number): Refusal {
  return new Refusal(`it has ${size} bytes, and the limit is ${maxBytes}`);
}

/** Two spellings of one path would show the file twice. */
function differsInCase(path: string, inside: string): boolean {
  const [asked, actual] = [path, inside].map((text) =>
    text
      .replaceAll("\\", "/")
      .split("/")
      .filter((name) => name !== "" && name !== ".")
      .join("/")
      .normalize("NFC"),
  );
  return asked !== actual && asked?.toLowerCase() === actual?.toLowerCase();
}

const DEVICES = /^(?:con|prn|aux|nul|com[0-9¹²³]|lpt[0-9¹²³]|conin\$|conout\$|clock\$)(?:\..*)?$/i;
const SLASHES = /[\u2044\u2215\u29f8\uff0f]/g;
const BACKSLASHES = /[\u2216\u29f5\u29f9\uff3c]/g;
const INVISIBLE = /[\u00ad\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufeff]/g;

/** Returns why a path is refused, or undefined for a plain one. */
export function findPathFault(path: string): string | undefined {
  if (path === "") return "it names no file";
  if (path.includes("\0")) return "it contains NUL";
  if (!path.isWellFormed()) return "it is not well-formed text";
  if (/^[\\/]/.test(path)) return "it is absolute";
  if (/^[a-z]:/i.test(path)) return "it names a drive";
  if (hasWayUp(path)) return 'it contains ".."';
  return path.split(/[\\/]/).map(findNameFault).find(isFault);
}

export function findNameFault(name: string): string | undefined {
  if (isGitFolder(name)) return "it points into .git";
  if (DEVICES.test(name.trim())) return "it names a device";
  if (/[. ]$/.test(name) && name !== ".") return "a name in it ends in a dot or a space";
  return name.includes(":") ? "it names a stream" : undefined;
}

/** Ignores case, because some systems do, and includes DOS short names. */
export function isGitFolder(name: string): boolean {
  return /^(?:\.git|git~\d+)$/i.test(name.replace(INVISIBLE, "").trim());
}

/** Also finds look-alike dots and slashes, which some systems may normalize. */
function hasWayUp(path: string): boolean {
  const plain = path.replace(INVISIBLE, "").normalize("NFKC").replace(SLASHES, "/").replace(BACKSLASHES, "\\");
  return [path, plain].some((text) => text.split(/[\\/]/).some((name) => name.trim() === ".."));
}

const isFault = (fault: string | undefined): boolean => fault !== undefined;
