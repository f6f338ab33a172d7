/**
 * The index beside a file of lines, so that a long file opens without being read: a small text with what is known of
 * each session, and a file of columns that says where each entry stands. It is never more than a shortcut: it counts
 * only as far as it agrees with the file, can be deleted at any time, and is made again from the file.
 */
import { open, readFile, rename, unlink, writeFile } from "node:fs/promises";
import type { JsonObject } from "../../core/message/json.ts";
import { PRIVATE_FILE } from "../shared/private-mode.ts";
import type { ReadIndex } from "./entry-columns.ts";
import { decodeLine, encodeBatch } from "./line.ts";
import { errorCode } from "./medium-error.ts";
import type { Place, SessionState } from "./session-index.ts";

/** Another number is another layout, and is made again. */
const LAYOUT = 2;

export interface IndexState {
  readonly layout: number;
  /** Up to here the file of lines is known. */
  readonly end: number;
  /** The line that ends there, and the hash of its id: it must still stand in the file. */
  readonly last: Place & { readonly idHash: number };
  /** How much of the file of columns is in use. */
  readonly columnBytes: number;
  readonly holes: readonly Place[];
  readonly sessions: readonly SessionState[];
}

export class VolumeIndex {
  readonly #columnsPath: string;
  readonly #statePath: string;

  /** `path` without an extension. */
  constructor(path: string) {
    this.#columnsPath = `${path}.index`;
    this.#statePath = `${path}.index.json`;
  }

  readonly read: ReadIndex = async (at, bytes) => {
    const handle = await open(this.#columnsPath, "r").catch(orMissing);
    if (handle === undefined) return Buffer.alloc(0);
    try {
      const { buffer, bytesRead } = await handle.read(Buffer.allocUnsafe(bytes), 0, bytes, at);
      return buffer.subarray(0, bytesRead);
    } finally {
      await handle.close();
    }
  };

  /** Undefined where there is none that can be used; `wrong` where one was there. */
  async load(): Promise<IndexState | "wrong" | undefined> {
    const bytes = await readFile(this.#statePath).catch(orMissing);
    if (bytes === undefined) return undefined;
    const decoded = decodeLine(bytes.subarray(0, -1));
    if (typeof decoded === "string" || !decoded.hasSum) return "wrong";
    return isState(decoded.value) ? decoded.value : "wrong";
  }

  /** Columns first: a crash in between leaves the state that does not know of them. */
  async save(state: Omit<IndexState, "layout">, { columns, at }: { readonly columns: Buffer; readonly at: number }) {
    if (columns.length > 0) {
      const handle = await open(this.#columnsPath, at === 0 ? "w" : "r+", PRIVATE_FILE);
      try {
        await handle.write(columns, 0, columns.length, at);
      } finally {
        await handle.close();
      }
    }
    const [line] = encodeBatch([{ ...state, layout: LAYOUT } as unknown as JsonObject]);
    const temporary = `${this.#statePath}.new`;
    await writeFile(temporary, line ?? "", { mode: PRIVATE_FILE });
    await rename(temporary, this.#statePath);
  }

  async remove(): Promise<void> {
    await removeFile(this.#statePath);
    await removeFile(this.#columnsPath);
  }
}

export async function removeFile(path: string): Promise<void> {
  await unlink(path).catch(orMissing);
}

/** An index that is not there or cannot be read is as good as none. */
function orMissing(error: unknown): undefined {
  if (errorCode(error) === undefined) throw error;
}

/** The checksum vouches for what is deeper inside. */
function isState(value: unknown): value is IndexState {
  return typeof value === "object" && value !== null && "layout" in value && value.layout === LAYOUT;
}
