/** Collects a model's answer, whole or streamed, and writes the assistant message that the AI SDK would send back. */
import { IGNORED_KIND } from "./call-prompt.ts";
import type { SdkContent, SdkStreamPart } from "./sdk-types.ts";

type OpenPart = { type: "text" | "reasoning"; text: string; providerMetadata?: SdkContent["providerMetadata"] };

export class ReplyParts {
  readonly #content: SdkContent[] = [];
  readonly #open = new Map<string, OpenPart>();
  #usage: object | undefined;
  #error: unknown;
  #hasFailed = false;

  get content(): readonly SdkContent[] {
    return this.#content;
  }

  /** Set when the model has ended its answer. */
  get usage(): object | undefined {
    return this.#usage;
  }

  get failure(): { readonly error: unknown } | undefined {
    return this.#hasFailed ? { error: this.#error } : undefined;
  }

  /** All text of the answer so far, without reasoning. */
  get text(): string {
    return this.#content.flatMap((part) => (part.type === "text" ? [part.text] : [])).join("\n\n");
  }

  add(part: SdkStreamPart): void {
    switch (part.type) {
      case "text-start":
      case "reasoning-start":
        this.#start(part.id, { type: part.type === "text-start" ? "text" : "reasoning", text: "" }, part);
        return;
      case "text-delta":
      case "reasoning-delta":
        this.#extend(part.id, part.delta, part);
        return;
      case "text-end":
      case "reasoning-end":
        this.#extend(part.id, "", part);
        return;
      case "finish":
        this.#usage = part.usage;
        return;
      case "error":
        this.#error = part.error;
        this.#hasFailed = true;
        return;
      case "tool-input-start":
      case "tool-input-delta":
      case "tool-input-end":
      case "stream-start":
      case "response-metadata":
      case "ping":
      case "raw":
        return;
      default:
        this.#content.push(part);
    }
  }

  #start(id: string, part: OpenPart, { providerMetadata }: Pick<OpenPart, "providerMetadata">): void {
    if (providerMetadata !== undefined) part.providerMetadata = providerMetadata;
    this.#open.set(id, part);
    this.#content.push(part as SdkContent);
  }

  #extend(id: string, delta: string, { providerMetadata }: Pick<OpenPart, "providerMetadata">): void {
    const part = this.#open.get(id);
    if (part === undefined) return;
    part.text += delta;
    if (providerMetadata !== undefined) part.providerMetadata = providerMetadata;
  }
}

/** Returns undefined if nothing in the answer can be sent back. */
export function writeReply(content: readonly SdkContent[]): object | undefined {
  const parts = content.flatMap(writeContent);
  return parts.length === 0 ? undefined : { role: "assistant", content: parts };
}

/** Writes a part as the AI SDK sends it back in the next call. */
function writeContent(part: SdkContent): readonly object[] {
  const options = part.providerMetadata === undefined ? {} : { providerOptions: part.providerMetadata };
  switch (part.type) {
    case "text":
      return part.text === "" && part.providerMetadata === undefined
        ? []
        : [{ type: "text", text: part.text, ...options }];
    case "reasoning":
      return [{ type: "reasoning", text: part.text, ...options }];
    case "custom":
      return part.kind === IGNORED_KIND ? [] : [{ type: "custom", kind: part.kind, ...options }];
    case "file":
    case "reasoning-file":
      return [{ type: part.type, data: part.data, mediaType: part.mediaType, ...options }];
    case "tool-call": {
      const { toolCallId, toolName, providerExecuted } = part;
      const executed = providerExecuted === undefined ? {} : { providerExecuted };
      return [{ type: "tool-call", toolCallId, toolName, input: readInput(part.input), ...executed, ...options }];
    }
    case "tool-result": {
      const { toolCallId, toolName, result, isError } = part;
      return [{ type: "tool-result", toolCallId, toolName, output: writeOutput(result, isError === true), ...options }];
    }
    case "source":
    case "tool-approval-request":
      return [];
    default:
      return part satisfies never;
  }
}

/** Replaces input that is not JSON with an empty object, as the AI SDK does. */
function readInput(input: string): unknown {
  if (input.trim() === "") return {};
  try {
    const value: unknown = JSON.parse(input);
    return value;
  } catch {
    return {};
  }
}

function writeOutput(value: unknown, isError: boolean): object {
  if (isError) return { type: "error-json", value };
  return typeof value === "string" ? { type: "text", value } : { type: "json", value };
}
