/** Folders for the tests of one file: a second try of a test finds nothing of the first, and all are gone with the file. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll } from "vitest";

/** Called once, where the file begins. */
export function newFolders(name: string): () => string {
  const all = mkdtempSync(join(tmpdir(), `palimpsest-${name}-`));
  afterAll(() => rmSync(all, { recursive: true, force: true }));
  return () => mkdtempSync(join(all, "try-"));
}
