/** `palimpsest show`: prints a session as it was written, or as the model sees it now. Changes nothing. */
import type { Entry } from "../../core/log/entry.ts";
import { describeMessage } from "../../core/message/describe-message.ts";
import type { Message } from "../../core/message/message.ts";
import { readShownPrompt } from "../../core/prompt/read-shown-prompt.ts";
import { type OpenSession, readEntries, SESSION_OPTIONS, withSession } from "../setup/open-session.ts";
import type { Command, Invocation } from "../terminal/command.ts";
import { readCount } from "../terminal/read-option.ts";

const PAGE = 500;

export const command: Command = {
  usage: "show <session> [--last <count>] [--message <id>] [--view] [--full] [--server <url>] [--json]",
  about: [
    "Prints all messages, oldest first, including summarized and cleared ones.",
    "With --view it prints what the model would see now: the summary of old messages, then the rest.",
    "With --json each message is one line, and a view is one object. Without it, long tool output is shortened.",
  ],
  options: {
    ...SESSION_OPTIONS,
    last: { value: "<count>", help: "Only the newest messages." },
    message: { value: "<id>", help: "Only this message." },
    view: { help: "What the model would see now; writes nothing." },
    full: { help: "Show tool calls and their output in full." },
  },
  positionalCount: [1, 1],
  examples: [
    "palimpsest show support-17 --last 10",
    "palimpsest show support-17 --view",
    "palimpsest show support-17 --server http://127.0.0.1:7420",
  ],
  async run(invocation) {
    const [id = ""] = invocation.positionals;
    await withSession(invocation, { id }, (session) => print(invocation, session));
  },
};

async function print(invocation: Invocation, session: OpenSession): Promise<void> {
  const messageId = invocation.text("message");
  if (messageId !== undefined) {
    const { message } = await session.client.readMessage({ params: { ...session.params, messageId } });
    return printMessage(invocation, message as unknown as Message, undefined);
  }
  if (!invocation.flag("view")) return printLog(invocation, session);
  return printView(invocation, session);
}

async function printView(invocation: Invocation, session: OpenSession): Promise<void> {
  const { client, params, query } = session;
  const { prompt, report } = await client.readView({ params, query: { provider: "ai-sdk", ...query } });
  const { tokens, limitTokens } = report;
  const { instructions, messages } = readShownPrompt(prompt);
  if (invocation.flag("json")) {
    const shown = { instructions, messages: prompt.messages, tokens, limitTokens };
    return invocation.terminal.print(JSON.stringify(shown));
  }
  if (instructions !== undefined) await printLines(invocation, `instructions\n${instructions}`);
  for (const message of messages) await printMessage(invocation, message, undefined);
}

async function printLog(invocation: Invocation, session: OpenSession): Promise<void> {
  const last = invocation.text("last");
  if (last !== undefined) {
    const limit = readCount(invocation, "last", { otherwise: PAGE });
    const newest = await readEntries(session, { types: ["message"], limit, newestFirst: true });
    return printEntries(invocation, newest.toReversed());
  }
  for (let afterSeq = 0; ; ) {
    const page = await readEntries(session, { types: ["message"], limit: PAGE, afterSeq });
    await printEntries(invocation, page);
    if (page.length < PAGE) return;
    afterSeq = page.at(-1)?.seq ?? afterSeq;
  }
}

async function printEntries(invocation: Invocation, entries: readonly Entry[]): Promise<void> {
  for (const entry of entries) {
    if (entry.type !== "message") continue;
    if (entry.erased === true) await printErased(invocation, entry.seq);
    else await printMessage(invocation, entry.message, entry.seq);
  }
}

function printErased({ flag, terminal, say }: Invocation, seq: number): Promise<void> {
  return flag("json") ? terminal.print(JSON.stringify({ seq, erased: true })) : say(`#${seq} (deleted)`);
}

async function printMessage(invocation: Invocation, message: Message, seq: number | undefined): Promise<void> {
  const { flag, terminal } = invocation;
  if (flag("json")) return terminal.print(JSON.stringify({ ...(seq === undefined ? {} : { seq }), message }));
  const lines = describeMessage(message, flag("full"));
  await printLines(invocation, `${seq === undefined ? "" : `#${seq} `}${lines.join("\n")}`);
}

async function printLines({ say }: Invocation, text: string): Promise<void> {
  for (const line of text.split("\n")) await say(line);
  await say("");
}
