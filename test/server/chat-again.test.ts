/** Messages that a client resends or removes: none is lost, and no request, tool run or fork is made needlessly. */
import { tool } from "ai";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { PlainChat } from "../support/plain-chat.ts";
import { scriptedReplies } from "../support/scripted-provider-reply.ts";
import {
  logOf,
  type StartChatOptions,
  type StartedChat,
  sentOn,
  startChat,
  textOf,
  until,
} from "../support/start-chat.ts";

const { text, held, toolCall, serverError } = scriptedReplies;

const LONG = "Every word of this reply takes its time to arrive. ".repeat(3).trim();

const user = (id: string, words: string) => ({ id, role: "user", parts: [{ type: "text", text: words }] });

async function post(
  { server }: StartedChat,
  body: object,
): Promise<{ readonly status: number; readonly text: string }> {
  const response = await fetch(`${server.url}/api/chat`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ id: "chat", ...body }),
  });
  return { status: response.status, text: await response.text() };
}

async function sessionsOf({
  server,
}: StartedChat): Promise<readonly { readonly id: string; readonly fork?: object }[]> {
  return (await server.ask("GET", "/api/sessions")).body.sessions;
}

async function branchOf(chat: StartedChat): Promise<string> {
  return (await sessionsOf(chat)).find(({ fork }) => fork !== undefined)?.id ?? "none";
}

/** Starts a chat whose provider fails while `isFailing` is true, and is called once for each turn. */
function startFailing(provider: { readonly isFailing: boolean }): Promise<StartedChat> {
  return startChat({ chat: { attempts: 1 }, script: () => (provider.isFailing ? serverError() : text("Yes.")) });
}

const lastSent = ({ provider }: StartedChat) => {
  const request = provider.requests.at(-1);
  return request === undefined ? [] : sentOn(request);
};

function createSendTool(
  ran: string[],
  wait: Promise<void> = Promise.resolve(),
): NonNullable<StartChatOptions["tools"]> {
  const send = tool({
    description: "Sends a letter.",
    inputSchema: z.object({ to: z.string() }),
    execute: async ({ to }) => {
      ran.push(to);
      await wait;
      return `Sent to ${to}.`;
    },
  });
  return { send: { ...send, needsApproval: true } as typeof send };
}

/** Creates a chat whose newest reply has an approved call, without sending the approval. */
async function allow(chat: StartedChat): Promise<PlainChat> {
  const hook = new PlainChat(chat.server.url);
  await hook.sendMessage({ text: "Send it." });
  const part = hook.messages.at(-1)?.parts.find(({ type }) => type === "tool-send");
  const approval = part !== undefined && "approval" in part ? part.approval : undefined;
  await hook.addToolApprovalResponse({ id: String(approval?.id), approved: true });
  return hook;
}

describe("a deleted message", () => {
  test("that is sent again with a new text is stored and answered on its own branch", async () => {
    await using chat = await startChat({ script: () => text("Yes.") });
    const hook = new PlainChat(chat.server.url);
    await hook.sendMessage({ text: "One." });
    await hook.sendMessage({ text: "Two." });
    const messageId = hook.messages[2]?.id ?? "";
    await chat.server.ask("DELETE", `/api/sessions/chat/messages/${messageId}`);
    await hook.sendMessage({ text: "Two, otherwise.", messageId });
    expect(lastSent(chat)).toEqual(["user: One.", "assistant: Yes.", "user: Two, otherwise."]);
    expect(await logOf(chat.server, await branchOf(chat))).toEqual([
      ...["user: One.", "assistant: Yes.", "user: Two, otherwise.", "assistant: Yes."],
    ]);
    await hook.regenerate();
    expect(lastSent(chat).at(-1)).toBe("user: Two, otherwise.");
  });

  test("in a list that a client resends is not restored and creates no branch", async () => {
    await using chat = await startChat({ script: () => text("Yes.") });
    const hook = new PlainChat(chat.server.url);
    await hook.sendMessage({ text: "A secret." });
    await hook.sendMessage({ text: "Two." });
    await chat.server.ask("DELETE", `/api/sessions/chat/messages/${hook.messages[0]?.id}`);
    await hook.sendMessage({ text: "Three." });
    expect(JSON.stringify(lastSent(chat))).not.toContain("A secret.");
    expect(await sessionsOf(chat)).toHaveLength(1);
  });

  test("cannot be answered again: regenerating its reply is refused, and no provider is called", async () => {
    await using chat = await startChat({ script: () => text("Yes.") });
    const hook = new PlainChat(chat.server.url);
    await hook.sendMessage({ text: "One." });
    await chat.server.ask("DELETE", `/api/sessions/chat/messages/${hook.messages[0]?.id}`);
    const alone = await post(chat, { trigger: "regenerate-message" });
    expect(alone).toMatchObject({ status: 400, text: expect.stringContaining("were deleted") });
    const list = await post(chat, { trigger: "regenerate-message", messages: hook.messages });
    expect(list).toMatchObject({ status: 400, text: expect.stringContaining("were deleted") });
    expect(chat.provider.requests).toHaveLength(1);
    expect(await sessionsOf(chat)).toHaveLength(1);
  });
});

