/** Converts between LangChain's messages and those of a session. */
import type { AIMessage, BaseMessage } from "@langchain/core/messages";
import type { LangChainMessage } from "../../core/prompt/render/render-langchain.ts";
import { loadMessages } from "./load-langchain.ts";

export const FORMAT = "langchain";

/**
 * Returns messages to store. LangChain names an answer after its agent only when the model call is over, so names of
 * answers are left out: an answer would else differ from the one that was stored.
 */
export function toStored(messages: readonly BaseMessage[]): readonly BaseMessage[] {
  return messages.map((message) => (isAnswer(message) && message.name !== undefined ? withoutName(message) : message));
}

export function isAnswer(message: unknown): message is AIMessage {
  return typeof message === "object" && message !== null && "type" in message && message.type === "ai";
}

function withoutName(message: BaseMessage): BaseMessage {
  const copy: BaseMessage = Object.assign(Object.create(Object.getPrototypeOf(message)), message);
  delete copy.name;
  return copy;
}

/** Returns instances of LangChain's classes, as its chat models expect. */
export async function toInstances(messages: readonly LangChainMessage[]): Promise<BaseMessage[]> {
  const { AIMessage, HumanMessage, ToolMessage } = await loadMessages();
  const classes = { human: HumanMessage, ai: AIMessage, tool: ToolMessage };
  return messages.map(({ type, ...fields }) => {
    // The constructors take the fields that the format writes, which their types do not say.
    const Class = classes[type] as unknown as new (fields: object) => BaseMessage;
    return new Class(fields);
  });
}
