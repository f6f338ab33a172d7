const NUMBER = /^[−+$]?[\d,.]+(?: %)?$|^—$/;

/** Pads the cells of a table so that its columns line up in a terminal; numbers below a header to the right. */
export function alignColumns(rows: readonly (readonly string[])[]): readonly string[] {
  const count = Math.max(0, ...rows.map((row) => row.length));
  const widths = Array.from({ length: count }, (_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  const isNumeric = widths.map(
    (_, column) => rows.length > 1 && rows.slice(1).every((row) => NUMBER.test(row[column] ?? "")),
  );
  const pad = (cell: string, column: number) =>
    isNumeric[column] === true ? cell.padStart(widths[column] ?? 0) : cell.padEnd(widths[column] ?? 0);
  return rows.map((row) => row.map(pad).join("  ").trimEnd());
}
