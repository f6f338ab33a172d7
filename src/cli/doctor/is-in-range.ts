/** Whether a version is one that a range of our manifest allows: `^1.2.3`, or one version to the letter. */
export function isInRange(version: string, range: string): boolean {
  if (!range.startsWith("^")) return version === range;
  const [found, least] = [readVersion(version), readVersion(range.slice(1))];
  const fixed = least.findIndex((part) => part > 0);
  const keeps = least.slice(0, fixed + 1).every((part, index) => found[index] === part);
  // What comes before a release is not the release yet.
  return keeps && compare(found, least) >= 0 && !(version.includes("-") && compare(found, least) === 0);
}

function readVersion(version: string): readonly number[] {
  return (version.split(/[-+]/)[0] ?? "").split(".").map(Number);
}

function compare(left: readonly number[], right: readonly number[]): number {
  const index = left.findIndex((part, place) => part !== right[place]);
  return index === -1 ? 0 : (left[index] ?? 0) - (right[index] ?? 0);
}