test("resending the only message of a chat after its deletion returns an error, and no provider is called", async () => {
  await using chat = await startChat({ chat: { attempts: 1 }, script: [serverError(), text("Never said.")] });
  const messages = [user("u1", "Hello.")];
  await post(chat, { messages });
  await chat.server.ask("DELETE", "/api/sessions/chat/messages/u1");
  expect((await post(chat, { messages })).text).toContain("There is nothing to answer");
  expect(chat.provider.requests).toHaveLength(1);
});

describe("a call that needs approval", () => {
  test("runs once, even if the same list is sent repeatedly", async () => {
    const ran: string[] = [];
    await using chat = await startChat({
      tools: createSendTool(ran),
      script: [toolCall("send", { to: "Ada" }), text("It is on its way."), text("Never said.")],
    });
    const hook = await allow(chat);
    const messages = structuredClone(hook.messages);
    expect((await post(chat, { messages, trigger: "submit-message" })).text).toContain("It is on its");
    const again = await post(chat, { messages, trigger: "submit-message" });
    expect(ran).toEqual(["Ada"]);
    expect(chat.provider.requests).toHaveLength(2);
    expect(again.text).toContain("It is on its");
    expect(again.text).not.toContain('"type":"error"');
    expect(await logOf(chat.server)).toHaveLength(4);
  });

  test("runs once if only the reply with the approval is sent, even repeatedly", async () => {
    const ran: string[] = [];
    await using chat = await startChat({
      tools: createSendTool(ran),
      script: [toolCall("send", { to: "Ada" }), text("It is on its way."), text("Never said.")],
    });
    const message = (await allow(chat)).messages.at(-1);
    for (let count = 0; count < 2; count += 1) {
      expect((await post(chat, { message })).text).toContain("It is on its");
    }
    expect(ran).toEqual(["Ada"]);
    expect(chat.provider.requests).toHaveLength(2);
    expect((await logOf(chat.server)).at(-1)).toBe("assistant: It is on its way.");
  });

  test("does not continue a reply that is canceled while the tool runs", async () => {
    const ran: string[] = [];
    const { promise, resolve } = Promise.withResolvers<void>();
    await using chat = await startChat({
      tools: createSendTool(ran, promise),
      script: [toolCall("send", { to: "Ada" }), text("Never said.")],
    });
    const { messages } = await allow(chat);
    const turn = post(chat, { messages, trigger: "submit-message" });
    await until(() => ran.length === 1);
    const cancel = chat.server.ask("DELETE", "/api/chat/chat/stream");
    // The server has read the request when it answers a later one.
    for (let count = 0; count < 5; count += 1) await chat.server.ask("GET", "/health");
    resolve();
    expect((await cancel).body).toEqual({ cancelled: true });
    expect((await turn).text).toContain('"type":"abort"');
    expect(chat.provider.requests).toHaveLength(1);
  });
});

