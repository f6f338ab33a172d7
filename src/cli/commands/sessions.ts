/** `palimpsest sessions`: what there is, newest first. */
import type { SessionSummary } from "../../ports/store.ts";
import type { Command } from "../command.ts";
import { SERVER_OPTIONS } from "../connect-server.ts";
import { withConversations } from "../conversations.ts";
import { describeCount } from "../describe-count.ts";
import { readCount } from "../store-options.ts";

const LIMIT = 20;

export const sessions: Command = {
  usage: "sessions [--limit <count>] [--json]",
  about: [
    "Lists sessions, the one that was used last first: its id, when, how many messages,",
    "and its title or the first words. The id is what the other commands take.",
  ],
  options: {
    ...SERVER_OPTIONS,
    limit: { type: "string", value: "<count>", help: `How many; ${LIMIT} without it.` },
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
