/** What of the conversation is on the screen, and the row that keeps the reader's place when others are loaded. */
export interface Seen {
  readonly firstSeq: number;
  readonly lastSeq: number;
  readonly anchor: { readonly seq: string; readonly top: number } | undefined;
}

export function readVisible(frame: HTMLElement): Seen {
  const { top, bottom } = frame.getBoundingClientRect();
  const rows = frame.querySelectorAll<HTMLElement>("[data-seq]");
  const first = findFirst(rows, (row) => row.getBoundingClientRect().bottom > top);
  const after = findFirst(rows, (row) => row.getBoundingClientRect().top >= bottom);
  const [from, to] = [rows[first], rows[Math.max(first, after - 1)]];
  if (from === undefined || to === undefined) return { firstSeq: 0, lastSeq: 0, anchor: undefined };
  return {
    firstSeq: Number(from.dataset.seq),
    lastSeq: Number(to.dataset.lastSeq),
    anchor: { seq: from.dataset.seq ?? "", top: from.getBoundingClientRect().top },
  };
}

/** Rows lie in order, so that few have to be measured. */
function findFirst(rows: NodeListOf<HTMLElement>, holds: (row: HTMLElement) => boolean): number {
  let [low, high] = [0, rows.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    const row = rows[middle];
    if (row !== undefined && holds(row)) high = middle;
    else low = middle + 1;
  }
  return low;
}
