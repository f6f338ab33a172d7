/** A gateway in front of given upstreams, and requests of OpenAI's chat completions as a client writes them. */
import { startTestServer, type TestServer } from "../support/start-server.ts";

export const WINDOW_TOKENS = 8_000;

export function startGateway(url: string, options: Parameters<typeof startTestServer>[0] = {}): Promise<TestServer> {
  const upstreams = [
    { vendor: "anthropic", url },
    { vendor: "openai", url: `${url}/v1` },
  ] as const;
  return startTestServer({
    ...options,
    gateway: { upstreams, windowTokens: WINDOW_TOKENS, ...options.gateway },
    engine: { counter: "estimate", summarizer: "offline", ...options.engine },
  });
}

export function post(
  gateway: TestServer,
  body: string | Uint8Array,
  headers: Readonly<Record<string, string>> = {},
): Promise<Response> {
  const sent = { "content-type": "application/json", ...headers };
  return fetch(`${gateway.url}/v1/chat/completions`, { method: "POST", headers: sent, body });
}

export async function readText(response: Response): Promise<unknown> {
  return JSON.parse(await response.text()).choices[0].message.content;
}

export async function readError(response: Response): Promise<{ readonly type: string; readonly message: string }> {
  return JSON.parse(await response.text()).error;
}

export const chat = (...texts: readonly string[]) =>
  JSON.stringify({
    model: "gpt-5.4",
    messages: texts.map((content, index) => ({ role: index % 2 === 0 ? "user" : "assistant", content })),
  });

export const replyWith = (text: string) =>
  JSON.stringify({
    choices: [{ index: 0, message: { role: "assistant", content: text }, finish_reason: "stop" }],
    usage: { prompt_tokens: 10, completion_tokens: 2, total_tokens: 12 },
  });
