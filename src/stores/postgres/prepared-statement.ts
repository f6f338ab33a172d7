/**
 * A statement with a name under which a server keeps its plan. A plan that was made for empty tables is kept until the
 * server has looked at them again, which may take minutes; so the name, and with it the plan, is renewed when the
 * statement was used eight times as often as when it was made.
 */
import { createHash } from "node:crypto";
import type { Statement } from "../sql/driver.ts";

export interface Query {
  readonly text: string;
  readonly name?: string | undefined;
  readonly values?: Statement["values"] | undefined;
}

/** Each is kept by every connection, so what comes in too many forms is not prepared. */
const STATEMENTS_KEPT = 200;

export class PreparedStatements {
  readonly #known = new Map<string, PreparedStatement>();

  prepare(statement: Statement): Query {
    const { strings, values, isPlannedAnew } = statement;
    if (isPlannedAnew === true) return unprepared(statement);
    const key = strings.join("\0");
    const known = this.#known.get(key);
    if (known === undefined && this.#known.size >= STATEMENTS_KEPT) return unprepared(statement);
    const prepared = known ?? new PreparedStatement(textOf(strings));
    this.#known.set(key, prepared);
    return { text: prepared.text, name: prepared.nextName(), values };
  }
}

export function unprepared({ strings, values }: Statement): Query {
  return { text: textOf(strings), values };
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

function textOf([first = "", ...rest]: Statement["strings"]): string {
  return rest.reduce((text, next, index) => `${text}$${index + 1}${next}`, first);
}