describe("a reply", () => {
  const look = tool({ inputSchema: z.object({ place: z.string() }), execute: async ({ place }) => `Seen ${place}.` });

  test("is completed for a client that has only its first step, without another request to the provider", async () => {
    await using chat = await startChat({
      tools: { look },
      script: [toolCall("look", { place: "a" }), toolCall("look", { place: "b" }), text("That is all."), text("No.")],
    });
    const hook = new PlainChat(chat.server.url);
    await hook.sendMessage({ text: "Look." });
    const [question, reply] = structuredClone(hook.messages);
    const second = reply?.parts.findIndex(({ type }, index) => index > 0 && type === "step-start");
    const left = new PlainChat(chat.server.url);
    left.messages = [question, { ...reply, parts: reply?.parts.slice(0, second) }] as typeof left.messages;
    await left.sendMessage();
    expect(left.error).toBeUndefined();
    expect(chat.provider.requests).toHaveLength(3);
    const shapes = (parts: readonly object[] = []) =>
      parts.map((part) => ["type", "state", "text", "output"].map((name) => part[name as never]));
    expect(shapes(left.messages.at(-1)?.parts)).toEqual(shapes(reply?.parts));
    await left.sendMessage({ text: "Thanks." });
    expect(await sessionsOf(chat)).toHaveLength(1);
  });

  test("that ends with a tool result is continued after that result", async () => {
    await using chat = await startChat({
      tools: { look },
      chat: { attempts: 1 },
      script: [toolCall("look", { place: "a" }), toolCall("look", { place: "b" }), serverError(), text("That is all.")],
    });
    const hook = new PlainChat(chat.server.url);
    await hook.sendMessage({ text: "Look." });
    expect(hook.status).toBe("error");
    const [question, reply] = structuredClone(hook.messages);
    const second = reply?.parts.findIndex(({ type }, index) => index > 0 && type === "step-start");
    const left = new PlainChat(chat.server.url);
    left.messages = [question, { ...reply, parts: reply?.parts.slice(0, second) }] as typeof left.messages;
    await left.sendMessage();
    expect(left.error).toBeUndefined();
    expect(textOf(left.messages.at(-1))).toBe("That is all.");
    expect((await logOf(chat.server)).map((line) => line.split(":")[0])).toEqual([
      ...["user", "assistant", "tool", "assistant", "tool", "assistant"],
    ]);
    expect(left.messages.at(-1)?.parts.filter(({ type }) => type === "tool-look")).toHaveLength(2);
  });

  test("is returned when its message is sent again alone, without another request to the provider", async () => {
    await using chat = await startChat({ script: [text("One."), text("Two.")] });
    const message = user("u1", "Hello.");
    const first = await post(chat, { message });
    const again = await post(chat, { message });
    expect(first.text).toContain("One.");
    expect(again).toMatchObject({ status: 200, text: expect.stringContaining("One.") });
    expect(await logOf(chat.server)).toEqual(["user: Hello.", "assistant: One."]);
    expect(chat.provider.requests).toHaveLength(1);
  });

  test("that failed is requested again when the same message is resent", async () => {
    await using chat = await startChat({ chat: { attempts: 1 }, script: [serverError(), text("Here.")] });
    const message = user("u1", "Hello.");
    expect((await post(chat, { message })).text).toContain('"type":"error"');
    expect((await post(chat, { message })).text).toContain("Here.");
    expect(await logOf(chat.server)).toEqual(["user: Hello.", "assistant: Here."]);
  });
});

