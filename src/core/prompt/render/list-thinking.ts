/** Lists the thinking blocks of a rendered prompt. Renderers drop thinking that their format cannot represent. */
import { listWords } from "../../language/list-words.ts";
import { isJsonObject, type JsonObject } from "../../message/json.ts";
import type { Message, ReasoningPart } from "../../message/message.ts";

/** Returns reasoning that the rendered prompt does not contain. */
export function findDroppedThinking(messages: readonly Message[], rendered: object): readonly ReasoningPart[] {
  const ids = listThinking(rendered).map(findId);
  let found = 0;
  return thoughtsOf(messages).filter((part) => {
    const isThere = found < ids.length && ids[found] === findId({ ...part, ...flatten(part.extras) });
    if (isThere) found += 1;
    return !isThere;
  });
}

export function listThinking(rendered: object): readonly JsonObject[] {
  const { messages, contents, input } = rendered as Readonly<Record<string, unknown>>;
  const items = objectsIn(messages ?? contents ?? input);
  return items.flatMap((item) => [item, ...objectsIn(item.content ?? item.parts)]).filter(isThinking);
}

function isThinking({ type, thought }: JsonObject): boolean {
  return type === "thinking" || type === "redacted_thinking" || type === "reasoning" || thought === true;
}

const ID_FIELDS = listWords("signature redactedData data reasoningEncryptedContent encrypted_content thoughtSignature");

/** Returns the value that identifies the thinking: its signature, its encrypted text, or else its text. */
function findId(block: JsonObject): unknown {
  const fields = { ...block, ...flatten(isJsonObject(block.providerOptions) ? block.providerOptions : undefined) };
  return ID_FIELDS.map((name) => fields[name]).find((value) => typeof value === "string" && value !== "") ?? block.text;
}

function flatten(extras: object | undefined): JsonObject {
  return Object.assign({}, ...Object.values(extras ?? {}));
}

function thoughtsOf(messages: readonly Message[]): readonly ReasoningPart[] {
  return messages.flatMap(({ parts }) => parts.filter((part) => part.type === "reasoning"));
}

function objectsIn(value: unknown): readonly JsonObject[] {
  return Array.isArray(value) ? value.filter((item) => isJsonObject(item)) : [];
}
