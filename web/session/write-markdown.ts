/** Writes a conversation as Markdown: speakers, tool calls as code, and where it was summarized. */
import type { Block, LogItem, Marker, ShownMessage } from "../api/values.ts";
import { formatCount, formatDateTime } from "../ui/format.ts";

const SPEAKERS = { user: "You", assistant: "Assistant", tool: "Tool", system: "System" } as const;

export function writeMarkdown(title: string, items: readonly LogItem[]): string {
  const parts = items.map((item) => (item.type === "message" ? writeMessage(item.message) : writeMarker(item.marker)));
  return `# ${title.replaceAll(/\s+/g, " ").trim() || "Conversation"}\n\n${parts.join("\n\n")}\n`;
}

function writeMessage({ role, name, at, blocks, isErased }: ShownMessage): string {
  const when = at === undefined ? "" : `, ${formatDateTime(at)}`;
  const parts = isErased ? ["*The text of this message was deleted.*"] : blocks.map(writeBlock);
  return [`## ${name ?? SPEAKERS[role]}${when}`, ...parts.filter((text) => text !== "")].join("\n\n");
}

function writeBlock(block: Block): string {
  switch (block.type) {
    case "text":
      return block.text;
    case "reasoning":
      return "";
    case "tool": {
      const { tool, input, output, failed } = block.call;
      const answer = output === undefined ? "" : `\n\n${failed ? "Error" : "Result"}:\n\n${fence(output)}`;
      return `Called \`${tool.replaceAll("`", "")}\`:\n\n${fence(input)}${answer}`;
    }
    case "image":
      return `*Attached: ${block.name}*`;
    case "attachment":
      return `*Attached: ${block.label}*`;
  }
}

function writeMarker({ type, summary, reason }: Marker): string {
  const quote = (text: string) => text.replaceAll(/^/gm, "> ");
  if (summary !== undefined)
    return quote(`${formatCount(summary.coverage.count, "message")} summarized:\n\n${summary.text}`);
  return quote(type === "clear" ? "Context cleared." : `Older messages left out. ${reason}`.trim());
}

/** A fence that is longer than any run of backticks in the text. */
function fence(text: string): string {
  const longest = Math.max(2, ...[...text.matchAll(/`+/g)].map(([run]) => run.length));
  const sign = "`".repeat(longest + 1);
  return `${sign}\n${text}\n${sign}`;
}
