/** Reads what a request says about its model and tools, so that the prompt is sized for them. */
import { isObject } from "../../core/check-value.ts";
import { loadToolConversion } from "./load-langchain.ts";

export interface ModelFacts {
  readonly id: string | undefined;
  readonly maxTokens: number | undefined;
  /** Whether the model has LangChain's setting `cache_control`, which marks the newest message. */
  readonly takesCacheControl: boolean;
}

/** Reads the fields of chat models, and those of models that `initChatModel` configures later. */
export function describeModel(model: object): ModelFacts {
  const fields: Readonly<Record<string, unknown>> = { ...model };
  const later = isObject(fields._defaultConfig) ? fields._defaultConfig : {};
  const texts = [fields.model, fields.modelName, later.model];
  const id = texts.find((value): value is string => typeof value === "string" && value !== "");
  const limit = fields.maxTokens ?? later.maxTokens;
  const maxTokens = typeof limit === "number" && Number.isInteger(limit) && limit > 0 ? limit : undefined;
  const takesCacheControl = nameOf(model) === "ChatAnthropic" || later.modelProvider === "anthropic";
  return { id, maxTokens, takesCacheControl };
}

function nameOf(model: object): unknown {
  return "getName" in model && typeof model.getName === "function" ? model.getName() : undefined;
}

/** Returns tools as the model sees them. A provider's own tools are plain objects already. */
export async function describeTools(tools: readonly object[]): Promise<readonly object[]> {
  const { convertToOpenAITool, isLangChainTool } = await loadToolConversion();
  return tools.map((tool) => (isLangChainTool(tool) ? convertToOpenAITool(tool) : tool));
}
