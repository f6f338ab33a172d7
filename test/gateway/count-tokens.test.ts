/** The gateway counts the prompt that it would send. */
import Anthropic from "@anthropic-ai/sdk";
import { expect, test } from "vitest";
import { writeWords } from "../integrations/strict-provider.ts";
import { newFolders } from "../support/new-folders.ts";
import { startRaw } from "./raw-upstream.ts";
import { startGateway } from "./start-gateway.ts";

const newFolder = newFolders("gateway-count");
const MODEL = "claude-fable-5-1";

/** Counts a token for four bytes, and answers everything else. */
function startCounting() {
  const message = {
    ...{ id: "msg_1", type: "message", role: "assistant", model: MODEL, stop_reason: "end_turn" },
    ...{ content: [{ type: "text", text: "Noted." }], usage: { input_tokens: 10, output_tokens: 2 } },
  };
  return startRaw(({ path, bytes }, response) => {
    const answer = path.startsWith("/v1/messages/count_tokens")
      ? { input_tokens: Math.ceil(bytes.length / 4) }
      : message;
    response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(answer));
  });
}

const talk = (length: number): Anthropic.MessageParam[] =>
  Array.from({ length }, (_, index) => ({
    role: index % 2 === 0 ? "user" : "assistant",
    content: `Message ${index}: ${writeWords(80, index)}`,
  }));

test("count_tokens answers for the shrunk prompt, after a restart too, and writes nothing", async () => {
  await using upstream = await startCounting();
  const store = `sqlite:${newFolder()}/store.db`;
  const messages = talk(29);
  const options = { store, gateway: { windowTokens: 4_000 } };
  const later = [
    ...messages,
    { role: "assistant" as const, content: "Noted." },
    { role: "user" as const, content: "More?" },
  ];
  const count = async (url: string, list: Anthropic.MessageParam[]) => {
    const client = new Anthropic({ baseURL: url, apiKey: "key", maxRetries: 0 });
    return (await client.messages.countTokens({ model: MODEL, messages: list })).input_tokens;
  };
  let sessionId = "";
  {
    await using gateway = await startGateway(upstream.url, options);
    const whole = await count(gateway.url, messages);
    expect(upstream.requests.at(-1)?.bytes.toString()).toBe(JSON.stringify({ model: MODEL, messages }));
    expect((await gateway.ask("GET", "/api/sessions")).body.sessions).toEqual([]);
    const client = new Anthropic({ baseURL: gateway.url, apiKey: "key", maxRetries: 0 });
    const { response } = await client.messages.create({ model: MODEL, max_tokens: 100, messages }).withResponse();
    sessionId = response.headers.get("x-palimpsest-session") ?? "";
    expect(await count(gateway.url, later)).toBeLessThan(whole / 2);
    expect(upstream.requests.at(-1)?.bytes.toString()).toContain("More?");
  }
  await using gateway = await startGateway(upstream.url, options);
  const before = (await gateway.ask("GET", `/api/sessions/${sessionId}/entries?limit=1000`)).body.entries;
  expect(await count(gateway.url, later)).toBeLessThan(4_000);
  expect((await gateway.ask("GET", `/api/sessions/${sessionId}/entries?limit=1000`)).body.entries).toEqual(before);
  expect((await gateway.ask("GET", "/api/sessions")).body.sessions).toHaveLength(1);
});
