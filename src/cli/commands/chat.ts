/** `palimpsest chat`: a conversation in the terminal. One line is one turn, also where a program writes them. */
import { randomUUID } from "node:crypto";
import type { Client } from "../../client/index.ts";
import { PalimpsestError } from "../../core/errors.ts";
import { asking, type ChatServer, openChatServer, ServerRefusal } from "../chat/chat-server.ts";
import { CHAT_VERBS } from "../chat/chat-verbs.ts";
import { showReply } from "../chat/show-reply.ts";
import { type Command, CommandFailure, type Invocation } from "../command.ts";
import { ENGINE_OPTIONS } from "../engine-setup.ts";
import { EXIT_UNEXPECTED } from "../exit-codes.ts";
import type { LineInput } from "../terminal.ts";

const PROMPT = "> ";
/** A chat is had with the server's own tenant; a token chooses another. */
const { tenant: _, ...OPTIONS } = ENGINE_OPTIONS;

export const chat: Command = {
  usage: "chat [<session>] [--server <url>] [--model <id>] [--json]",
  about: [
    "Chats with the model that is set, or with the offline model, which quotes what was said. The session is kept where",
    "the server keeps its own; without a name a new one begins. Lines that begin with a slash do something else:",
    ...Object.values(CHAT_VERBS).map(({ help }) => `  ${help}`),
    "  /quit, or the end of the input: ends the chat. Ctrl-C ends the reply that is being written, and keeps what came.",
    "Where the input is no terminal every line is a turn, and replies come on stdout; with --json one object a turn.",
  ],
  options: {
    ...OPTIONS,
    server: {
      type: "string",
      value: "<url>",
      help: "A server that runs; PALIMPSEST_SERVER, and PALIMPSEST_TOKEN with it.",
    },
    model: {
      type: "string",
      value: "<id>",
      help: "Such as anthropic:claude-sonnet-5; the server's default without it.",
    },
    workspace: { type: "string", value: "<folder>", help: "A repository that stands beside it; without --server." },
  },
  words: [0, 1],
  examples: [
    "palimpsest chat",
    "palimpsest chat plans --server http://127.0.0.1:7420",
    "palimpsest chat plans < questions.txt",
  ],
  async run(invocation) {
    const input = invocation.terminal.input?.();
    if (input === undefined) throw new PalimpsestError("config-invalid", "chat: there is nothing to read from.");
    const server = await openChatServer(invocation);
    try {
      const [named] = invocation.positionals;
      const sessionId = named ?? (await asking(() => server.client.createSession())).id;
      if (input.isInteractive) {
        const model = await asking(() => nameModel(server));
        invocation.terminal.note(`Session ${sessionId}. /help says what can be done, /quit ends. Model: ${model}`);
      }
      await converse({ invocation, ...server, input, sessionId });
    } finally {
      input.close();
      await server.close();
    }
  },
};

async function nameModel({ client, model }: ChatServer): Promise<string> {
  const { models } = await client.readSettings();
  const { id, isOffline } = models.find((each) => model === undefined || each.id === model) ?? {};
  return isOffline === true ? `${id}, which quotes what was said.` : `${id ?? model ?? "none"}.`;
}

interface Talk {
  readonly invocation: Invocation;
  readonly client: Client;
  readonly model: string | undefined;
  readonly input: LineInput;
  readonly sessionId: string;
}

async function converse(talk: Talk): Promise<void> {
  let { sessionId } = talk;
  let failure: CommandFailure | undefined;
  for (;;) {
    const line = await readLine(talk.input);
    if (line === undefined || line === "/quit") break;
    if (line === "") continue;
    const outcome = await tryLine({ ...talk, sessionId }, line);
    sessionId = outcome.sessionId;
    failure = outcome.failure ?? failure;
  }
  // Whoever types has read it; a program has the exit code.
  if (failure !== undefined && !talk.input.isInteractive) throw failure;
}

/** Ctrl-C where nothing is being written ends the chat. */
async function readLine(input: LineInput): Promise<string | undefined> {
  const stop = input.onInterrupt(() => input.close());
  const line = await input.next(PROMPT);
  stop();
  return line?.trim();
}

interface Outcome {
  readonly sessionId: string;
  readonly failure?: CommandFailure | undefined;
}

/** What the server refuses ends a turn and not the chat. */
async function tryLine(talk: Talk, line: string): Promise<Outcome> {
  try {
    if (line.startsWith("/")) {
      await asking(() => runVerb(talk, line));
      return { sessionId: talk.sessionId };
    }
    return await asking(() => takeTurn(talk, line));
  } catch (error) {
    if (!(error instanceof ServerRefusal)) throw error;
    if (talk.input.isInteractive) talk.invocation.terminal.note(error.message);
    return { sessionId: talk.sessionId, failure: error };
  }
}

async function takeTurn({ invocation, client, model, input, sessionId }: Talk, text: string): Promise<Outcome> {
  const { flag, terminal } = invocation;
  const cancel = (): void => {
    // The stream ends by itself when the server has stopped; that there was nothing to stop any more is no failure.
    void client.cancelChat({ params: { id: sessionId } }).catch(() => undefined);
  };
  const stop = input.onInterrupt(cancel);
  try {
    const message = { id: randomUUID(), role: "user", parts: [{ type: "text", text }] };
    const body = { id: sessionId, message, model };
    const reply = await showReply(client.chat({ body }), invocation);
    const current = reply.sessionId ?? sessionId;
    if (flag("json")) await terminal.print(JSON.stringify({ said: text, ...reply, sessionId: current }));
    if (reply.error === undefined) return { sessionId: current };
    return { sessionId: current, failure: new CommandFailure(`A reply failed: ${reply.error}`, EXIT_UNEXPECTED) };
  } finally {
    stop();
  }
}

async function runVerb({ invocation, client, sessionId }: Talk, line: string): Promise<void> {
  const { terminal, flag } = invocation;
  const [, name = "", rest = ""] = /^\/(\w*)\s*(.*)$/s.exec(line) ?? [];
  const verb = Object.hasOwn(CHAT_VERBS, name) ? CHAT_VERBS[name] : undefined;
  if (verb === undefined) {
    if (name !== "help") terminal.note(`There is no /${name}. There are:`);
    for (const { help } of Object.values(CHAT_VERBS)) terminal.note(help);
    return terminal.note("/quit: ends the chat");
  }
  const told = await verb.run({ client, sessionId, rest });
  if (flag("json")) await terminal.print(JSON.stringify({ verb: name, told, sessionId }));
  else terminal.note(`(${told})`);
}
