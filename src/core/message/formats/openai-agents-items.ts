/**
 * Converts items of the OpenAI Agents SDK to items of OpenAI's Responses API and back. Most differ only in the names of
 * fields. For items of tools that the provider ran, the SDK keeps the original in `providerData`.
 */
import { type Fields, isObject } from "../../check-value.ts";

/** Returns an item of the Responses API. Ids and states of messages, calls and results are left out. */
export function toResponsesItem(item: object): Fields {
  const fields = item as Fields;
  switch (fields.type) {
    case "function_call":
      return { type: "function_call", call_id: fields.callId, name: fields.name, arguments: fields.arguments };
    case "function_call_result":
      return { type: "function_call_output", call_id: fields.callId, output: toOutput(fields.output) };
    case "reasoning":
      return toReasoning(fields);
    case "compaction": {
      const { id, encrypted_content: sealed } = fields;
      return { type: "compaction", ...filled({ id }), encrypted_content: sealed };
    }
    case "hosted_tool_call":
      return toHostedCall(fields);
    case "unknown":
      return toOther(fields);
    default:
      if (fields.role !== undefined) return toMessage(fields);
      return typeof fields.callId === "string" ? toHostItem(fields) : toOther(fields);
  }
}

function filled(fields: Fields): Fields {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));
}

function toMessage({ role, content }: Fields): Fields {
  if (!Array.isArray(content)) return { type: "message", role, content };
  return { type: "message", role, content: content.map((part: unknown) => (isObject(part) ? toPart(part) : part)) };
}

function toPart(part: Fields): Fields {
  switch (part.type) {
    case "input_image":
      return { type: "input_image", detail: part.detail ?? "auto", ...toImage(part.image) };
    case "input_file":
      return { type: "input_file", ...toFile(part.file), ...filled({ filename: part.filename }) };
    case "output_text":
      return { type: "output_text", text: part.text };
    default: {
      const { providerData: _, promptCacheBreakpoint: __, ...others } = part;
      return others;
    }
  }
}

function toImage(image: unknown): Fields {
  if (!isObject(image)) return { image_url: image };
  if (image.fileId !== undefined || image.id !== undefined) return { file_id: image.fileId ?? image.id };
  if (image.url !== undefined) return { image_url: image.url };
  return { image_url: `data:${String(image.mediaType ?? "image/png")};base64,${String(image.data)}` };
}

function toFile(file: unknown): Fields {
  if (!isObject(file)) return { file_data: file };
  return file.id === undefined ? { file_url: file.url } : { file_id: file.id };
}

function toOutput(output: unknown): unknown {
  if (Array.isArray(output)) return output.map((part: unknown) => (isObject(part) ? toPart(part) : part));
  if (!isObject(output)) return output;
  if (output.type === "text") return output.text;
  return output.type === "image"
    ? [{ type: "input_image", detail: "auto", ...toImage(output.image) }]
    : JSON.stringify(output);
}

function toReasoning({ id, content, providerData }: Fields): Fields {
  const summary = Array.isArray(content)
    ? content.map((part: unknown) => ({ type: "summary_text", text: isObject(part) ? part.text : "" }))
    : [];
  const encrypted = isObject(providerData) ? providerData.encrypted_content : undefined;
  return { type: "reasoning", id, summary, ...filled({ encrypted_content: encrypted }) };
}

/** The SDK keeps the result of a tool that the provider ran beside the original. */
function toHostedCall({ providerData, id, name, status, output }: Fields): Fields {
  const original = isObject(providerData) ? providerData : {};
  const type = typeof original.type === "string" ? original.type : name;
  const key = type === "image_generation_call" ? "result" : "output";
  return { ...original, type, ...filled({ id: original.id ?? id, status, [key]: output }) };
}

/** Items of tools that the host runs: computer, shell and patches. */
function toHostItem({ providerData, callId, caller: _, ...fields }: Fields): Fields {
  const { type, output } = fields;
  const original = isObject(providerData) ? providerData : {};
  if (type === "computer_call_result") {
    const image = isObject(output) ? output.data : undefined;
    return { type: "computer_call_output", call_id: callId, output: { type: "computer_screenshot", image_url: image } };
  }
  return { ...original, ...renameKeys(fields, SNAKE_KEYS), call_id: callId };
}

/** For items that the provider created, the SDK has the original fields in `providerData`. */
function toOther({ providerData, ...fields }: Fields): Fields {
  return isObject(providerData) && typeof providerData.type === "string" ? providerData : fields;
}

