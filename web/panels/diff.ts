/** Differences between two lists, and between two texts line by line. */
export interface DiffItem {
  readonly type: "same" | "removed" | "added";
  /** Index in the old list; for an added item, where it would be. */
  readonly before: number;
  readonly after: number;
}

/** Compares two lists by their longest common subsequence. */
export function diffLists(old: readonly string[], fresh: readonly string[]): readonly DiffItem[] {
  const common = countCommon(old, fresh);
  const items: DiffItem[] = [];
  let [before, after] = [0, 0];
  while (before < old.length || after < fresh.length) {
    const type = nextType();
    items.push({ type, before, after });
    if (type !== "added") before += 1;
    if (type !== "removed") after += 1;
  }
  return items;

  function nextType(): DiffItem["type"] {
    if (before === old.length) return "added";
    if (old[before] === fresh[after]) return "same";
    return (common[before + 1]?.[after] ?? 0) >= (common[before]?.[after + 1] ?? 0) ? "removed" : "added";
  }
}

/** Returns the length of the longest common subsequence after each pair of positions. */
function countCommon(old: readonly string[], fresh: readonly string[]): readonly Uint16Array[] {
  const rows = Array.from({ length: old.length + 1 }, () => new Uint16Array(fresh.length + 1));
  for (let left = old.length - 1; left >= 0; left -= 1) {
    const [row, below] = [rows[left], rows[left + 1]];
    if (row === undefined || below === undefined) continue;
    for (let right = fresh.length - 1; right >= 0; right -= 1) {
      const isSame = old[left] === fresh[right];
      row[right] = isSame ? (below[right + 1] ?? 0) + 1 : Math.max(below[right] ?? 0, row[right + 1] ?? 0);
    }
  }
  return rows;
}

export interface DiffLine {
  readonly type: DiffItem["type"];
  readonly text: string;
}

export function diffLines(before: string, after: string): readonly DiffLine[] {
  const [old, fresh] = [splitLines(before), splitLines(after)];
  return diffLists(old, fresh).map(({ type, before: left, after: right }) => ({
    type,
    text: (type === "added" ? fresh[right] : old[left]) ?? "",
  }));
}

function splitLines(text: string): readonly string[] {
  return text === "" ? [] : text.split("\n");
}
