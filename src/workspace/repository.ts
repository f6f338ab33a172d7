/**
 * Reads files of one folder and of nothing else. A path is spelled plainly, its links are resolved, and what is left
 * must lie inside the root; only then is it opened, and only as an ordinary file. Nothing is ever written.
 */
import { constants } from "node:fs";
import { type FileHandle, open, realpath } from "node:fs/promises";
import { isAbsolute, join, relative, sep } from "node:path";
import { PalimpsestError } from "../core/errors.ts";
import type { WorkspaceFile } from "../ports/workspace.ts";
import { decodeText } from "./decode-text.ts";
import { hashText } from "./hash-text.ts";

export interface RepositoryOptions {
  /** Larger files are refused; 2 MB without it. */
  readonly mostBytes?: number | undefined;
}

interface Read {
  readonly stamp: string;
  readonly file: WorkspaceFile;
}

const MOST_BYTES = 2 * 2 ** 20;
/** How many files are remembered by their time and size, so that an unchanged one is not read again. */
const MOST_REMEMBERED = 2_000;

export class Repository {
  readonly root: string;
  readonly #mostBytes: number;
  readonly #known = new Map<string, Read>();

  private constructor(root: string, mostBytes: number) {
    this.root = root;
    this.#mostBytes = mostBytes;
  }

  static async open(root: string, { mostBytes = MOST_BYTES }: RepositoryOptions = {}): Promise<Repository> {
    const resolved = await realpath(root).catch((cause: unknown) => {
      const text = `The workspace's root ${JSON.stringify(root)} cannot be opened. Name a folder that exists and can be read.`;
      throw new PalimpsestError("file-refused", text, { cause });
    });
    return new Repository(resolved, mostBytes);
  }

  /** Undefined where there is no such file. Fails with `file-refused` for what may not be read or is no text. */
  async findText(path: string): Promise<WorkspaceFile | undefined> {
    const place = await this.resolve(path);
    if (place === undefined) return undefined;
    // A link that is put there after it was resolved is not followed; a pipe does not hold anybody up.
    const handle = await open(place, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK).catch(absent);
    if (handle === undefined) return undefined;
    try {
      return await this.#readOnce(path, handle);
    } finally {
      await handle.close();
    }
  }

  /** The file's real place; undefined where there is none. */
  async resolve(path: string): Promise<string | undefined> {
    const why = findFault(path);
    if (why !== undefined) throw refused(path, why);
    const place = await realpath(join(this.root, path)).catch(absent);
    if (place === undefined) return undefined;
    const inside = relative(this.root, place);
    if (inside === "" || inside.startsWith(`..${sep}`) || inside === ".." || isAbsolute(inside)) {
      throw refused(path, "it leads outside of the workspace");
    }
    if (inside.split(sep).some(isGitFolder)) throw refused(path, "it leads into .git");
    return place;
  }

  async #readOnce(path: string, handle: FileHandle): Promise<WorkspaceFile> {
    const facts = await handle.stat({ bigint: true });
    if (!facts.isFile()) throw refused(path, "it is no file");
    if (facts.size > this.#mostBytes)
      throw refused(path, `it has ${facts.size} bytes, at most ${this.#mostBytes} are read`);
    const stamp = `${facts.dev} ${facts.ino} ${facts.size} ${facts.mtimeNs} ${facts.ctimeNs}`;
    const known = this.#known.get(path);
    if (known?.stamp === stamp) return known.file;
    const text = decodeText(await handle.readFile());
    if (text === undefined) throw refused(path, "it is no text");
    const file = { path, text, hash: hashText(text) };
    this.#remember(path, { stamp, file });
    return file;
  }

  #remember(path: string, read: Read): void {
    this.#known.delete(path);
    this.#known.set(path, read);
    const [oldest] = this.#known.keys();
    if (this.#known.size > MOST_REMEMBERED && oldest !== undefined) this.#known.delete(oldest);
  }
}

const DEVICES = /^(?:con|prn|aux|nul|com[0-9¹²³]|lpt[0-9¹²³]|conin\$|conout\$)(?:\..*)?$/i;

/** What is wrong with the spelling, on whichever system: a path that is harmless here may be a device elsewhere. */
function findFault(path: string): string | undefined {
  if (path === "") return "it names no file";
  if (path.includes("\0")) return "it contains NUL";
  if (/^[\\/]/.test(path)) return "it is absolute";
  if (/^[a-z]:/i.test(path)) return "it names a drive";
  const pieces = path.split(/[\\/]/);
  if (pieces.includes("..")) return 'it contains ".."';
  if (pieces.some((piece) => DEVICES.test(piece.trim()))) return "it names a device";
  if (pieces.some(isGitFolder)) return "it leads into .git";
  if (pieces.some((piece) => /[. ]$/.test(piece) && piece !== ".")) return "a name in it ends in a dot or a blank";
  return pieces.some((piece) => piece.includes(":")) ? "it names a stream" : undefined;
}

/** In any case, because some systems do not tell them apart; short names of old systems too. */
function isGitFolder(piece: string): boolean {
  return /^(?:\.git|git~\d+)$/i.test(piece.replace(/[\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufeff]/g, ""));
}

function refused(path: string, why: string): PalimpsestError {
  return new PalimpsestError(
    "file-refused",
    `The path ${JSON.stringify(path)} is refused: ${why}. Name a text file by its path below the workspace's root.`,
  );
}

function absent(error: unknown): undefined {
  const code = error instanceof Error && "code" in error ? error.code : undefined;
  if (code === "ENOENT" || code === "ENOTDIR") return undefined;
  if (code === "ELOOP" || code === "ENAMETOOLONG" || code === "ENXIO") return undefined;
  throw new PalimpsestError("file-refused", "A file of the workspace cannot be read. Check its permissions.", {
    cause: error,
  });
}
