/** What Claude Code, Codex, Cursor, opencode and the AI SDK send and expect, besides plain conversations. */
import { once } from "node:events";
import { type IncomingMessage, request } from "node:http";
import { zstdCompressSync } from "node:zlib";
import { createAnthropic } from "@ai-sdk/anthropic";
import { generateText, streamText } from "ai";
import { expect, test } from "vitest";
import { writeWords } from "../integrations/strict-provider.ts";
import { type RawUpstream, startRaw } from "./raw-upstream.ts";
import { startSplitAnthropic } from "./split-anthropic.ts";
import { startGateway } from "./start-gateway.ts";

const MODEL = "claude-fable-5-1";

function startMessages(): Promise<RawUpstream> {
  const message = {
    ...{ id: "msg_1", type: "message", role: "assistant", model: MODEL, stop_reason: "end_turn" },
    ...{ content: [{ type: "text", text: "Noted." }], usage: { input_tokens: 10, output_tokens: 2 } },
  };
  return startRaw((_request, response) => {
    response.writeHead(200, { "content-type": "application/json", "x-codex-turn-state": "state-7" });
    response.end(JSON.stringify(message));
  });
}

const send = (url: string, path: string, body: object, headers: Readonly<Record<string, string>> = {}) =>
  fetch(`${url}${path}`, {
    method: "POST",
    headers: { "content-type": "application/json", ...headers },
    body: JSON.stringify(body),
  });

test("Claude Code's unknown fields, headers and attribution block reach the upstream after a compaction too", async () => {
  await using upstream = await startMessages();
  await using gateway = await startGateway(upstream.url, { gateway: { windowTokens: 3_000 } });
  const system = [
    { type: "text", text: "x-anthropic-billing-header: cc_version=2.1" },
    { type: "text", text: "You are careful.", cache_control: { type: "ephemeral" } },
  ];
  const messages = Array.from({ length: 21 }, (_, index) => ({
    role: index % 2 === 0 ? "user" : "assistant",
    content: `Message ${index}: ${writeWords(60, index)}`,
  }));
  const tools = [{ name: "lookup", input_schema: { type: "object" }, cache_control: { type: "ephemeral" } }];
  const unknown = {
    context_management: { edits: [{ type: "clear_thinking", keep: "all" }] },
    output_config: { effort: "low" },
  };
  const body = { model: MODEL, max_tokens: 100, system, tools, ...unknown, metadata: { user_id: "{}" }, messages };
  const headers = { "anthropic-beta": "one-2026,oauth-2026", "x-claude-code-session-id": "s", "x-app": "cli" };
  const response = await send(gateway.url, "/v1/messages?beta=true", body, headers);
  expect(Number(response.headers.get("x-palimpsest-saved-tokens"))).toBeGreaterThan(0);
  const [sent] = upstream.requests;
  expect([sent?.path, sent?.headers["anthropic-beta"], sent?.headers["x-app"]]).toEqual([
    "/v1/messages?beta=true",
    "one-2026,oauth-2026",
    "cli",
  ]);
  const { messages: shrunk, ...others } = JSON.parse(sent?.bytes.toString() ?? "");
  const { messages: _, ...given } = body;
  expect(others).toEqual(given);
  expect(shrunk.length).toBeLessThan(messages.length);
  expect(sent?.bytes.toString().match(/cache_control/g)).toHaveLength(4);
});

test("a system message in the middle stays at its place, and becomes text when it is compacted", async () => {
  await using upstream = await startMessages();
  await using gateway = await startGateway(upstream.url, { gateway: { windowTokens: 3_000 } });
  const rule = (name: string) => ({ role: "system", content: `Never delete the file ${name}.` });
  const talk = Array.from({ length: 21 }, (_, index) => ({
    role: index % 2 === 0 ? "user" : "assistant",
    content: `Message ${index}: ${writeWords(60, index)}`,
  }));
  const messages = [...talk.slice(0, 2), rule("old.txt"), ...talk.slice(2, 20), rule("new.txt"), ...talk.slice(20)];
  await send(gateway.url, "/v1/messages", { model: MODEL, max_tokens: 100, messages });
  const { messages: sent, system } = JSON.parse(upstream.requests[0]?.bytes.toString() ?? "");
  expect(system).toBeUndefined();
  expect(JSON.stringify(sent[0])).toContain("old.txt");
  expect(JSON.stringify(sent.slice(-2))).toContain("new.txt");
});

