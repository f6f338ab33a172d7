/**
 * A statement whose rows are ordinary objects. `node:sqlite` returns objects that V8 stores as hash tables: reading the
 * rows of a view from them takes twice as long as creating ordinary ones from lists of values.
 */
import type { DatabaseSync, StatementSync } from "node:sqlite";
import type { Row, SqlValue } from "../sql/driver.ts";

export class PreparedStatement {
  readonly #statement: StatementSync;
  #names: readonly string[] | undefined;

  constructor(database: DatabaseSync, text: string) {
    this.#statement = database.prepare(text);
    this.#statement.setReturnArrays(true);
  }

  all(values: readonly SqlValue[]): readonly Row[] {
    const rows = this.#statement.all(...values) as unknown as readonly (readonly SqlValue[])[];
    if (rows.length === 0) return [];
    this.#names ??= this.#statement.columns().map(({ name }) => name);
    const names = this.#names;
    return rows.map((row) => nameColumns(row, names));
  }
}

function nameColumns(values: readonly SqlValue[], names: readonly string[]): Row {
  const row: Record<string, SqlValue> = {};
  for (let index = 0; index < names.length; index += 1) row[names[index] as string] = values[index] as SqlValue;
  return row;
}
