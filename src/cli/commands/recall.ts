/** `palimpsest recall`: quotes messages that match a query, one message, or a range. */
import type { Client } from "../../client/index.ts";
import { SERVER_OPTIONS, withServer } from "../setup/connect-server.ts";
import { MAX_PER_PAGE } from "../setup/open-session.ts";
import { type Command, CommandFailure, EXIT_CODES, EXIT_USAGE, type Invocation } from "../terminal/command.ts";
import { readCount } from "../terminal/read-option.ts";

const BUDGET_TOKENS = 1_000;
const MAX_BUDGET_TOKENS = 100_000;
const LIMIT = 20;
const MAX_SPAN_DAYS = 100_000;

export const command: Command = {
  usage:
    "recall [<query>] [--session <id>] [--since <days>] [--message <id>] [--from <id>] [--to <id>] [--dismiss <id>] [--pin <id>] [--json]",
  about: [
    "Quotes the messages that match a query, as prompts do. Not every word has to match, and related words count.",
    "Without --session, the 100 sessions used last are searched. With it, messages can also be read by their ids.",
  ],
  options: {
    ...SERVER_OPTIONS,
    session: {
      value: "<id>",
      help: "Only this session; if no message is given, also several ids separated by commas.",
    },
    since: { value: "<days>", help: "Only sessions used within this many days." },
    message: { value: "<id>", help: "Print this message of the session in full." },
    from: { value: "<id>", help: "The first message of a range of the session." },
    to: { value: "<id>", help: "The last message of a range of the session." },
    dismiss: { value: "<id>", help: "Leave this message of the session out of recalled passages; undo restores it." },
    pin: { value: "<id>", help: "Keep this message of the session in every prompt, instead of recalling it." },
    budget: { value: "<tokens>", help: `Maximum size of the quotations. Default: ${BUDGET_TOKENS}.` },
    limit: { value: "<count>", help: `Maximum number of passages. Default: ${LIMIT}.` },
  },
  positionalCount: [0, 1],
  examples: [
    'palimpsest recall "Where is the spare key?"',
    'palimpsest recall "pool size" --session talk --budget 300',
    "palimpsest recall --session talk --message m17",
  ],
  async run(invocation) {
    const change = findChange(invocation);
    if (change !== undefined) return withServer(invocation, {}, ({ client }) => change(client));
    const found = await withServer(invocation, {}, ({ client }) => requestPassages(invocation, client));
    if (invocation.flag("json")) return invocation.terminal.print(JSON.stringify(found));
    for (const { sessionId, seq, role, name, text } of found.passages) {
      await invocation.say(`${sessionId}#${seq}  ${name ?? role}  ${text}`);
    }
    if (found.passages.length === 0) invocation.terminal.note("Nothing was found.");
  },
};

type ChangeView = (client: Client) => Promise<void>;

/** Returns what to do with one message, or undefined if messages are to be quoted. */
function findChange({ text, terminal }: Invocation): ChangeView | undefined {
  const [id, dismissed, pinned] = [text("session"), text("dismiss"), text("pin")];
  if (dismissed === undefined && pinned === undefined) return undefined;
  if (id === undefined || id.includes(",")) {
    throw new CommandFailure("--dismiss and --pin need --session <id> with one id.", EXIT_USAGE);
  }
  return async (client) => {
    const params = { id };
    if (dismissed !== undefined) {
      const outcome = await client.dismissMessage({ params, body: { messageId: dismissed } });
      terminal.note(outcome.dismissed ? `${dismissed} is left out from now on.` : `${dismissed} was left out already.`);
    }
    if (pinned === undefined) return;
    const outcome = await client.pinMessage({ params, body: { messageId: pinned } });
    if (outcome.type === "pinned") return terminal.note(`${pinned} is pinned.`);
    const { pinnedTokens, allowedTokens } = outcome;
    throw new CommandFailure(
      `Pins would take ${pinnedTokens} of ${allowedTokens} tokens. Remove one first.`,
      EXIT_CODES["limit-exceeded"],
    );
  };
}

function requestPassages(invocation: Invocation, client: Client): ReturnType<Client["recall"]> {
  const [query] = invocation.positionals;
  const budgetTokens = readCount(invocation, "budget", { otherwise: BUDGET_TOKENS, most: MAX_BUDGET_TOKENS });
  const limit = readCount(invocation, "limit", { otherwise: LIMIT, most: MAX_PER_PAGE });
  const [session, id] = [invocation.text("session"), invocation.text("message")];
  const [from, to] = [invocation.text("from"), invocation.text("to")];
  const readsById = [id, from, to].some((text) => text !== undefined);
  const missing = new CommandFailure("Give a query, or --session <id> with --message, --from or --to.", EXIT_USAGE);
  if (session !== undefined && (readsById || !session.includes(","))) {
    if (query === undefined && !readsById) throw missing;
    if (invocation.text("since") !== undefined) {
      throw new CommandFailure("--since selects sessions, so it cannot be used with one --session.", EXIT_USAGE);
    }
    const target = { query, id, from, to, budgetTokens, limit };
    return client.recallSession({ params: { id: session }, query: target });
  }
  if (readsById) throw new CommandFailure("--message, --from and --to need --session <id>.", EXIT_USAGE);
  if (query === undefined) throw missing;
  const sinceDays = readCount(invocation, "since", { otherwise: MAX_SPAN_DAYS, most: MAX_SPAN_DAYS });
  return client.recall({ query: { query, sessions: session, sinceDays, budgetTokens, limit } });
}
