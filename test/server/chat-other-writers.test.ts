/**
 * Messages that other clients append between two turns of a client that resends its whole list, and similar cases that
 * create a fork.
 */
import { describe, expect, test } from "vitest";
import { PlainChat } from "../support/plain-chat.ts";
import { scriptedReplies } from "../support/scripted-provider-reply.ts";
import { logOf, type StartedChat, sentOn, startChat } from "../support/start-chat.ts";

const { text, unauthorised } = scriptedReplies;

const createMessage = (id: string, role: "user" | "assistant", words: string) => ({ id, role, content: words });

async function sessionsOf({
  server,
}: StartedChat): Promise<readonly { readonly id: string; readonly fork?: { readonly atSeq: number } }[]> {
  return (await server.ask("GET", "/api/sessions")).body.sessions;
}

async function branchOf(chat: StartedChat): Promise<string> {
  return (await sessionsOf(chat)).find(({ fork }) => fork !== undefined)?.id ?? "none";
}

const appendAsOther = ({ server }: StartedChat, ...messages: readonly object[]) =>
  server.ask("POST", "/api/sessions/chat/messages", { messages });

function lastSent({ provider }: StartedChat): readonly string[] {
  const request = provider.requests.at(-1);
  return request === undefined ? [] : sentOn(request);
}

describe("messages that other clients append between two turns", () => {
  test("precede the client's next message in every later turn, and create no branch", async () => {
    let count = 0;
    await using chat = await startChat({ script: () => text(`Reply ${++count}.`) });
    const hook = new PlainChat(chat.server.url);
    await hook.sendMessage({ text: "One." });
    await appendAsOther(
      chat,
      createMessage("x", "user", "From elsewhere."),
      createMessage("y", "assistant", "Answered there."),
    );
    await hook.sendMessage({ text: "Two." });
    const between = ["user: From elsewhere.", "assistant: Answered there."];
    const log = ["user: One.", "assistant: Reply 1.", ...between, "user: Two.", "assistant: Reply 2."];
    expect(await logOf(chat.server)).toEqual(log);
    expect(lastSent(chat)).toEqual(log.slice(0, -1));
    await appendAsOther(chat, createMessage("z", "user", "And again."));
    await hook.sendMessage({ text: "Three." });
    expect(await logOf(chat.server)).toEqual([...log, "user: And again.", "user: Three.", "assistant: Reply 3."]);
    expect(await sessionsOf(chat)).toHaveLength(1);
    expect(hook.lines).toHaveLength(6);
  });

  test("can be a whole turn of another host, with its own prompt", async () => {
    await using chat = await startChat({ script: () => text("Yes.") });
    const hook = new PlainChat(chat.server.url);
    await hook.sendMessage({ text: "One." });
    const { body } = await chat.server.ask("POST", "/api/sessions/chat/prompts", {
      next: [createMessage("x", "user", "From elsewhere.")],
    });
    const messages = [createMessage("y", "assistant", "Answered there.")];
    await chat.server.ask("POST", "/api/sessions/chat/messages", { messages, promptId: body.id });
    await hook.sendMessage({ text: "Two." });
    expect(await sessionsOf(chat)).toHaveLength(1);
    expect((await logOf(chat.server)).slice(2)).toEqual([
      ...["user: From elsewhere.", "assistant: Answered there.", "user: Two.", "assistant: Yes."],
    ]);
  });

  test("stay in the branch of a later regenerated reply, and of a later edit", async () => {
    let count = 0;
    await using chat = await startChat({ script: () => text(`Reply ${++count}.`) });
    const hook = new PlainChat(chat.server.url);
    await hook.sendMessage({ text: "One." });
    await appendAsOther(chat, createMessage("x", "user", "From elsewhere."));
    await hook.sendMessage({ text: "Two." });
    await hook.regenerate();
    const before = ["user: One.", "assistant: Reply 1.", "user: From elsewhere."];
    expect(await logOf(chat.server, await branchOf(chat))).toEqual([...before, "user: Two.", "assistant: Reply 3."]);
    await hook.sendMessage({ text: "Two, but other.", messageId: hook.messages[2]?.id ?? "" });
    expect(lastSent(chat)).toEqual([...before, "user: Two, but other."]);
    expect(await logOf(chat.server)).toEqual([...before, "user: Two.", "assistant: Reply 2."]);
    expect(await sessionsOf(chat)).toHaveLength(3);
  });
});

describe("a client creates a fork", () => {
  test("if the client replaces its newest turn", async () => {
    await using chat = await startChat({ script: () => text("Yes.") });
    const hook = new PlainChat(chat.server.url);
    await hook.sendMessage({ text: "One." });
    await hook.sendMessage({ text: "Two." });
    await appendAsOther(chat, createMessage("x", "user", "From elsewhere."));
    hook.messages = hook.messages.slice(0, 2);
    await hook.sendMessage({ text: "Not two." });
    expect(lastSent(chat)).toEqual(["user: One.", "assistant: Yes.", "user: Not two."]);
    expect(await logOf(chat.server)).toHaveLength(5);
    expect(await sessionsOf(chat)).toHaveLength(2);
  });

  test("if it continues from the middle of a conversation that other clients wrote", async () => {
    await using chat = await startChat({ script: () => text("Yes.") });
    await chat.server.ask("POST", "/api/sessions", { id: "chat" });
    const earlier = [
      createMessage("a", "user", "One."),
      createMessage("b", "assistant", "First."),
      createMessage("c", "user", "Two."),
    ];
    await appendAsOther(chat, ...earlier, createMessage("d", "assistant", "Second."));
    const hook = new PlainChat(chat.server.url);
    hook.messages = earlier.slice(0, 2).map(({ id, role, content }) => ({
      ...{ id, role },
      parts: [{ type: "text", text: content }],
    }));
    await hook.sendMessage({ text: "Not two." });
    expect(lastSent(chat)).toEqual(["user: One.", "assistant: First.", "user: Not two."]);
    expect(await logOf(chat.server)).toHaveLength(4);
  });

  test.each([
    ["that the provider refused", {}],
    ["that did not fit", { budgetTokens: 40, instructions: "word ".repeat(2_000) }],
  ])("if it replaces a message in a turn %s", async (_, body) => {
    const script = [text("Yes."), ...(Object.keys(body).length === 0 ? [unauthorised()] : []), text("Better.")];
    await using chat = await startChat({ script });
    const hook = new PlainChat(chat.server.url);
    await hook.sendMessage({ text: "One." });
    await hook.sendMessage({ text: "Two." }, { body });
    expect(hook.error).toBeDefined();
    hook.messages = hook.messages.slice(0, 2);
    await hook.sendMessage({ text: "Not two." });
    expect(lastSent(chat)).toEqual(["user: One.", "assistant: Yes.", "user: Not two."]);
    expect(await logOf(chat.server)).toEqual(["user: One.", "assistant: Yes.", "user: Two."]);
    expect(await logOf(chat.server, await branchOf(chat))).toHaveLength(4);
  });
});
