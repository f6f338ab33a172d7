/** A conversation as Markdown, for people: who said what, calls of tools as code, and where it was folded. */
import type { Block, LogItem, Marker, ShownMessage } from "../api/values.ts";
import { writeCount, writeTime } from "../ui/format.ts";

const SPEAKERS = { user: "You", assistant: "Assistant", tool: "Tool", system: "System" } as const;

export function writeMarkdown(title: string, items: readonly LogItem[]): string {
  const parts = items.map((item) => (item.type === "message" ? writeMessage(item.message) : writeMarker(item.marker)));
  return `# ${title.replaceAll(/\s+/g, " ").trim() || "A conversation"}\n\n${parts.join("\n\n")}\n`;
}

function writeMessage({ role, name, at, blocks, isErased }: ShownMessage): string {
  const when = at === undefined ? "" : `, ${writeTime(at)}`;
  const said = isErased ? ["*The text of this message was deleted by its owner.*"] : blocks.map(writeBlock);
  return [`## ${name ?? SPEAKERS[role]}${when}`, ...said.filter((text) => text !== "")].join("\n\n");
}

function writeBlock(block: Block): string {
  switch (block.type) {
    case "text":
      return block.text;
    case "reasoning":
      return "";
    case "tool": {
      const { tool, input, output, failed } = block.call;
      const answer = output === undefined ? "" : `\n\n${failed ? "Failed with" : "Gave back"}:\n\n${fence(output)}`;
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
  if (summary !== undefined) return quote(`Folded ${writeCount(summary.messages, "message")}:\n\n${summary.text}`);
  return quote(type === "clear" ? "Started over." : `Left out what came before. ${reason}`.trim());
}

/** Longer than any run of its own sign inside. */
function fence(text: string): string {
  const longest = Math.max(2, ...[...text.matchAll(/`+/g)].map(([run]) => run.length));
  const sign = "`".repeat(longest + 1);
  return `${sign}\n${text}\n${sign}`;
}
