/** Clients that compact their conversation themselves: Claude Code with a text, Codex with items and an own address. */
import Anthropic from "@anthropic-ai/sdk";
import OpenAI from "openai";
import { expect, test } from "vitest";
import { writeWords } from "../integrations/strict-provider.ts";
import type { TestServer } from "../support/start-server.ts";
import { type RawUpstream, startRaw } from "./raw-upstream.ts";
import { startGateway } from "./start-gateway.ts";

const MODEL = "claude-fable-5-1";
const INSTRUCTION =
  "Write a summary of the conversation so far. Think in <analysis> tags, then answer in <summary> tags.";
const FACT = "The deposit must be paid before 14 March, and never by card.";

function startAnthropic(text = "Noted."): Promise<RawUpstream> {
  const content = [{ type: "text", text }];
  const usage = { input_tokens: 10, output_tokens: 2 };
  const message = {
    id: "msg_1",
    type: "message",
    role: "assistant",
    model: MODEL,
    content,
    stop_reason: "end_turn",
    usage,
  };
  return startRaw((_request, response) => {
    response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(message));
  });
}

function writeTalk(): Anthropic.MessageParam[] {
  return Array.from({ length: 9 }, (_, index) => ({
    role: index % 2 === 0 ? "user" : "assistant",
    content: index === 2 ? FACT : `Message ${index}: ${writeWords(30, index)}`,
  }));
}

const clientOf = (gateway: TestServer) => new Anthropic({ baseURL: gateway.url, apiKey: "key", maxRetries: 0 });
const ask = (gateway: TestServer, messages: Anthropic.MessageParam[], headers = {}) =>
  clientOf(gateway).messages.create({ model: MODEL, max_tokens: 200, messages }, { headers }).withResponse();
const sessionOf = ({ response }: { readonly response: Response }) => response.headers.get("x-palimpsest-session");
const textOf = ({ content }: Anthropic.Message) =>
  content.flatMap((block) => (block.type === "text" ? [block.text] : [])).join("");

test.each(["stream", "whole"])("Claude Code's compaction is answered with a summary, as a %s", async (way) => {
  await using upstream = await startAnthropic();
  await using gateway = await startGateway(upstream.url);
  const talk = writeTalk();
  const first = await ask(gateway, talk);
  const request = [
    ...talk,
    { role: "assistant", content: first.data.content },
    { role: "user", content: [{ type: "text", text: INSTRUCTION }] },
  ] satisfies Anthropic.MessageParam[];
  const summary =
    way === "whole"
      ? (await ask(gateway, request)).data
      : await clientOf(gateway).messages.stream({ model: MODEL, max_tokens: 200, messages: request }).finalMessage();
  expect(upstream.requests).toHaveLength(1);
  expect(textOf(summary)).toMatch(/^<summary>[\s\S]*<\/summary>$/);
  expect(textOf(summary)).toContain("14 March");
  expect((await ask(gateway, request)).data.content).toEqual(summary.content);

  // The client's next list begins with the summary in words of its own.
  const begin = `The conversation goes on. Summary:\n${textOf(summary).replaceAll(/<\/?summary>/g, "")}\nContinue.`;
  const list: Anthropic.MessageParam[] = [{ role: "user", content: begin }];
  const next = await ask(gateway, list);
  expect(upstream.requests).toHaveLength(2);
  expect(JSON.parse(upstream.requests[1]?.bytes.toString() ?? "").messages).toEqual(list);
  list.push({ role: "assistant", content: next.data.content }, { role: "user", content: "And now?" });
  const later = await ask(gateway, list);
  expect(sessionOf(later)).toBe(sessionOf(next));
  const { body } = await gateway.ask("GET", `/api/sessions/${sessionOf(next)}/entries?limit=1000`);
  expect(JSON.stringify(body)).toContain(FACT);
  expect(JSON.stringify(body)).toContain("And now?");
});

