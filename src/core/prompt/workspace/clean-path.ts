/** Normalizes the spelling of workspace paths. Whether a path may be read is decided when files are read. */
import { PalimpsestError } from "../../errors.ts";

export function cleanPath(path: string): string {
  if (path.includes("..")) throw createRefusal(path, 'it contains ".."');
  if (path.includes("\0")) throw createRefusal(path, "it contains NUL");
  const cleaned = path
    .replaceAll("\\", "/")
    .split("/")
    .filter((piece) => piece !== "" && piece !== ".")
    .join("/");
  if (cleaned === "") throw createRefusal(path, "it names no file");
  return cleaned;
}

function createRefusal(path: string, why: string): PalimpsestError {
  return new PalimpsestError(
    "file-refused",
    `The path ${JSON.stringify(path)} is refused: ${why}. Name a text file by its path below the workspace's root.`,
  );
}
