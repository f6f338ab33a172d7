/** A folder for the files of one test file. Whoever asks for it removes it. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

export interface TemporaryFolder {
  /** A path that nothing has used yet. */
  newPath(): string;
  remove(): void;
}

export function temporaryFolder(): TemporaryFolder {
  const folder = mkdtempSync(join(tmpdir(), "palimpsest-store-"));
  let made = 0;
  return {
    newPath: () => {
      made += 1;
      return join(folder, `chats-${made}.db`);
    },
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
}