const SNAKE_KEYS: Readonly<Record<string, string>> = {
  timeoutMs: "timeout_ms",
  maxOutputLength: "max_output_length",
  exitCode: "exit_code",
};
const CAMEL_KEYS = Object.fromEntries(Object.entries(SNAKE_KEYS).map(([camel, snake]) => [snake, camel]));

function renameKeys(value: Fields, names: Readonly<Record<string, string>>): Fields {
  return Object.fromEntries(Object.entries(value).map(([key, field]) => [names[key] ?? key, renameIn(field, names)]));
}

function renameIn(value: unknown, names: Readonly<Record<string, string>>): unknown {
  if (Array.isArray(value)) return value.map((item: unknown) => renameIn(item, names));
  return isObject(value) ? renameKeys(value, names) : value;
}

const HOSTED = ["file_search_call", "web_search_call", "image_generation_call", "code_interpreter_call", "mcp_call"];
const LISTED: readonly unknown[] = [...HOSTED, "mcp_list_tools", "mcp_approval_request", "mcp_approval_response"];
const HOST_ITEMS: readonly unknown[] = [
  "computer_call",
  "shell_call",
  "shell_call_output",
  "apply_patch_call",
  "apply_patch_call_output",
];

/** Returns an item of the Agents SDK. */
export function toAgentItem(item: object): Fields {
  const fields = item as Fields;
  switch (fields.type) {
    case "function_call": {
      const { call_id: callId, name, arguments: input } = fields;
      return { type: "function_call", callId, name, arguments: input, status: "completed" };
    }
    case "function_call_output":
      return fromOutput(fields);
    case "computer_call_output":
      return fromScreenshot(fields);
    case "reasoning":
      return fromReasoning(fields);
    case "compaction":
      return fields;
    case "message":
      return fromMessage(fields);
    default:
      if (LISTED.includes(fields.type)) return fromHostedCall(fields);
      if (HOST_ITEMS.includes(fields.type)) return fromHostItem(fields);
      return fields.role === undefined ? { type: "unknown", providerData: fields } : fromMessage(fields);
  }
}

function fromMessage({ role, content }: Fields): Fields {
  const speaker = role === "developer" ? "system" : role;
  if (speaker === "system") return { type: "message", role: "system", content: joinText(content) };
  const parts = Array.isArray(content)
    ? content
    : [{ type: speaker === "user" ? "input_text" : "output_text", text: content }];
  if (speaker === "user") return { type: "message", role: "user", content: parts.map(fromPart) };
  const spoken = parts.map((part: unknown) =>
    isObject(part) && part.type === "refusal" ? part : { type: "output_text", text: isObject(part) ? part.text : part },
  );
  return { type: "message", role: "assistant", status: "completed", content: spoken };
}

function joinText(content: unknown): string {
  if (!Array.isArray(content)) return String(content);
  return content
    .flatMap((part: unknown) => (isObject(part) && typeof part.text === "string" ? [part.text] : []))
    .join("\n\n");
}

function fromPart(part: unknown): unknown {
  if (!isObject(part)) return part;
  if (part.type === "input_image") {
    const { detail, image_url: url, file_id: id } = part;
    return { type: "input_image", image: url ?? { id }, ...filled({ detail }) };
  }
  if (part.type !== "input_file") return part;
  const { file_data: data, file_id: id, file_url: url, filename } = part;
  const file = data ?? (id === undefined ? { url } : { id });
  return { type: "input_file", file, ...filled({ filename }) };
}

function fromOutput({ call_id: callId, output, name }: Fields): Fields {
  const content = Array.isArray(output) ? output.map(fromPart) : { type: "text", text: output };
  return { type: "function_call_result", name: name ?? "", callId, status: "completed", output: content };
}

function fromScreenshot({ call_id: callId, output }: Fields): Fields {
  const data = isObject(output) ? output.image_url : undefined;
  return { type: "computer_call_result", callId, output: { type: "computer_screenshot", data } };
}

function fromReasoning({ id, summary, encrypted_content: encrypted }: Fields): Fields {
  const content = Array.isArray(summary)
    ? summary.map((part: unknown) => ({ type: "input_text", text: isObject(part) ? part.text : "" }))
    : [];
  const sealed = encrypted === undefined ? {} : { providerData: { encrypted_content: encrypted } };
  return { type: "reasoning", ...filled({ id }), content, ...sealed };
}

function fromHostedCall({ output, result, ...original }: Fields): Fields {
  const { id, type: name, status = "completed" } = original;
  const { status: _, ...providerData } = original;
  return { type: "hosted_tool_call", ...filled({ id, name, status, output: output ?? result }), providerData };
}

function fromHostItem({ call_id: callId, ...fields }: Fields): Fields {
  return { ...renameKeys(fields, CAMEL_KEYS), callId };
}
