/** A folder for the files of one test file. The caller removes it. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

export interface TemporaryFolder {
  /** Returns an unused path. */
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
