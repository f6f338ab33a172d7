/** `palimpsest sessions`: lists sessions, newest first. */
import type { SessionSummary } from "../../ports/store.ts";
import { SERVER_OPTIONS } from "../setup/connect-server.ts";
import { withConversations } from "../setup/conversations.ts";
import { readCount } from "../setup/store-options.ts";
import type { Command } from "../terminal/command.ts";
import { describeCount } from "../terminal/terminal-text.ts";

const LIMIT = 20;

export const sessions: Command = {
  usage: "sessions [--limit <count>] [--json]",
  about: [
    "Lists sessions, the most recently used first: id, time, number of messages, and title or first words.",
    "The other commands take the id.",
  ],
  options: {
    ...SERVER_OPTIONS,
    limit: { type: "string", value: "<count>", help: `At most so many. Default: ${LIMIT}.` },
  },
  words: [0, 0],
  examples: ["palimpsest sessions --store sqlite:./chats.db", "palimpsest sessions --json --limit 1"],
  async run(invocation) {
    const limit = readCount(invocation, "limit", { otherwise: LIMIT });
    const found = await withConversations(invocation, (conversations) => conversations.sessions({ limit }));
    if (invocation.flag("json")) return invocation.terminal.print(JSON.stringify(found));
    for (const session of found) await invocation.say(describe(session));
    if (found.length === 0) invocation.terminal.note("There are no sessions here.");
  },
};

function describe({ id, updatedAt, messageCount, title, preview, fork }: SessionSummary): string {
  const words = (title ?? preview).replaceAll(/\s+/g, " ").trim();
  const origin = fork === undefined ? "" : ` (fork of ${fork.parentId})`;
  const count = describeCount(messageCount, "message", "messages");
  return `${id}  ${new Date(updatedAt).toISOString()}  ${count}${origin}  ${words}`;
}
