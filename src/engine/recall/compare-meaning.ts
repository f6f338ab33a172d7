/**
 * Compares what messages mean with a query, by the vectors of an embedding model. Keeps vectors in memory for later
 * queries. If the model fails or is slow, recall compares words only.
 */
import { redactSecrets } from "../../core/summary/secrets/redact-secrets.ts";
import type { Embedder } from "../../ports/embedder.ts";
import type { CompareMeaning, EngineContext } from "../context/engine-context.ts";

const MAX_QUERY_CHARACTERS = 2_000;
/** Time limit for a comparison, because a prompt waits for it. */
const COMPARE_MS = 2_000;
/** Vectors in memory: 12 MB for a model with 1,536 dimensions. */
const MAX_VECTORS = 2_000;

type ComparisonContext = Pick<EngineContext, "sleep" | "emitter">;

export function createMeaningComparison(embedder: Embedder, { sleep, emitter }: ComparisonContext): CompareMeaning {
  const known = new Map<string, Float32Array>();
  return async (query, texts) => {
    const asked = redactSecrets(query.slice(0, MAX_QUERY_CHARACTERS)).text;
    const all = [asked, ...texts.values()];
    try {
      await embedNew(all);
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      emitter.emit("warning", { sessionId: undefined, text: `Recall compared words only: ${reason}` });
      return undefined;
    }
    const compared = [...texts].map(([id, text]) => [id, cosine(known.get(asked), known.get(text))] as const);
    forgetOldest();
    return new Map(compared);
  };

  async function embedNew(texts: readonly string[]): Promise<void> {
    const unknown = [...new Set(texts)].filter((text) => !known.has(text));
    if (unknown.length === 0) return;
    const vectors = await embedInTime(embedder, unknown, sleep);
    if (!areVectors(vectors, unknown.length)) throw new Error("The embedding model returned no vector for some texts.");
    for (const [index, text] of unknown.entries()) known.set(text, Float32Array.from(vectors[index] ?? []));
  }

  function forgetOldest(): void {
    for (const text of known.keys()) {
      if (known.size <= MAX_VECTORS) return;
      known.delete(text);
    }
  }
}

async function embedInTime(
  embedder: Embedder,
  texts: readonly string[],
  sleep: EngineContext["sleep"],
): Promise<readonly (readonly number[])[]> {
  const [calling, waiting] = [new AbortController(), new AbortController()];
  const timeout = sleep(COMPARE_MS, waiting.signal).then((): never => {
    throw new Error(`The embedding model did not answer within ${COMPARE_MS} ms.`);
  });
  try {
    return await Promise.race([embedder.embed(texts, calling.signal), timeout]);
  } finally {
    calling.abort();
    waiting.abort();
  }
}

function areVectors(vectors: readonly (readonly number[])[], count: number): boolean {
  const length = vectors[0]?.length ?? 0;
  return (
    length > 0 &&
    vectors.length === count &&
    vectors.every((each) => each.length === length && each.every(Number.isFinite))
  );
}

function cosine(left: Float32Array = new Float32Array(), right: Float32Array = new Float32Array()): number {
  let [product, leftSquares, rightSquares] = [0, 0, 0];
  for (const [index, value] of left.entries()) {
    const other = right[index] ?? 0;
    product += value * other;
    leftSquares += value * value;
    rightSquares += other * other;
  }
  const lengths = Math.sqrt(leftSquares * rightSquares);
  return lengths === 0 ? 0 : product / lengths;
}
