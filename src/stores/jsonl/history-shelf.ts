/** The workspace document's place: all sessions in `.ac-dc/history.jsonl` of a repository, images in `.ac-dc/images`. */
import { createHash } from "node:crypto";
import { join } from "node:path";
import type { SessionId } from "../../core/log/entry.ts";
import type { Blob } from "../blobs/blob.ts";
import { createFolderBlobBox, measureFolder } from "../blobs/folder-blob-box.ts";
import { type FileStamp, findStamp, syncFolder } from "./line-file.ts";
import { makeFolder } from "./make-folder.ts";
import type { Shelf, VolumeName } from "./shelf.ts";
import { Volume } from "./volume.ts";
import type { VolumeHost } from "./volume-host.ts";
import { workspaceCodec } from "./workspace-codec.ts";

const NAME = "history";
const IMAGES = "images";

export class HistoryShelf implements Shelf {
  readonly #folder: string;
  readonly #fsync: VolumeHost["fsync"];
  readonly #volume: Volume;

  constructor(folder: string, host: VolumeHost) {
    this.#folder = folder;
    this.#fsync = host.fsync;
    const blobs = createFolderBlobBox({
      folder: join(folder, IMAGES),
      syncFolder: host.fsync === "never" ? undefined : syncFolder,
      nameHash: hashDataUri,
    });
    const [path, indexPath] = [join(folder, `${NAME}.jsonl`), join(folder, NAME)];
    this.#volume = new Volume({ path, indexPath, codec: workspaceCodec, blobs, host });
  }

  nameFor(): VolumeName {
    return NAME;
  }

  async listNames(): Promise<readonly VolumeName[]> {
    return (await this.findStamp()) === undefined ? [] : [NAME];
  }

  async findStamp(): Promise<FileStamp | undefined> {
    return findStamp(this.#volume.path);
  }

  async use<Result>(_name: VolumeName, work: (volume: Volume) => Promise<Result>): Promise<Result> {
    return work(this.#volume);
  }

  async prepare(): Promise<void> {
    await makeFolder(this.#folder, this.#fsync);
  }

  /** Nothing to do: the entries stand in one file, in the order they came. */
  async loadTurns(): Promise<void> {
    return undefined;
  }

  async takeTurns(): Promise<undefined> {
    return undefined;
  }

  async removeSession(volume: Volume, id: SessionId): Promise<void> {
    await volume.rewrite((line) => (line.sessionId === id ? undefined : line));
  }

  async measureBlobs(): Promise<{ readonly count: number; readonly bytes: number }> {
    return measureFolder(join(this.#folder, IMAGES));
  }

  async close(): Promise<void> {
    await this.#volume.serial.run(() => this.#volume.close());
  }
}

/** The document names images by a hash of their data URI. */
function hashDataUri({ bytes, mediaType = "image/png" }: Blob): string {
  const base64 = Buffer.from(bytes).toString("base64");
  return createHash("sha256").update(`data:${mediaType};base64,${base64}`).digest("hex");
}
