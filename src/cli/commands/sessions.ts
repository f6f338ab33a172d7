/** `palimpsest sessions`: lists sessions, the most recently used first. */
import type { Client } from "../../client/index.ts";
import { SERVER_OPTIONS, withServer } from "../setup/connect-server.ts";
import { MAX_PER_PAGE } from "../setup/open-session.ts";
import type { Command } from "../terminal/command.ts";
import { readCount } from "../terminal/read-option.ts";
import { describeCount } from "../terminal/terminal-text.ts";

const LIMIT = 20;

export const command: Command = {
  usage: "sessions [--limit <count>] [--json]",
  about: [
    "Lists sessions, the most recently used first: id, time, number of messages, and title or first words.",
    "The other commands take the id.",
  ],
  options: { ...SERVER_OPTIONS, limit: { value: "<count>", help: `Maximum number of sessions. Default: ${LIMIT}.` } },
  positionalCount: [0, 0],
  examples: ["palimpsest sessions --store sqlite:./chats.db", "palimpsest sessions --json --limit 1"],
  async run(invocation) {
    const limit = readCount(invocation, "limit", { otherwise: LIMIT });
    const found = await withServer(invocation, {}, ({ client }) => listSessions(client, limit));
    if (invocation.flag("json")) return invocation.terminal.print(JSON.stringify(found));
    for (const session of found) await invocation.say(describeListedSession(session));
    if (found.length === 0) invocation.terminal.note("There are no sessions here.");
  },
};

type Session = Awaited<ReturnType<Client["listSessions"]>>["sessions"][number];

async function listSessions(client: Client, limit: number): Promise<readonly Session[]> {
  const found: Session[] = [];
  for (let before: string | undefined; found.length < limit; ) {
    const query = { limit: Math.min(MAX_PER_PAGE, limit - found.length), before };
    const { sessions, next } = await client.listSessions({ query });
    found.push(...sessions);
    if (next === undefined) break;
    before = next;
  }
  return found;
}

function describeListedSession({ id, updatedAt, messageCount, title, preview, fork }: Session): string {
  const words = (title ?? preview).replaceAll(/\s+/g, " ").trim();
  const origin = fork === undefined ? "" : ` (fork of ${fork.parentId})`;
  const count = describeCount(messageCount, "message", "messages");
  return `${id}  ${new Date(updatedAt).toISOString()}  ${count}${origin}  ${words}`;
}
