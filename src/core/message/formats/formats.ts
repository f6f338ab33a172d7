import { PalimpsestError } from "../../errors.ts";
import { aiSdkModelFormat } from "./ai-sdk-model.ts";
import { aiSdkUiFormat } from "./ai-sdk-ui.ts";
import { anthropicFormat } from "./anthropic.ts";
import { FORMAT_NAMES, type Format, type FormatName } from "./format.ts";
import { geminiFormat } from "./gemini.ts";
import { langChainFormat } from "./langchain.ts";
import { openAiAgentsFormat } from "./openai-agents.ts";
import { openAiChatFormat } from "./openai-chat.ts";
import { openAiResponsesFormat } from "./openai-responses.ts";
import { palimpsestFormat } from "./palimpsest.ts";

/** All formats of messages by name, with the functions that decode and encode them. */
export const FORMATS: Readonly<Record<FormatName, Format>> = {
  "ai-sdk-model": aiSdkModelFormat,
  "ai-sdk-ui": aiSdkUiFormat,
  "openai-chat": openAiChatFormat,
  "openai-responses": openAiResponsesFormat,
  "openai-agents": openAiAgentsFormat,
  anthropic: anthropicFormat,
  gemini: geminiFormat,
  langchain: langChainFormat,
  palimpsest: palimpsestFormat,
};

export function requireFormat(name: string): Format {
  const known = FORMAT_NAMES.find((candidate) => candidate === name);
  if (known === undefined) {
    const text = `format: expected one of ${FORMAT_NAMES.join(", ")}, found ${JSON.stringify(name.slice(0, 32))}.`;
    throw new PalimpsestError("config-invalid", text, { details: { key: "format" } });
  }
  return FORMATS[known];
}
