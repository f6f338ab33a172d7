/**
 * Reads the prompt of a model call as instructions and messages, and writes a session's prompt in that form. Cache marks
 * of the host are left out: they move from call to call, and the session's prompt has its own.
 */
import { isObject } from "../../core/check-value.ts";
import type { MessageInput } from "../../core/message/input-types.ts";
import type { AiSdkPrompt } from "../../core/prompt/render/render-prompt.ts";
import type { SdkMessage, SdkPrompt } from "./sdk-types.ts";

export interface CallPrompt {
  readonly instructions: string | undefined;
  readonly messages: readonly MessageInput[];
}

export function readCallPrompt(prompt: SdkPrompt): CallPrompt {
  const first = prompt.findIndex(({ role }) => role !== "system");
  const count = first === -1 ? prompt.length : first;
  const texts = prompt.slice(0, count).flatMap(({ content }) => (typeof content === "string" ? [content] : []));
  return {
    instructions: texts.length === 0 ? undefined : texts.join("\n\n"),
    messages: prompt.slice(count).map(dropCacheMarks),
  };
}

/** Kind of a part that Anthropic adds to its answers. It has no use in a prompt. */
export const IGNORED_KIND = "anthropic.message_start";

/** Returns a message of the AI SDK without cache marks on it or its parts. */
export function dropCacheMarks(message: object): object {
  const { providerOptions, content, ...others } = message as { providerOptions?: unknown; content?: unknown };
  const parts: unknown = Array.isArray(content)
    ? content.flatMap((part: unknown) =>
        isObject(part) ? (part.kind === IGNORED_KIND ? [] : [dropCacheMarks(part)]) : [part],
      )
    : content;
  const options = dropMarksOf(providerOptions);
  return {
    ...others,
    ...(content === undefined ? {} : { content: parts }),
    ...(options === undefined ? {} : { providerOptions: options }),
  };
}

function dropMarksOf(options: unknown): object | undefined {
  if (!isObject(options)) return undefined;
  const kept = Object.entries(options).flatMap(([provider, fields]) => {
    if (!isObject(fields)) return [[provider, fields] as const];
    const { cacheControl: _, promptCacheBreakpoint: __, ...others } = fields;
    return Object.keys(others).length === 0 ? [] : [[provider, others] as const];
  });
  return kept.length === 0 ? undefined : Object.fromEntries(kept);
}

export function writeCallPrompt({ instructions, messages }: AiSdkPrompt): SdkPrompt {
  const system = typeof instructions === "string" ? { role: "system", content: instructions } : instructions;
  const written: object[] = system === undefined ? [] : [system];
  for (const message of messages.map(writePromptMessage)) {
    const last = written.at(-1) as Partial<typeof message> | undefined;
    // Providers expect all results of one assistant message together.
    if (message.role === "tool" && last?.role === "tool") written[written.length - 1] = joinResults(last, message);
    else written.push(message);
  }
  // `writeMessage` returns messages in the form of a call's prompt, which its type does not say.
  return written as SdkMessage[];
}

interface WrittenMessage {
  readonly role: string;
  readonly content: readonly object[];
  readonly providerOptions?: unknown;
}

function joinResults(first: Partial<WrittenMessage>, second: WrittenMessage): object {
  return { ...first, ...second, content: [...(first.content ?? []), ...second.content] };
}

function writePromptMessage({ content, ...message }: AiSdkPrompt["messages"][number]): WrittenMessage {
  if (typeof content === "string") return { ...message, content: [{ type: "text", text: content }] };
  return { ...message, content: content.map(writePart) };
}

function writePart(part: object): object {
  if (!("type" in part)) return part;
  if (part.type === "image" && "image" in part) {
    const { image, type: _, ...others } = part;
    return { mediaType: "image", ...others, type: "file", data: tagData(image) };
  }
  return "data" in part ? { ...part, data: tagData(part.data) } : part;
}

/** Model messages may have a bare string or URL; the prompt of a call has tagged data only. */
function tagData(data: unknown): unknown {
  if (data instanceof URL) return { type: "url", url: data };
  if (typeof data !== "string") return data;
  const dataUrl = /^data:[^,]*;base64,(.*)$/s.exec(data);
  if (dataUrl !== null) return { type: "data", data: dataUrl[1] };
  return URL.canParse(data) ? { type: "url", url: new URL(data) } : { type: "data", data };
}
