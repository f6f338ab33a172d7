/** Checks every answer against the schema of its route; extra keys fail like missing ones. */
import type { Route } from "../../src/protocol/route.ts";
import { ROUTES } from "../../src/protocol/routes.ts";
import { errorSchema } from "../../src/protocol/values.ts";

const PATTERNS = Object.entries<Route>(ROUTES).map(([name, row]) => ({
  name,
  row,
  pattern: new RegExp(`^${row.path.replaceAll(".", "\\.").replaceAll(/:\w+/g, "[^/]+")}$`),
}));

export function checkAnswer(
  { method, path }: { readonly method: string; readonly path: string },
  { status, body }: { readonly status: number; readonly body: unknown },
): void {
  const [place = ""] = path.split("?");
  const found = PATTERNS.filter(({ row, pattern }) => row.method === method && pattern.test(place));
  // Literal paths win over those with parameters.
  const match = found.toSorted((left, right) => left.row.path.split(":").length - right.row.path.split(":").length)[0];
  // The route `ready` answers 503 with the same schema as 200.
  const isAnswer = status === 200 || (status === 503 && match?.name === "ready");
  const schema = isAnswer ? match?.row.response : errorSchema;
  const outcome = schema?.safeParse(body);
  if (outcome?.success === false) {
    throw new Error(
      `${method} ${place} answers ${status} with another shape than it promises: ${outcome.error.message}`,
    );
  }
}