describe("branches", () => {
  test("a message that is sent alone continues after the chat's newest reply, not on another client's fork", async () => {
    await using chat = await startChat({ script: [text("Old."), text("New."), text("On.")] });
    await post(chat, { message: user("u1", "Hello.") });
    await post(chat, { trigger: "regenerate-message" });
    const branch = await branchOf(chat);
    const { body } = await chat.server.ask("POST", "/api/sessions/chat/fork", {});
    await chat.server.ask("POST", `/api/sessions/${body.id}/messages`, { messages: [user("x", "Mine.")] });
    await post(chat, { message: user("u2", "Go on.") });
    expect(lastSent(chat)).toEqual(["user: Hello.", "assistant: New.", "user: Go on."]);
    expect(await logOf(chat.server, branch)).toHaveLength(4);
  });

  test("a reply far back in a long log is regenerated on a branch that starts before it", async () => {
    await using chat = await startChat({ script: () => text("New.") });
    const talk = Array.from({ length: 600 }, (_, index) => ({
      id: `m${index}`,
      role: index % 2 === 0 ? "user" : "assistant",
      content: `Message ${index}.`,
    }));
    const pieces = [0, 1].map((piece) => ({ id: `reply#${piece}`, role: "assistant", content: `Piece ${piece}.` }));
    await chat.server.ask("POST", "/api/sessions", { id: "chat" });
    await chat.server.ask("POST", "/api/sessions/chat/messages", {
      messages: [...talk.slice(0, 101), ...pieces, ...talk.slice(102)],
    });
    await post(chat, { trigger: "regenerate-message", messageId: "reply" });
    const branch = await chat.server.ask("GET", `/api/sessions/${await branchOf(chat)}`);
    expect(branch.body).toMatchObject({ fork: { parentId: "chat", atSeq: 101 } });
    const missing = await post(chat, { trigger: "regenerate-message", messageId: "nobody" });
    expect(missing).toMatchObject({ status: 400, text: expect.stringContaining("expected a reply") });
  });

  test("retries of an edit on a failing provider use one fork", async () => {
    const provider = { isFailing: false };
    await using chat = await startFailing(provider);
    const hook = new PlainChat(chat.server.url);
    await hook.sendMessage({ text: "One." });
    provider.isFailing = true;
    await hook.sendMessage({ text: "One, otherwise.", messageId: hook.messages[0]?.id ?? "" });
    for (let count = 0; count < 4; count += 1) await hook.regenerate();
    provider.isFailing = false;
    await hook.regenerate();
    expect(hook.lines).toEqual(["user: One, otherwise.", "assistant: Yes."]);
    expect(await sessionsOf(chat)).toHaveLength(2);
  });

  test("retries of a regenerated reply on a failing provider use one fork", async () => {
    const provider = { isFailing: false };
    await using chat = await startFailing(provider);
    const hook = new PlainChat(chat.server.url);
    await hook.sendMessage({ text: "One." });
    provider.isFailing = true;
    for (let count = 0; count < 3; count += 1) await hook.regenerate();
    provider.isFailing = false;
    await hook.regenerate();
    expect(await sessionsOf(chat)).toHaveLength(2);
  });

  test("messages that other clients append during a reply create no branch", async () => {
    let count = 0;
    const { promise: rest, resolve: goOn } = Promise.withResolvers<void>();
    await using chat = await startChat({ script: () => (count++ === 0 ? held("Word by word.", rest) : text("Yes.")) });
    const hook = new PlainChat(chat.server.url);
    const sending = hook.sendMessage({ text: "One." });
    await until(() => chat.provider.requests.length === 1);
    await chat.server.ask("POST", "/api/sessions/chat/messages", { messages: [user("x", "From elsewhere.")] });
    goOn();
    await sending;
    await hook.sendMessage({ text: "Two." });
    expect(await sessionsOf(chat)).toHaveLength(1);
    expect(await logOf(chat.server)).toEqual([
      ...["user: One.", "user: From elsewhere.", "assistant: Word by word.", "user: Two.", "assistant: Yes."],
    ]);
  });

  test.each(["all", "the beginning"])(
    "messages that other clients append between the rounds of a reply create no branch if the client has %s of the reply",
    async (known) => {
      const look = tool({ inputSchema: z.object({}), execute: async () => "Seen." });
      const { promise: rest, resolve: goOn } = Promise.withResolvers<void>();
      const script = [toolCall("look", {}), held("So it is.", rest), text("Yes.")];
      await using chat = await startChat({ tools: { look }, script });
      const hook = new PlainChat(chat.server.url);
      const sending = hook.sendMessage({ text: "One." });
      await until(() => chat.provider.requests.length === 2);
      await chat.server.ask("POST", "/api/sessions/chat/messages", { messages: [user("x", "From elsewhere.")] });
      goOn();
      await sending;
      const [question, reply] = hook.messages;
      const second = reply?.parts.findIndex(({ type }, index) => index > 0 && type === "step-start");
      const parts = reply?.parts.slice(0, known === "all" ? undefined : second);
      hook.messages = [question, { ...reply, parts }] as typeof hook.messages;
      await hook.sendMessage({ text: "Two." });
      expect(await sessionsOf(chat)).toHaveLength(1);
      expect((await logOf(chat.server)).slice(3)).toEqual([
        ...["user: From elsewhere.", "assistant: So it is.", "user: Two.", "assistant: Yes."],
      ]);
    },
  );

  test("a list that leaves out messages of the log creates a branch", async () => {
    await using chat = await startChat({ script: () => text("Yes.") });
    const hook = new PlainChat(chat.server.url);
    await hook.sendMessage({ text: "One." });
    await hook.sendMessage({ text: "Two." });
    hook.messages = hook.messages.slice(2);
    await hook.sendMessage({ text: "Three." });
    expect(await sessionsOf(chat)).toHaveLength(2);
    expect(lastSent(chat)[0]).toBe("user: Two.");
  });
});

