/** Whether somebody said something: a user or an assistant, in words. Tool output, thoughts and system text are not that. */
import type { Message } from "./message.ts";

export function hasWords(message: Message): boolean {
  if (message.role !== "user" && message.role !== "assistant") return false;
  return message.parts.some((part) => part.type === "text" && /\S/u.test(part.text));
}
