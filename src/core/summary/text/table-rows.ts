/**
 * Reads the rows of a Markdown table one by one. Once the line under the header has been seen, each cell is told with
 * the name of its column, so that a row says by itself what it says in its table.
 */
export interface TableState {
  /** Of the row before, until it is known whether it was a header. */
  cells?: readonly string[] | undefined;
  header?: readonly string[] | undefined;
}

export function isTableRow(trimmed: string): boolean {
  return trimmed.startsWith("|");
}

export function endTable(state: TableState): void {
  state.cells = undefined;
  state.header = undefined;
}

/** One text for a row, none for the line under a header. */
export function readRow(trimmed: string, state: TableState): readonly string[] {
  const cells = trimmed
    .replace(/^\|/, "")
    .replace(/\|$/, "")
    .split("|")
    .map((cell) => cell.trim());
  if (cells.every((cell) => UNDERLINE.test(cell))) {
    if (state.header === undefined) state.header = state.cells;
    return [];
  }
  state.cells = cells;
  const { header = [] } = state;
  const named = cells.flatMap((cell, column) => (cell === "" ? [] : [nameCell(cell, header[column])]));
  return named.length === 0 ? [] : [named.join(header.length === 0 ? " | " : "; ")];
}

const UNDERLINE = /^:?-{1,200}:?$/;

function nameCell(cell: string, name = ""): string {
  return name === "" || name === cell ? cell : `${name}: ${cell}`;
}
