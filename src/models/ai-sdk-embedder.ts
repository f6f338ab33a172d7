/** Adapts an embedding model of the AI SDK. `ai` is loaded with the first text; the caller retries or gives up. */
import type { EmbeddingModel } from "ai";
import type { Embedder } from "../ports/embedder.ts";
import { loadAiSdk } from "./ask-ai-sdk.ts";

export function isEmbeddingModel(value: unknown): value is Exclude<EmbeddingModel, string> {
  if (typeof value !== "object" || value === null) return false;
  return "modelId" in value && typeof value.modelId === "string" && "doEmbed" in value;
}

export function createAiSdkEmbedder(model: EmbeddingModel): Embedder {
  return {
    async embed(texts, abortSignal) {
      const { embedMany } = await loadAiSdk();
      const { embeddings } = await embedMany({ model, values: [...texts], abortSignal, maxRetries: 0 });
      return embeddings;
    },
  };
}
