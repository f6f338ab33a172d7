/** Makes a folder and those above it that are missing, each of them durable in the one above. */
import { mkdir } from "node:fs/promises";
import { dirname, resolve } from "node:path";
import { PRIVATE_FOLDER } from "../shared/private-mode.ts";
import { type FsyncPolicy, syncFolder } from "./line-file.ts";
import { onMedium } from "./medium-error.ts";

export async function makeFolder(path: string, fsync: FsyncPolicy): Promise<void> {
  await onMedium({ verb: "create", path }, async () => {
    const first = await mkdir(path, { recursive: true, mode: PRIVATE_FOLDER });
    if (first === undefined || fsync === "never") return;
    const top = dirname(resolve(first));
    for (let above = dirname(resolve(path)); above.length >= top.length; above = dirname(above)) {
      await syncFolder(above);
      if (above === top) return;
    }
  });
}
