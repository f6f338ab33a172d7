/** Creates folders for the tests of one file: a retry gets a new one, and all are removed with the file. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll } from "vitest";

/** Call it once at the top of a test file. */
export function newFolders(name: string): () => string {
  const all = mkdtempSync(join(tmpdir(), `palimpsest-${name}-`));
  afterAll(() => rmSync(all, { recursive: true, force: true }));
  return () => mkdtempSync(join(all, "try-"));
}
