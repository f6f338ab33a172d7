/** `palimpsest chat`: a conversation in the terminal. Each line is a turn, typed or piped. */
import { randomUUID } from "node:crypto";
import { ClientError } from "../../client/index.ts";
import { PalimpsestError } from "../../core/errors.ts";
import { OFFLINE_MODEL_ID } from "../../models/offline-model.ts";
import { CHAT_VERBS, describeBudget } from "../chat/chat-verbs.ts";
import { showReply } from "../chat/show-reply.ts";
import { findServer, SERVER_OPTION, type ServerConnection, withServer } from "../setup/connect-server.ts";
import { ENGINE_OPTIONS } from "../setup/engine-setup.ts";
import { readServeSetup } from "../setup/serve-options.ts";
import { type Command, CommandFailure, EXIT_UNEXPECTED, type Invocation } from "../terminal/command.ts";
import type { LineInput } from "../terminal/line-input.ts";

const PROMPT = "> ";
/** A chat uses the server's own tenant; a token selects another. */
const { tenant: _, ...OPTIONS } = ENGINE_OPTIONS;

export const command: Command = {
  usage: "chat [<session>] [--server <url>] [--model <id>] [--json]",
  about: [
    "Chats with the configured model, or with the offline model, which quotes earlier messages. The session is stored",
    "where the server stores its own; without <session> a new one starts. Lines that begin with a slash are commands:",
    ...Object.values(CHAT_VERBS).map(({ help }) => `  ${help}`),
    "  /quit, or the end of the input: ends the chat",
    "Ctrl-C stops the reply and keeps what has arrived; twice, it ends the chat. A backslash at the end of a line",
    "continues it in the next one, and a pasted text is one message.",
    "If the input is not a terminal, each line is a turn and replies go to stdout; with --json, one object per turn.",
  ],
  options: {
    ...OPTIONS,
    server: SERVER_OPTION,
    model: { value: "<id>", help: "Such as anthropic:claude-sonnet-5. Default: the server's." },
    workspace: { value: "<folder>", help: "Folder whose files the model may see; not with --server." },
  },
  positionalCount: [0, 1],
  examples: [
    "palimpsest chat",
    "palimpsest chat plans --server http://127.0.0.1:7420",
    "palimpsest chat plans < questions.txt",
  ],
  async run(invocation) {
    const input = invocation.terminal.input?.();
    if (input === undefined) throw new PalimpsestError("config-invalid", "chat: no input. Pipe lines into it.");
    try {
      await withServer(invocation, { createsStore: true, readOptions: () => readOptions(invocation) }, (connection) =>
        openChat({ invocation, ...connection, model: chooseModel(invocation), input }),
      );
    } finally {
      input.close();
    }
  },
};

/** A server in this process has the named model as its default; only the offline model has to be named. */
function chooseModel(invocation: Invocation): string | undefined {
  const model = invocation.text("model");
  return findServer(invocation) !== undefined || model === OFFLINE_MODEL_ID ? model : undefined;
}

async function readOptions(invocation: Invocation) {
  const model = invocation.text("model");
  const connected = model === OFFLINE_MODEL_ID ? undefined : model;
  const { options, found, unknownVariables } = await readServeSetup(invocation, connected);
  for (const complaint of [...found.complaints, ...unknownVariables]) invocation.terminal.note(complaint);
  return options;
}

async function openChat(talk: Omit<ChatSetup, "sessionId">): Promise<void> {
  const { invocation, client, input } = talk;
  const [named] = invocation.positionals;
  const sessionId = named ?? (await client.createSession()).id;
  if (input.isInteractive) {
    const model = await nameModel(talk);
    invocation.terminal.note(`Session ${sessionId}. /help lists the commands, /quit ends the chat. Model: ${model}`);
  }
  await converse({ ...talk, sessionId });
}

async function nameModel({ client, model }: Pick<ChatSetup, "client" | "model">): Promise<string> {
  const { models } = await client.readSettings();
  const { id, isOffline } = models.find((each) => model === undefined || each.id === model) ?? {};
  return isOffline === true ? `${id}, which quotes earlier messages.` : `${id ?? model ?? "none"}.`;
}

interface ChatSetup extends Pick<ServerConnection, "client" | "translate"> {
  readonly invocation: Invocation;
  readonly model: string | undefined;
  readonly input: LineInput;
  readonly sessionId: string;
}

