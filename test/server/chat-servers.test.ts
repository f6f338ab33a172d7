/** Chats on two servers with one PostgreSQL database. */
import { afterAll, expect, test } from "vitest";
import { describePostgres } from "../support/describe-postgres.ts";
import { followEvents } from "../support/follow-events.ts";
import { startScriptedProvider } from "../support/scripted-provider.ts";
import { scriptedReplies } from "../support/scripted-provider-reply.ts";
import { ChatClient, logOf, modelAt, until } from "../support/start-chat.ts";
import { startTestServer } from "../support/start-server.ts";

const { text, slow } = scriptedReplies;

await describePostgres("two servers on one database", (postgres) => {
  afterAll(() => postgres.close());

  test("a client of one server gets the events of a chat on the other server, and finds the reply in the log", async () => {
    const store = await postgres.newDatabase();
    await using provider = await startScriptedProvider([slow("A reply that takes its time.", 0), text("And another.")]);
    const models = [modelAt(provider.url)];
    await using one = await startTestServer({ store, models });
    await using other = await startTestServer({ store, models });
    await one.ask("POST", "/api/sessions", { id: "chat" });
    await other.ask("GET", "/api/sessions/chat");
    await using followed = await followEvents(other.url);
    const client = new ChatClient(one.url, "chat");
    await client.say("Hello?");
    const grown = () =>
      followed.events.filter(({ name, data }) => name === "session-grown" && data.sessionId === "chat");
    // The log has the user message, the request entry of the prompt, and the reply.
    await until(() => grown().some(({ data }) => Number(data.seq) >= 3));
    expect(await logOf(other)).toEqual(["user: Hello?", "assistant: A reply that takes its time."]);
    const moved = new ChatClient(other.url, "chat");
    moved.messages = client.messages;
    expect((await moved.say("Go on.")).text).toBe("And another.");
    expect((await other.ask("GET", "/api/sessions")).body.sessions).toHaveLength(1);
    expect(await logOf(one)).toHaveLength(4);
  });

  test("a message sent to one server between two turns on the other server creates no branch", async () => {
    const store = await postgres.newDatabase();
    await using provider = await startScriptedProvider(() => text("Yes."));
    const models = [modelAt(provider.url)];
    await using one = await startTestServer({ store, models });
    await using other = await startTestServer({ store, models });
    const client = new ChatClient(one.url, "chat");
    for (const [turn, words] of ["One.", "Two.", "Three."].entries()) {
      await client.say(words);
      const messages = [{ id: `x${turn}`, role: "user", content: `Elsewhere ${turn}.` }];
      await other.ask("POST", "/api/sessions/chat/messages", { messages });
    }
    expect((await one.ask("GET", "/api/sessions")).body.sessions).toHaveLength(1);
    expect(await logOf(one)).toEqual(
      ["One.", "Two.", "Three."].flatMap((words, turn) => [
        ...[`user: ${words}`, "assistant: Yes.", `user: Elsewhere ${turn}.`],
      ]),
    );
  });

  test("no message is lost if both servers run turns in one session", async () => {
    const store = await postgres.newDatabase();
    await using provider = await startScriptedProvider((_, index) => text(`Reply ${index}.`));
    const models = [modelAt(provider.url)];
    await using one = await startTestServer({ store, models });
    await using other = await startTestServer({ store, models });
    await one.ask("POST", "/api/sessions", { id: "chat" });
    const turns = Array.from({ length: 8 }, (_, index) => index);
    const play = async (server: typeof one, name: string) => {
      for (const turn of turns) {
        const message = { id: `${name}-${turn}`, role: "user", content: `${name} ${turn}.` };
        // Only one turn runs at a time on all servers together, so a refused client tries again.
        const answered = { status: 409, body: "" };
        await until(async () => {
          Object.assign(answered, await server.ask("POST", "/api/chat", { id: "chat", message }));
          return answered.status !== 409;
        });
        const { status, body } = answered;
        expect({ status, hasEnded: body.includes('"finish"') }).toEqual({ status: 200, hasEnded: true });
      }
    };
    await Promise.all([play(one, "one"), play(other, "other")]);
    const log = await logOf(one);
    expect(log).toHaveLength(32);
    expect(log).toEqual(await logOf(other));
    const asked = (name: string) => log.filter((line) => line.startsWith(`user: ${name}`));
    expect(asked("one")).toEqual(turns.map((turn) => `user: one ${turn}.`));
    expect(asked("other")).toEqual(turns.map((turn) => `user: other ${turn}.`));
    expect(new Set(log.filter((line) => line.startsWith("assistant: Reply"))).size).toBe(16);
  });
});
