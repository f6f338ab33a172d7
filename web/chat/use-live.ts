/** What is under way and not in the log yet: the log has taken over what it holds. */

import type { UIMessage } from "ai";
import { useMemo } from "react";
import { findPreview } from "../api/images.ts";
import { writeValue } from "../api/read-entries.ts";
import type { Block, ShownMessage } from "../api/values.ts";
import type { LogWindow } from "../hooks/use-log.ts";
import type { Turn } from "./use-turn.ts";

export function useLive({ messages, isFollowing, isRunning }: Turn, log: LogWindow): readonly ShownMessage[] {
  return useMemo(() => {
    const known = new Set(log.items.flatMap((item) => (item.type === "message" ? [item.message.id] : [])));
    const live = messages.filter(({ id }) => !known.has(id) && !known.has(`${id}#0`)).map(showLive);
    if (!isFollowing || !isRunning) return live;
    // An answer to somebody else stands before what could not be said meanwhile.
    return [...live.filter(({ role }) => role !== "user"), ...live.filter(({ role }) => role === "user")];
  }, [messages, log.items, isFollowing, isRunning]);
}

export function showLive(message: UIMessage): ShownMessage {
  return {
    id: message.id,
    role: message.role === "user" ? "user" : "assistant",
    blocks: message.parts.flatMap(showPart),
    isErased: false,
  };
}

function showPart(part: UIMessage["parts"][number]): readonly Block[] {
  if (part.type === "text") return part.text === "" ? [] : [{ type: "text", text: part.text }];
  if (part.type === "reasoning") return part.text === "" ? [] : [{ type: "reasoning", text: part.text }];
  if (part.type === "file") {
    const [url, name] = [findPreview(part.url), part.filename ?? part.mediaType];
    return [url === undefined ? { type: "attachment", label: name } : { type: "image", url, name }];
  }
  if (!("toolCallId" in part)) return [];
  const failed = part.state === "output-error";
  const output = failed ? part.errorText : part.state === "output-available" ? writeValue(part.output) : undefined;
  const tool = part.type === "dynamic-tool" ? part.toolName : part.type.replace(/^tool-/, "");
  return [{ type: "tool", call: { callId: part.toolCallId, tool, input: writeValue(part.input), output, failed } }];
}
