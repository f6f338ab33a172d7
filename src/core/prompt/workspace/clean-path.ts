/** Normalizes workspace paths. Access is checked when files are read. */
import { PalimpsestError } from "../../errors.ts";

export function cleanPath(path: string): string {
  if (path.includes("..")) throw createPathRefusal(path, 'it contains ".."');
  if (path.includes("\0")) throw createPathRefusal(path, "it contains NUL");
  const cleaned = path
    .replaceAll("\\", "/")
    .split("/")
    .filter((piece) => piece !== "" && piece !== ".")
    .join("/");
  if (cleaned === "") throw createPathRefusal(path, "it names no file");
  return cleaned;
}

export function createPathRefusal(path: string, why: string, cause?: unknown): PalimpsestError {
  const text = `The path ${JSON.stringify(path)} is refused: ${why}. Give the path of a text file, relative to the workspace's root.`;
  return new PalimpsestError("file-refused", text, { cause });
}
