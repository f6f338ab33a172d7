/**
 * Reads and writes the prompts of an agent's calls. Mastra calls models of three versions of the AI SDK's interface:
 * v4 tags the data of files, and v2 and v3 have plain strings and URLs. Mastra also adds fields of its own to parts.
 */
import { isObject } from "../../core/check-value.ts";
import { DENIED_TEXT } from "../../core/message/formats/ai-sdk-model-part.ts";
import type { AiSdkPrompt } from "../../core/prompt/render/render-prompt.ts";
import { readCallPrompt, writeCallPrompt } from "../ai-sdk/call-prompt.ts";
import type { SdkMessage, SdkPrompt } from "../ai-sdk/sdk-types.ts";
import type { CallFormat } from "../ai-sdk/wrap-model.ts";

type Fields = Readonly<Record<string, unknown>>;

/** Returns the format of a version, such as `v2` for models that Mastra names by a string. */
export function findCallFormat(version: string): CallFormat {
  const read: CallFormat["read"] = (prompt) => readCallPrompt(prompt.map(dropMastraFields));
  if (version === "v4") return { read, write: writeCallPrompt };
  return { read, write: (prompt: AiSdkPrompt) => writePlainPrompt(prompt, version) };
}

/** Drops times of creation and repeated tool input, so that a message is the same each time that it is sent. */
function dropMastraFields(message: SdkMessage): SdkMessage {
  const { content } = message;
  if (!Array.isArray(content)) return message;
  // Parts keep their types; only optional fields are removed.
  return { ...message, content: content.map(cleanPart) } as SdkMessage;
}

function cleanPart(part: object): object {
  const { providerOptions, ...fields } = part as Fields;
  const { input: _, ...withoutInput } = fields;
  const kept = fields.type === "tool-result" ? withoutInput : fields;
  if (!isObject(providerOptions)) return kept;
  const { mastra: __, ...others } = providerOptions;
  return Object.keys(others).length === 0 ? kept : { ...kept, providerOptions: others };
}

const PLAIN_PARTS = ["text", "file", "reasoning", "tool-call", "tool-result"];

function writePlainPrompt(prompt: AiSdkPrompt, version: string): SdkPrompt {
  const written = writeCallPrompt(prompt).map((message) => {
    const { content } = message as { readonly content: string | readonly object[] };
    if (typeof content === "string") return message;
    const parts = content.filter((part) => PLAIN_PARTS.includes(String((part as Fields).type)));
    return { ...message, content: parts.map((part) => writePlainPart(part, version)) };
  });
  // The types are those of v4; the model that is called is of the other version.
  return written as SdkPrompt;
}

function writePlainPart(part: object, version: string): object {
  const fields = part as Fields;
  if (fields.type === "file") return { ...fields, data: untag(fields.data) };
  if (fields.type !== "tool-result" || !isObject(fields.output)) return part;
  return { ...fields, output: writePlainOutput(fields.output, version) };
}

function untag(data: unknown): unknown {
  if (!isObject(data)) return data;
  return data.type === "url" ? data.url : (data.data ?? data);
}

function writePlainOutput(output: Fields, version: string): object {
  if (output.type === "execution-denied" && version === "v2") {
    return { type: "error-text", value: output.reason ?? DENIED_TEXT };
  }
  if (output.type !== "content" || !Array.isArray(output.value)) return output;
  return { ...output, value: output.value.map((part: unknown) => writeContentPart(part, version)) };
}

/** Files in tool output have other names in each version. */
function writeContentPart(part: unknown, version: string): unknown {
  if (!isObject(part) || part.type === "text") return part;
  const data = untag(part.data ?? part.url);
  const { mediaType } = part;
  if (data instanceof URL || part.url !== undefined) {
    return version === "v2"
      ? { type: "text", text: `[File: ${String(data)}]` }
      : { type: "file-url", url: String(data), mediaType };
  }
  return { type: version === "v2" ? "media" : "file-data", data, mediaType };
}
