/** Messages of the running turn that are not in the log yet. */

import type { UIMessage } from "ai";
import { useMemo } from "react";
import { findPreview } from "../api/images.ts";
import { formatValue } from "../api/read-entries.ts";
import type { Block, ShownMessage } from "../api/values.ts";
import type { LogWindow } from "../hooks/use-log.ts";
import type { Turn } from "./use-turn.ts";

export function useLive({ messages, isFollowing, isRunning }: Turn, log: LogWindow): readonly ShownMessage[] {
  return useMemo(() => {
    const known = new Set(log.items.flatMap((item) => (item.type === "message" ? [item.message.id] : [])));
    const live = messages.filter(({ id }) => !known.has(id) && !known.has(`${id}#0`)).map(toLiveMessage);
    if (!isFollowing || !isRunning) return live;
    // The running reply answers another window. Messages that this window could not send come after it.
    return [...live.filter(({ role }) => role !== "user"), ...live.filter(({ role }) => role === "user")];
  }, [messages, log.items, isFollowing, isRunning]);
}

export function toLiveMessage(message: UIMessage): ShownMessage {
  return {
    id: message.id,
    role: message.role === "user" ? "user" : "assistant",
    blocks: message.parts.flatMap(toBlocks),
    isErased: false,
  };
}

function toBlocks(part: UIMessage["parts"][number]): readonly Block[] {
  if (part.type === "text") return part.text === "" ? [] : [{ type: "text", text: part.text }];
  if (part.type === "reasoning") return part.text === "" ? [] : [{ type: "reasoning", text: part.text }];
  if (part.type === "file") {
    const [url, name] = [findPreview(part.url), part.filename ?? part.mediaType];
    return [url === undefined ? { type: "attachment", label: name } : { type: "image", url, name }];
  }
  if (!("toolCallId" in part)) return [];
  const failed = part.state === "output-error";
  const output = failed ? part.errorText : part.state === "output-available" ? formatValue(part.output) : undefined;
  const tool = part.type === "dynamic-tool" ? part.toolName : part.type.replace(/^tool-/, "");
  return [{ type: "tool", call: { callId: part.toolCallId, tool, input: formatValue(part.input), output, failed } }];
}