test("Codex' compressed body, list of models and turn state pass through", async () => {
  await using upstream = await startMessages();
  await using gateway = await startGateway(upstream.url);
  const body = zstdCompressSync(JSON.stringify({ model: "gpt-5.4", input: "Hello", store: false }));
  const headers = { "content-type": "application/json", "content-encoding": "zstd", "x-codex-turn-state": "state-6" };
  const response = await fetch(`${gateway.url}/v1/responses`, { method: "POST", headers, body });
  expect(response.headers.get("x-codex-turn-state")).toBe("state-7");
  expect(upstream.requests[0]?.bytes.equals(body)).toBe(true);
  expect(upstream.requests[0]?.headers["x-codex-turn-state"]).toBe("state-6");
  expect((await fetch(`${gateway.url}/v1/models?client_version=0.150.0`)).status).toBe(200);
  expect(upstream.requests[1]?.path).toBe("/v1/models?client_version=0.150.0");
});

test("conversations with equal text stay apart by Codex' thread, opencode's session and Claude Code's agent", async () => {
  await using upstream = await startMessages();
  await using gateway = await startGateway(upstream.url);
  const sessions = [];
  for (const headers of [
    { "thread-id": "one", "session-id": "shared" },
    { "thread-id": "two", "session-id": "shared" },
    { "x-session-affinity": "one" },
    { "X-Session-Id": "one" },
    { "x-claude-code-session-id": "one", "x-claude-code-agent-id": "a" },
    { "x-claude-code-session-id": "one", "x-claude-code-agent-id": "b" },
  ]) {
    const response = await send(gateway.url, "/v1/responses", { model: "gpt-5.4", input: "Hello" }, headers);
    sessions.push(response.headers.get("x-palimpsest-session"));
    expect(upstream.requests.at(-1)?.headers).toMatchObject(
      Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value])),
    );
  }
  expect(new Set(sessions).size).toBe(6);
});

test("bodies of Cursor that the gateway cannot read reach the upstream unchanged", async () => {
  await using upstream = await startMessages();
  await using gateway = await startGateway(upstream.url);
  const tools = [{ type: "custom", name: "ApplyPatch", format: { type: "text" } }];
  const responses = {
    model: "gpt-5.4",
    input: [{ role: "user", content: [{ type: "input_text", text: "Hi" }] }],
    tools,
  };
  await send(gateway.url, "/v1/chat/completions", responses);
  const flat = { model: "gpt-5.4", messages: [{ role: "user", content: "Hi" }], tools };
  await send(gateway.url, "/v1/chat/completions", flat);
  expect(upstream.requests.map(({ bytes }) => bytes.toString())).toEqual(
    [responses, flat].map((body) => JSON.stringify(body)),
  );
});

test("Claude Code's check of the address is answered", async () => {
  await using gateway = await startGateway("http://127.0.0.1:9");
  const outgoing = request(`${gateway.url}/api/hello`, { method: "HEAD" }).end();
  const [response] = (await once(outgoing, "response")) as [IncomingMessage];
  expect(response.statusCode).toBe(204);
});

test("the AI SDK gets whole and streamed answers whose bytes are cut inside characters", async () => {
  await using upstream = await startSplitAnthropic(3);
  await using gateway = await startGateway(upstream.url);
  const model = createAnthropic({ baseURL: `${gateway.url}/v1`, apiKey: "key" })(MODEL);
  const results = [
    { type: "tool-result", toolCallId: "toolu_1_0", toolName: "lookup", output: { type: "text", value: "x" } },
  ];
  const calls = [{ type: "tool-call", toolCallId: "toolu_1_0", toolName: "lookup", input: { topic: "boats" } }];
  const messages = [
    { role: "user", content: "Which pier?" },
    { role: "assistant", content: calls },
    { role: "tool", content: results },
  ] as Parameters<typeof generateText>[0]["messages"];
  if (messages === undefined) throw new Error("no messages");
  expect((await generateText({ model, messages })).text).toContain("the ñ boat 舟 🚢");
  expect(await streamText({ model, messages }).text).toContain("the ñ boat 舟 🚢");
  expect(upstream.refusals).toEqual([]);
});