describe("a streaming reply", () => {
  test("that no client reads is canceled by the next message, and its text so far is kept with a marker", async () => {
    await using chat = await startChat({ script: [held(LONG, new Promise(() => undefined)), text("As you like.")] });
    const hook = new PlainChat(chat.server.url);
    const sending = hook.sendMessage({ text: "Tell me all." });
    await until(() => textOf(hook.messages.at(1)).startsWith("Every"));
    await hook.stop();
    await sending;
    await hook.sendMessage({ text: "Shorter." });
    expect(hook.error).toBeUndefined();
    expect(hook.lines.at(-1)).toBe("assistant: As you like.");
    expect((await logOf(chat.server))[1]).toMatch(/^assistant: Every.*\[stopped\]$/);
    expect(await sessionsOf(chat)).toHaveLength(1);
  });

  test("is not canceled while a client reads it, or when its own message is sent again", async () => {
    await using chat = await startChat({ script: [held(LONG, new Promise(() => undefined)), text("Never said.")] });
    const message = user("u1", "Tell me all.");
    const leaving = new AbortController();
    const body = JSON.stringify({ id: "chat", message });
    const headers = { "content-type": "application/json" };
    await fetch(`${chat.server.url}/api/chat`, { method: "POST", headers, body, signal: leaving.signal });
    expect((await post(chat, { message: user("u2", "Shorter.") })).status).toBe(409);
    leaving.abort();
    expect((await post(chat, { message })).status).toBe(409);
    expect((await chat.server.ask("DELETE", "/api/chat/chat/stream")).body).toEqual({ cancelled: true });
  });
});

describe("a chat request that cannot be answered", () => {
  test.each(["Two.", "One."])(
    'with the same id for the message "One." and for a later message %j is refused, and no turn starts',
    async (words) => {
      await using chat = await startChat({ script: () => text("Never said.") });
      const reply = { id: "a", role: "assistant", parts: [{ type: "text", text: "Yes." }] };
      const { status, text: answer } = await post(chat, { messages: [user("u", "One."), reply, user("u", words)] });
      expect(status).toBe(400);
      expect(answer).toContain("body.messages[2].id");
      expect(await sessionsOf(chat)).toEqual([]);
      expect(chat.provider.requests).toHaveLength(0);
    },
  );

  test("gets an error response if it does not fit, and the log records no server failure", async () => {
    await using chat = await startChat({ script: () => text("Never said.") });
    const { text: answer } = await post(chat, {
      message: user("u", "Hello."),
      instructions: "word ".repeat(2_000),
      budgetTokens: 50,
    });
    expect(answer).toContain('"type":"error"');
    expect(chat.provider.requests).toHaveLength(0);
    expect(chat.server.logged.filter(({ kind }) => kind === "failed")).toEqual([]);
  });
});
