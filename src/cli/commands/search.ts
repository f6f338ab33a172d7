/** `palimpsest search`: finds messages by their text. */
import type { Client } from "../../client/index.ts";
import { SERVER_OPTIONS, withServer } from "../setup/connect-server.ts";
import { MAX_PER_PAGE } from "../setup/open-session.ts";
import type { Command, Invocation } from "../terminal/command.ts";
import { readChoice, readCount } from "../terminal/read-option.ts";

const LIMIT = 20;

export const command: Command = {
  usage: "search <text> [--session <id>] [--role <role>] [--limit <count>] [--order <order>] [--json]",
  about: [
    "Finds a text in all messages, ignoring case, newest first. Summarized and cleared messages are found too.",
    "No character of the text has a special meaning.",
  ],
  options: {
    ...SERVER_OPTIONS,
    session: { value: "<id>", help: "Only in this session." },
    role: { value: "<role>", help: "Only messages of this role: user, assistant, system or tool." },
    order: { value: "<order>", help: "newest, or relevance: all words must occur, best match first." },
    limit: { value: "<count>", help: `Maximum number of results. Default: ${LIMIT}.` },
  },
  positionalCount: [1, 1],
  examples: ['palimpsest search "pool size"', 'palimpsest search "deploy" --role user --order relevance'],
  async run(invocation) {
    const query = readQuery(invocation);
    const { hits } = await withServer(invocation, {}, ({ client }) => client.search({ query }));
    if (invocation.flag("json")) return invocation.terminal.print(JSON.stringify(hits));
    for (const hit of hits) await invocation.say(describeHit(hit));
    if (hits.length === 0) invocation.terminal.note("Nothing was found.");
  },
};

function readQuery(invocation: Invocation) {
  const [query = ""] = invocation.positionals;
  return {
    query,
    limit: readCount(invocation, "limit", { otherwise: LIMIT, most: MAX_PER_PAGE }),
    sessionId: invocation.text("session"),
    role: readChoice(invocation, "role", ["user", "assistant", "system", "tool"] as const),
    order: readChoice(invocation, "order", ["newest", "relevance"] as const) ?? "newest",
  };
}

type Hit = Awaited<ReturnType<Client["search"]>>["hits"][number];

function describeHit({ sessionId, seq, role, snippet, matchStart, matchLength }: Hit): string {
  const end = matchStart + matchLength;
  const marked = `${snippet.slice(0, matchStart)}[${snippet.slice(matchStart, end)}]${snippet.slice(end)}`;
  return `${sessionId}#${seq}  ${role}  ${marked.replaceAll(/\s+/g, " ")}`;
}
