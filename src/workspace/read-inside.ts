/**
 * Opens an ordinary file below a root and reads a bounded part of it. The place is resolved first, and after opening it
 * is asked again where the open file lies: a folder or a file that was exchanged for a link in between is noticed
 * before a byte is read. Nothing is ever written, and no pipe, socket or device holds anybody up.
 */
import { type BigIntStats, constants } from "node:fs";
import { type FileHandle, lstat, open, readlink, realpath } from "node:fs/promises";
import { isAbsolute, join, relative, sep } from "node:path";
import { isGitFolder } from "./find-path-fault.ts";

/** Why a file is not read. It never leaves this room. */
export class Refusal extends Error {
  override readonly name = "Refusal";
}

export interface ReadOptions {
  readonly mostBytes: number;
}

export interface ReadBytes {
  readonly bytes: Uint8Array;
  readonly facts: BigIntStats;
  /** False where it was changed while it was read, so that nobody can tell which text this is. */
  readonly isWhole: boolean;
}

/** Folders that are no disk. The one in memory is an ordinary folder all the same. */
const SYSTEM = /^\/(?:proc|sys|dev(?!\/shm\/))\//;

/** A link that is put there after it was resolved is not followed; a pipe does not hold anybody up. */
const FLAGS = constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0);

export class InsideReader {
  readonly root: string;

  /** The root is a real path: no link is in it. */
  constructor(root: string) {
    this.root = root;
  }

  /** Undefined where there is no such file. `use` has the open file until it answers. */
  async open<Result>(
    path: string,
    use: (handle: FileHandle, facts: BigIntStats) => Promise<Result>,
  ): Promise<Result | undefined> {
    const place = await this.resolve(path);
    const handle = place === undefined ? undefined : await open(place, FLAGS).catch(absent);
    if (place === undefined || handle === undefined) return undefined;
    try {
      const facts = await handle.stat({ bigint: true });
      if (!facts.isFile()) throw new Refusal("it is no file");
      await this.#checkPlace(place, { handle, facts });
      return await use(handle, facts);
    } finally {
      await handle.close();
    }
  }

  /** The file's real place; undefined where there is none. */
  async resolve(path: string): Promise<string | undefined> {
    const place = await realpath(join(this.root, path)).catch(absent);
    if (place !== undefined) this.#checkInside(place, path);
    return place;
  }

  #checkInside(place: string, path?: string): void {
    const inside = relative(this.root, place);
    if (inside === "" || inside === ".." || inside.startsWith(`..${sep}`) || isAbsolute(inside)) {
      throw new Refusal("it leads outside of the workspace");
    }
    if (inside.split(sep).some(isGitFolder)) throw new Refusal("it leads into .git");
    if (sep === "/" && SYSTEM.test(place)) throw new Refusal("it is the system's, not a file");
    if (path !== undefined && differsInCase(path, inside)) throw new Refusal(`on the disk it is ${inside}`);
  }

  /** Linux says where an open file lies; elsewhere the file that lies there must be the one that is open. */
  async #checkPlace(place: string, { handle, facts }: { readonly handle: FileHandle; readonly facts: BigIntStats }) {
    const actual = await readlink(`/proc/self/fd/${handle.fd}`).catch(() => undefined);
    if (actual !== undefined) return this.#checkInside(actual);
    const there = await lstat(place, { bigint: true }).catch(absent);
    const again = await realpath(place).catch(absent);
    const isSame = there?.dev === facts.dev && there.ino === facts.ino;
    if (!isSame || again !== place) throw new Refusal("it was exchanged while it was opened");
  }
}

const TIMES_TRIED = 3;

/** Tries again when the file was changed meanwhile. */
export async function readBounded(
  handle: FileHandle,
  facts: BigIntStats,
  { mostBytes }: ReadOptions,
): Promise<ReadBytes> {
  let before = facts;
  for (let tries = 1; ; tries += 1) {
    if (before.size > mostBytes) throw tooLarge(before.size, mostBytes);
    const bytes = await readUpTo(handle, { mostBytes, size: Number(before.size) });
    const after = await handle.stat({ bigint: true });
    const isWhole = stampOf(before) === stampOf(after);
    if (isWhole || tries === TIMES_TRIED) return { bytes, facts: after, isWhole };
    before = after;
  }
}

/** What its facts say of its size is not believed: a file may grow, and some have no size. */
async function readUpTo(
  handle: FileHandle,
  { mostBytes, size }: { readonly mostBytes: number; readonly size: number },
): Promise<Uint8Array> {
  let buffer = Buffer.allocUnsafe(size + 1);
  let length = 0;
  for (;;) {
    const { bytesRead } = await handle.read(buffer, length, buffer.length - length, length);
    length += bytesRead;
    if (length > mostBytes) throw tooLarge(length, mostBytes);
    if (bytesRead === 0) return buffer.subarray(0, length);
    if (length === buffer.length) buffer = Buffer.concat([buffer], Math.min(2 * length, mostBytes) + 1);
  }
}

/** Tells two states of a file apart, as far as the clock of its disk can. */
export function stampOf({ dev, ino, size, mtimeNs, ctimeNs }: BigIntStats): string {
  return `${dev} ${ino} ${size} ${mtimeNs} ${ctimeNs}`;
}

/** Undefined where nothing is there; a refusal that says why for everything else. */
export function absent(error: unknown): undefined {
  const code = error instanceof Error && "code" in error ? error.code : undefined;
  if (code === "ENOENT" || code === "ENOTDIR" || code === "ENAMETOOLONG" || code === "ELOOP") return undefined;
  if (code === "ENXIO" || code === "EISDIR" || code === "ENODEV") throw new Refusal("it is no file");
  if (code === "EACCES" || code === "EPERM") throw new Refusal("it may not be read", { cause: error });
  throw new Refusal(`it cannot be read (${String(code ?? error)})`, { cause: error });
}

function tooLarge(size: bigint | number, mostBytes: number): Refusal {
  return new Refusal(`it has ${size} bytes, at most ${mostBytes} are read`);
}

/** Two spellings of one file would show it twice. */
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
