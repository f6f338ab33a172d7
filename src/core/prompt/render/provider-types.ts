/**
 * The requests that prompts are rendered to, as types of our own, so that no provider's package is imported. They are
 * assignable to the parameters of the official packages; `test/integrations/provider-types.test.ts` compiles that.
 * Blocks of newer kinds, which are kept unchanged, are not listed.
 */
import type { JsonObject } from "../../message/json.ts";

type OpenAiMark = { prompt_cache_breakpoint?: { mode: "explicit" } };

export type OpenAiText = { type: "text"; text: string } & OpenAiMark;
type OpenAiImage = {
  type: "image_url";
  image_url: { url: string; detail?: "auto" | "low" | "high" | "original" };
} & OpenAiMark;
type OpenAiAudio = { type: "input_audio"; input_audio: { data: string; format: "wav" | "mp3" } } & OpenAiMark;
type OpenAiFile = { type: "file"; file: { file_data?: string; file_id?: string; filename?: string } } & OpenAiMark;
type OpenAiCall =
  | { type: "function"; id: string; function: { name: string; arguments: string } }
  | { type: "custom"; id: string; custom: { name: string; input: string } };

/** A message of OpenAI's chat completions. */
export type OpenAiMessage =
  | { role: "system" | "developer"; content: string | OpenAiText[]; name?: string }
  | { role: "user"; content: string | (OpenAiText | OpenAiImage | OpenAiAudio | OpenAiFile)[]; name?: string }
  | {
      role: "assistant";
      content?: string | (OpenAiText | { type: "refusal"; refusal: string })[] | null;
      refusal?: string | null;
      tool_calls?: OpenAiCall[];
      name?: string;
    }
  | { role: "tool"; content: string | OpenAiText[]; tool_call_id: string };

type InputText = { type: "input_text"; text: string } & OpenAiMark;
type InputImage = {
  type: "input_image";
  detail: "auto" | "low" | "high";
  image_url?: string | null;
  file_id?: string | null;
} & OpenAiMark;
type InputFile = {
  type: "input_file";
  file_data?: string;
  file_id?: string | null;
  file_url?: string;
  filename?: string;
} & OpenAiMark;
type InputContent = InputText | InputImage | InputFile;

/** An item of OpenAI's Responses API. */
export type OpenAiInputItem =
  | { type?: "message"; role: "user" | "assistant" | "system" | "developer"; content: string | InputContent[] }
  | {
      type: "reasoning";
      id: string;
      summary: { type: "summary_text"; text: string }[];
      encrypted_content?: string | null;
    }
  | { type: "function_call"; call_id: string; name: string; arguments: string }
  | { type: "function_call_output"; call_id: string; output: string | InputContent[] };

type CacheControl = { cache_control?: { type: "ephemeral" } };

export type AnthropicText = { type: "text"; text: string } & CacheControl;
type AnthropicImageType = "image/jpeg" | "image/png" | "image/gif" | "image/webp";
type AnthropicImage = {
  type: "image";
  source: { type: "base64"; media_type: AnthropicImageType; data: string } | { type: "url"; url: string };
} & CacheControl;
type AnthropicDocument = {
  type: "document";
  source:
    | { type: "base64"; media_type: "application/pdf"; data: string }
    | { type: "text"; media_type: "text/plain"; data: string }
    | { type: "url"; url: string };
  title?: string | null;
} & CacheControl;

/** A content block of Anthropic's Messages API. */
export type AnthropicBlock =
  | AnthropicText
  | AnthropicImage
  | AnthropicDocument
  | { type: "thinking"; thinking: string; signature: string }
  | { type: "redacted_thinking"; data: string }
  | ({ type: "tool_use"; id: string; name: string; input: JsonObject } & CacheControl)
  | ({
      type: "tool_result";
      tool_use_id: string;
      content?: string | (AnthropicText | AnthropicImage | AnthropicDocument)[];
      is_error?: boolean;
    } & CacheControl);

/** A message of Anthropic's Messages API. */
export type AnthropicMessage = { role: "user" | "assistant"; content: string | AnthropicBlock[] };

/** A part of Gemini's contents. */
export type GeminiPart = {
  text?: string;
  thought?: boolean;
  thoughtSignature?: string;
  inlineData?: { mimeType: string; data: string };
  fileData?: { mimeType?: string; fileUri: string };
  functionCall?: { id?: string; name: string; args: Record<string, unknown> };
  functionResponse?: { id?: string; name: string; response: Record<string, unknown> };
};

/** An item of Gemini's contents. */
export type GeminiContent = { role: "user" | "model"; parts: GeminiPart[] };
