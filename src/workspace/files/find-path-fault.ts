/**
 * Checks the spelling of a path for every operating system: a path that is harmless here may be a device or lead
 * outside elsewhere. It reads no disk; where a path leads is checked when it is opened.
 */

const DEVICES = /^(?:con|prn|aux|nul|com[0-9¹²³]|lpt[0-9¹²³]|conin\$|conout\$|clock\$)(?:\..*)?$/i;
const SLASHES = /[\u2044\u2215\u29f8\uff0f]/g;
const BACKSLASHES = /[\u2216\u29f5\u29f9\uff3c]/g;
const INVISIBLE = /[\u00ad\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufeff]/g;

/** Returns why a path is refused, or undefined for a plain one. */
export function findPathFault(path: string): string | undefined {
  if (path === "") return "it names no file";
  if (path.includes("\0")) return "it contains NUL";
  if (!path.isWellFormed()) return "it is not well-formed text";
  if (/^[\\/]/.test(path)) return "it is absolute";
  if (/^[a-z]:/i.test(path)) return "it names a drive";
  if (hasWayUp(path)) return 'it contains ".."';
  return path.split(/[\\/]/).map(findNameFault).find(isFault);
}

/** Checks one name of a path. */
export function findNameFault(name: string): string | undefined {
  if (isGitFolder(name)) return "it leads into .git";
  if (DEVICES.test(name.trim())) return "it names a device";
  if (/[. ]$/.test(name) && name !== ".") return "a name in it ends in a dot or a blank";
  return name.includes(":") ? "it names a stream" : undefined;
}

/** Ignores case, because some systems do, and includes DOS short names. */
export function isGitFolder(name: string): boolean {
  return /^(?:\.git|git~\d+)$/i.test(name.replace(INVISIBLE, "").trim());
}

/** Also finds look-alike dots and slashes, which some system may normalise. */
function hasWayUp(path: string): boolean {
  const plain = path.replace(INVISIBLE, "").normalize("NFKC").replace(SLASHES, "/").replace(BACKSLASHES, "\\");
  return [path, plain].some((text) => text.split(/[\\/]/).some((name) => name.trim() === ".."));
}

const isFault = (fault: string | undefined): boolean => fault !== undefined;
