/**
 * F8: a provider that fails in every way, for 10 %, 50 % or 100 % of the calls. A chat gets an answer or a reason; no
 * round calls it more than five times; messages are kept; and when the provider works again, the same chats continue.
 */

import { type SeededRandom, seededRandom } from "../../src/testing/seeded-random.ts";
import type { ScriptedReply } from "../support/scripted-provider-reply.ts";
import { scriptedReplies as replies } from "../support/scripted-provider-reply.ts";
import { type ChatClient, type StartedChat, startChat } from "../support/start-chat.ts";
import type { FaultOptions, FaultResult } from "./fault.ts";

export const CHAOS_SHARES: readonly number[] = [0.1, 0.5, 1];
const TURNS = 3;
const MAX_ATTEMPTS = 5;
/** A server on a busy machine may wait longer than `LIMITS` allow for a provider that works. */
const MAX_LATE_ANSWERS = 20;
const ANSWER = "Here is the whole of the answer, in so many words.";
/** Short, because the expected answer never comes. */
const LIMITS = { silenceMs: 300, longestPauseMs: 20 };

const FAILURES: readonly (() => ScriptedReply)[] = [
  () => replies.serverError(500),
  () => replies.serverError(503),
  () => replies.rateLimited("120"),
  () => replies.rateLimited(),
  () => replies.reset(ANSWER, 0),
  () => replies.reset(ANSWER, 150),
  () => ({
    type: "raw",
    status: 200,
    body: '{"choices": [{"message":',
    headers: { "content-type": "application/json" },
  }),
  () => ({ type: "raw", status: 200, body: "data: {not json\n\n", headers: { "content-type": "text/event-stream" } }),
  () => ({ type: "raw", status: 502, body: "<html>Bad gateway</html>" }),
  () => replies.hang(),
];

interface ChaosTally {
  answered: number;
  explained: number;
  sentCount: number;
  lost: number;
  readonly violations: string[];
}

export async function failProvider(share: number, options: FaultOptions): Promise<FaultResult> {
  const random = seededRandom(options.seed);
  const until = performance.now() + options.longestMs;
  const seen: ChaosTally = { answered: 0, explained: 0, sentCount: 0, lost: 0, violations: [] };
  let isWell = false;
  const script = (): ScriptedReply => (isWell || random.next() >= share ? replies.text(ANSWER) : fail(random));
  await using chat = await startChat({ script, chat: LIMITS });
  const clients: ChatClient[] = [];
  for (; clients.length < options.rounds && performance.now() < until; ) {
    const client = chat.client(`chat-${clients.length}`);
    clients.push(client);
    for (let turn = 0; turn < TURNS; turn += 1) await takeTurn(chat, { client, seen });
    options.onProgress(`${share * 100} %: ${clients.length} of ${options.rounds} chats`);
  }
  isWell = true;
  for (const client of clients) await checkChat(chat, { client, seen });
  const remarks = `${seen.answered} turns answered, ${seen.explained} refused with a reason`;
  const counts = { rounds: clients.length, acknowledged: seen.sentCount, lost: seen.lost, duplicated: 0 };
  return { name: `${share * 100} % failures`, ...counts, violations: seen.violations, remarks };
}

function fail(random: SeededRandom): ScriptedReply {
  const failure = FAILURES[random.integer(FAILURES.length)] ?? replies.serverError;
  return failure();
}

interface ChatRun {
  readonly client: ChatClient;
  readonly seen: ChaosTally;
}

async function takeTurn(chat: StartedChat, { client, seen }: ChatRun): Promise<void> {
  const before = chat.provider.requests.length;
  const { text, errors } = await client.say("What is it?");
  const attempts = chat.provider.requests.length - before;
  seen.sentCount += 1;
  if (text === ANSWER) seen.answered += 1;
  else if (errors.some((error) => error.trim() !== "")) seen.explained += 1;
  else seen.violations.push(`${client.id}: neither an answer nor a reason, but ${JSON.stringify(text)}`);
  if (attempts > MAX_ATTEMPTS) seen.violations.push(`${client.id}: asked ${attempts} times`);
}

/** Checks that every message is in the log once and in order, and that the chat continues. */
async function checkChat(chat: StartedChat, { client, seen }: ChatRun): Promise<void> {
  let { text, errors } = await client.say("And now?");
  for (let late = 0; late < MAX_LATE_ANSWERS && text !== ANSWER && errors.length > 0; late += 1) {
    ({ text, errors } = await client.say("And now?"));
  }
  if (text !== ANSWER) seen.violations.push(`${client.id}: does not go on, but says ${JSON.stringify(text)}`);
  const { body } = await chat.server.ask("GET", `/api/sessions/${client.id}/messages`);
  const kept: readonly string[] = body.entries.map(({ id }: { readonly id: string }) => id);
  const sentIds = client.messages.filter(({ role }) => role === "user").map(({ id }) => id);
  const found = kept.filter((id) => sentIds.includes(id));
  seen.lost += sentIds.filter((id) => !found.includes(id)).length;
  if (found.join() !== sentIds.join())
    seen.violations.push(`${client.id}: said ${sentIds.join()}, kept ${found.join()}`);
}