async function converse(talk: ChatSetup): Promise<void> {
  let { sessionId } = talk;
  let failure: Error | undefined;
  for (;;) {
    const line = await readLine(talk);
    if (line === undefined || line === "/quit") break;
    if (line === "") continue;
    const outcome = await tryLine({ ...talk, sessionId }, line);
    sessionId = outcome.sessionId;
    failure = outcome.failure ?? failure;
  }
  // An interactive user has already seen the error; a program gets the exit code.
  if (failure !== undefined && !talk.input.isInteractive) throw failure;
}

const LEAVE = "Press Ctrl-C again to end the chat.";

/** The first Ctrl-C drops continued lines, a second one ends the chat. */
async function readLine({ input, invocation }: Pick<ChatSetup, "input" | "invocation">): Promise<string | undefined> {
  let presses = 0;
  const stop = input.onInterrupt(() => {
    presses += 1;
    if (presses > 1) input.close();
    else invocation.terminal.note(`\n${LEAVE}`);
  });
  const line = await input.next(PROMPT);
  stop();
  return line?.trim();
}

interface Outcome {
  readonly sessionId: string;
  readonly failure?: Error | undefined;
}

/** A refused request ends the turn and not the chat; a server that cannot be reached ends both. */
async function tryLine(talk: ChatSetup, line: string): Promise<Outcome> {
  const { sessionId, input, invocation, translate } = talk;
  try {
    if (!line.startsWith("/")) return await takeTurn(talk, line);
    return { sessionId: (await runVerb(talk, line)) ?? sessionId };
  } catch (error) {
    const failure = translate(error);
    const isRefusal = error instanceof ClientError && error.code !== "unreachable";
    if (!isRefusal || !(failure instanceof PalimpsestError)) throw error;
    const { code, message } = failure;
    const advice = error.advice === undefined ? "" : ` ${error.advice}`;
    if (input.isInteractive) invocation.terminal.note(`${message}${advice} (${code})`);
    return { sessionId, failure };
  }
}

async function takeTurn({ invocation, client, model, input, sessionId }: ChatSetup, text: string): Promise<Outcome> {
  const { flag, terminal } = invocation;
  let presses = 0;
  const cancel = (): void => {
    presses += 1;
    if (presses > 1) input.close();
    // The stream ends when the server has stopped the reply; if it had ended already, nothing is wrong.
    else void client.cancelChat({ params: { id: sessionId } }).catch(() => undefined);
  };
  const stop = input.onInterrupt(cancel);
  try {
    const message = { id: randomUUID(), role: "user", parts: [{ type: "text", text }] };
    const body = { id: sessionId, message, model };
    const reply = await showReply(client.chat({ body }), invocation);
    const current = reply.sessionId ?? sessionId;
    if (flag("json")) await terminal.print(JSON.stringify({ said: text, ...reply, sessionId: current }));
    if (input.isInteractive) terminal.note(`(${await describeBudget(client, current)})`);
    if (reply.error === undefined) return { sessionId: current };
    return { sessionId: current, failure: new CommandFailure(`A reply failed: ${reply.error}`, EXIT_UNEXPECTED) };
  } finally {
    stop();
  }
}

/** Returns the id of the session in which the chat continues, if it is another one. */
async function runVerb({ invocation, client, sessionId }: ChatSetup, line: string): Promise<string | undefined> {
  const { terminal, flag } = invocation;
  const [, name = "", rest = ""] = /^\/(\w*)\s*(.*)$/s.exec(line) ?? [];
  const verb = Object.hasOwn(CHAT_VERBS, name) ? CHAT_VERBS[name] : undefined;
  if (verb === undefined) {
    if (name !== "help") terminal.note(`Unknown command /${name}. The commands are:`);
    for (const { help } of Object.values(CHAT_VERBS)) terminal.note(help);
    terminal.note("/quit: ends the chat");
    return;
  }
  const { outcome, lines = [], continuesIn } = await verb.run({ client, sessionId, rest });
  const current = continuesIn ?? sessionId;
  if (flag("json")) await terminal.print(JSON.stringify({ verb: name, outcome, lines, sessionId: current }));
  else for (const each of [...lines, `(${outcome})`]) terminal.note(each);
  return current;
}