test("a compaction passes through where the operator says so, and the session continues", async () => {
  const text = `<analysis>Nothing.</analysis><summary>The user books a boat, and ${FACT} ${writeWords(60, 3)}</summary>`;
  await using upstream = await startAnthropic(text);
  await using gateway = await startGateway(upstream.url, { gateway: { clientCompaction: "pass" } });
  const talk = writeTalk();
  const headers = { "x-claude-code-request-class": "compaction" };
  const compacted = await ask(gateway, [...talk.slice(0, -1), { role: "user", content: "Compact this." }], headers);
  expect(textOf(compacted.data)).toBe(text);
  const [, summary = ""] = /<summary>(.*)<\/summary>/.exec(text) ?? [];
  const list: Anthropic.MessageParam[] = [
    { role: "user", content: `It goes on.\n\nSummary:\n${summary}\n\nContinue.` },
  ];
  const next = await ask(gateway, list);
  const { body } = await gateway.ask("GET", `/api/sessions/${sessionOf(next)}/entries?limit=1000`);
  expect(JSON.stringify(body)).toContain("Message 0:");
  const other = await ask(gateway, [{ role: "user", content: `Summary:\n${writeWords(80, 5)}` }]);
  const { body: entries } = await gateway.ask("GET", `/api/sessions/${sessionOf(other)}/entries?limit=1000`);
  expect(JSON.stringify(entries)).not.toContain("Message 0:");
});

const RESPONSE = {
  ...{ id: "resp_1", object: "response", created_at: 1, status: "completed", model: "gpt-5.4" },
  output: [
    {
      type: "message",
      id: "msg_1",
      role: "assistant",
      status: "completed",
      content: [{ type: "output_text", text: "Noted.", annotations: [] }],
    },
  ],
};

function startResponses(): Promise<RawUpstream> {
  return startRaw((_request, response) => {
    response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(RESPONSE));
  });
}

const writeInput = () =>
  Array.from({ length: 9 }, (_, index) => ({
    type: "message" as const,
    role: index % 2 === 0 ? ("user" as const) : ("assistant" as const),
    content: index === 2 ? FACT : `Message ${index}: ${writeWords(30, index)}`,
  }));

test("Codex' compaction item gets exactly one compaction, which the upstream later gets as text", async () => {
  await using upstream = await startResponses();
  await using gateway = await startGateway(upstream.url);
  const client = new OpenAI({ baseURL: `${gateway.url}/v1`, apiKey: "key", maxRetries: 0 });
  const trigger = { type: "compaction_trigger" } as unknown as OpenAI.Responses.ResponseInputItem;
  const events = await client.responses.create({
    model: "gpt-5.4",
    stream: true,
    store: false,
    input: [...writeInput(), trigger],
  });
  const done: OpenAI.Responses.ResponseOutputItem[] = [];
  let last: string | undefined;
  for await (const event of events) {
    last = event.type;
    if (event.type === "response.output_item.done") done.push(event.item);
  }
  expect([last, done.map(({ type }) => type)]).toEqual(["response.completed", ["compaction"]]);
  expect(upstream.requests).toHaveLength(0);

  const input = [
    { type: "message", role: "user", content: "Message 8" },
    ...done,
    { type: "message", role: "user", content: "Go on." },
  ] as OpenAI.Responses.ResponseInputItem[];
  const next = await client.responses.create({ model: "gpt-5.4", store: false, input }).withResponse();
  const [request] = upstream.requests;
  expect(request?.bytes.toString()).not.toContain("encrypted_content");
  expect(JSON.parse(request?.bytes.toString() ?? "").input[1].content[0].text).toContain("14 March");
  input.push(...(next.data.output as OpenAI.Responses.ResponseInputItem[]), { role: "user", content: "And now?" });
  const later = await client.responses.create({ model: "gpt-5.4", store: false, input }).withResponse();
  expect(sessionOf(later)).toBe(sessionOf(next));
  const { body } = await gateway.ask("GET", `/api/sessions/${sessionOf(next)}/entries?limit=1000`);
  expect(JSON.stringify(body)).toContain(FACT);
});

test("the older address of Codex' compaction returns a shorter list", async () => {
  await using upstream = await startResponses();
  await using gateway = await startGateway(upstream.url);
  const body = JSON.stringify({ model: "gpt-5.4", instructions: "Answer briefly.", input: writeInput() });
  const headers = { "content-type": "application/json" };
  const response = await fetch(`${gateway.url}/v1/responses/compact`, { method: "POST", headers, body });
  const { output } = (await response.json()) as { readonly output: readonly { readonly type: string }[] };
  expect(response.status).toBe(200);
  expect(output.map(({ type }) => type)).toEqual(["message", "message", "compaction"]);
  expect(upstream.requests).toHaveLength(0);
});
