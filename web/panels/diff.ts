/** What two lists share: the longest list of items that both have in this order, and what only one of them has. */
export interface DiffItem {
  readonly type: "same" | "went" | "came";
  /** Where it stands in the list before; of what came, where it would. */
  readonly before: number;
  readonly after: number;
}

/** In the order in which both can be read. */
export function diffLists(old: readonly string[], fresh: readonly string[]): readonly DiffItem[] {
  const common = countCommon(old, fresh);
  const items: DiffItem[] = [];
  let [before, after] = [0, 0];
  while (before < old.length || after < fresh.length) {
    const type = nextType();
    items.push({ type, before, after });
    if (type !== "came") before += 1;
    if (type !== "went") after += 1;
  }
  return items;

  function nextType(): DiffItem["type"] {
    if (before === old.length) return "came";
    if (old[before] === fresh[after]) return "same";
    return (common[before + 1]?.[after] ?? 0) >= (common[before]?.[after + 1] ?? 0) ? "went" : "came";
  }
}

/** How many items the two have in common, in order, from each place on. */
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
  readonly type: "same" | "went" | "came";
  readonly text: string;
}

export function diffLines(before: string, after: string): readonly DiffLine[] {
  const [old, fresh] = [linesOf(before), linesOf(after)];
  return diffLists(old, fresh).map(({ type, before: left, after: right }) => ({
    type,
    text: (type === "came" ? fresh[right] : old[left]) ?? "",
  }));
}

function linesOf(text: string): readonly string[] {
  return text === "" ? [] : text.split("\n");
}
