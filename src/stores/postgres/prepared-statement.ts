/** Names prepared statements. The name changes with the number of uses, to replace a plan made for empty tables. */
import { createHash } from "node:crypto";
import type { Statement } from "../sql/driver.ts";

export interface Query {
  readonly text: string;
  readonly name?: string | undefined;
  readonly values?: Statement["values"] | undefined;
}

/** Limit on prepared statements, because every connection keeps each of them. */
const STATEMENTS_KEPT = 200;

export class PreparedStatements {
  readonly #known = new Map<string, PreparedStatement>();

  prepare(statement: Statement): Query {
    const { strings, values, isPlannedPerCall } = statement;
    if (isPlannedPerCall === true) return toPlainQuery(statement);
    const key = strings.join("\0");
    const known = this.#known.get(key);
    if (known === undefined && this.#known.size >= STATEMENTS_KEPT) return toPlainQuery(statement);
    const prepared = known ?? new PreparedStatement(numberParameters(strings));
    this.#known.set(key, prepared);
    return { text: prepared.text, name: prepared.nextName(), values };
  }
}

export function toPlainQuery({ strings, values }: Statement): Query {
  return { text: numberParameters(strings), values };
}

class PreparedStatement {
  readonly text: string;
  readonly #hash: string;
  #uses = 0;

  constructor(text: string) {
    this.text = text;
    this.#hash = createHash("sha256").update(text).digest("hex").slice(0, 24);
  }

  nextName(): string {
    this.#uses += 1;
    return `palimpsest_${this.#hash}_${this.#uses.toString(8).length}`;
  }
}

function numberParameters([first = "", ...rest]: Statement["strings"]): string {
  return rest.reduce((text, next, index) => `${text}$${index + 1}${next}`, first);
}
