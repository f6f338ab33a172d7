/** Summaries of messages that a client keeps itself, with a model over a real socket and without one. */
import { createAnthropic } from "@ai-sdk/anthropic";
import { describe, expect, test } from "vitest";
import { createClient } from "../../src/client/create-client.ts";
import { shows } from "../../src/testing/shows.ts";
import { startScriptedProvider } from "../support/scripted-provider.ts";
import { scriptedReplies as replies } from "../support/scripted-provider-reply.ts";
import { startTestServer } from "../support/start-server.ts";

const messages = [
  { role: "user", content: "We open the museum on 4 May 2027 with twelve stations." },
  { role: "assistant", content: "Noted: twelve stations, opening on 4 May 2027." },
  { role: "user", content: "Tomasz builds the app; it must work without a network." },
  { role: "assistant", content: "It will work offline, built by Tomasz." },
];
const ANSWER =
  "The museum opens on 4 May 2027 with twelve stations; Tomasz builds an app that works without a network.";

const PREVIOUS = "The museum of Glimvik plans an audio guide with a budget of 18,400 crowns.";

async function withModels(answer: string | undefined) {
  const provider = await startScriptedProvider(() =>
    answer === undefined ? { type: "raw", status: 500, body: "{}" } : replies.text(answer),
  );
  const anthropic = createAnthropic({ baseURL: `${provider.url}/v1`, apiKey: "none" });
  const summarizer = [anthropic("claude-opus-4-5"), anthropic("claude-haiku-4-5")];
  return { provider, server: await startTestServer({ engine: { summarizer } }) };
}

describe("POST /api/summarize-context", () => {
  test(shows("S0-22", "asks the cheapest of the models for two or three sentences of at most 500 tokens"), async () => {
    const { provider, server } = await withModels(ANSWER);
    const { status, body } = await server.ask("POST", "/api/summarize-context", { messages });
    expect([status, body.model]).toEqual([200, "claude-haiku-4-5"]);
    expect(body.summary).toContain(ANSWER);
    expect(provider.requests.map((request) => request.body.model)).toEqual(["claude-haiku-4-5"]);
    expect(provider.requests[0]?.body.max_tokens).toBeLessThanOrEqual(500);
    expect(JSON.stringify(provider.requests[0]?.body)).toContain("2–3 sentences");
    await server[Symbol.asyncDispose]();
    await provider.close();
  });

  test(shows("S0-48", "adds the client's earlier summary to the request to the model"), async () => {
    const { provider, server } = await withModels(ANSWER);
    const { status } = await server.ask("POST", "/api/summarize-context", { messages, previousSummary: PREVIOUS });
    expect(status).toBe(200);
    expect(JSON.stringify(provider.requests[0]?.body)).toMatch(/Previous summary: .*18,400 crowns/);
    await server.ask("POST", "/api/summarize-context", { messages });
    expect(JSON.stringify(provider.requests[1]?.body)).not.toContain("Previous summary");
    await server[Symbol.asyncDispose]();
    await provider.close();
  });

  test(shows("S0-47", "is called by summarizeContext of the client, with or without an earlier summary"), async () => {
    await using server = await startTestServer();
    const client = createClient({ url: server.url });
    const without = await client.summarizeContext({ body: { messages } });
    const { summary } = await client.summarizeContext({ body: { messages, previousSummary: PREVIOUS } });
    expect([without.summary.includes("18,400"), summary.includes("18,400")]).toEqual([false, true]);
    expect(summary).toContain("4 May 2027");
  });

  test("lists a fact once, even if several messages repeat it, when code writes the summary", async () => {
    await using server = await startTestServer();
    const again = [
      { role: "user", content: "It must work without a network." },
      { role: "assistant", content: "Yes: the museum opens on 4 May 2027." },
      ...messages,
    ];
    for (const given of [messages, [...messages, ...again]]) {
      const { body } = await server.ask("POST", "/api/summarize-context", { messages: given });
      const { body: rolled } = await server.ask("POST", "/api/summarize-context", {
        messages: given,
        previousSummary: body.summary,
      });
      for (const { summary } of [body, rolled]) {
        expect(summary.match(/4 May 2027/g)).toHaveLength(1);
        expect(summary.match(/without a network/g)).toHaveLength(1);
      }
    }
  });

  test("returns a summary written by code if the model fails, or if there is no model", async () => {
    const { provider, server } = await withModels(undefined);
    await using plain = await startTestServer();
    for (const each of [server, plain]) {
      const { status, body } = await each.ask("POST", "/api/summarize-context", { messages });
      expect([status, body.model]).toEqual([200, undefined]);
      expect(body.summary).toContain("4 May 2027");
    }
    await server[Symbol.asyncDispose]();
    await provider.close();
  });

  test("refuses a request without messages", async () => {
    await using server = await startTestServer();
    const refused = await server.ask("POST", "/api/summarize-context", { messages: [] });
    expect([refused.status, refused.body.error.code]).toEqual([400, "message-invalid"]);
  });
});

describe("POST /api/summarize", () => {
  test("returns the record and its verification, within its budget, and stores nothing", async () => {
    await using server = await startTestServer();
    const { body } = await server.ask("POST", "/api/summarize", { messages, budgetTokens: 200 });
    expect(body.record.tokensAfter).toBeLessThanOrEqual(200);
    expect(body.verification).toMatchObject({ score: 1, unsupported: [] });
    expect(body.attempts).toEqual([]);
    expect((await server.ask("GET", "/api/sessions")).body.sessions).toEqual([]);
  });

  test("keeps API keys out of the request to the model and out of the response", async () => {
    const { provider, server } = await withModels(ANSWER);
    const secret = "AKIAIOSFODNN7EXAMPLE";
    const held = [...messages, { role: "user", content: `The key is ${secret}.` }];
    const { body } = await server.ask("POST", "/api/summarize", { messages: held });
    expect(JSON.stringify([provider.requests.map((request) => request.body), body])).not.toContain(secret);
    await server[Symbol.asyncDispose]();
    await provider.close();
  });
});
