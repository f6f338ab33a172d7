/** Plain requests of a benchmark to a server: creates a session, appends messages, requests a prompt. */
import { messageAt } from "../turn-cost/conversation.ts";

export async function createSession(url: string, id: string): Promise<void> {
  await post(`${url}/api/sessions`, { id });
}

export async function appendMessage(
  url: string,
  { id, text }: { readonly id: string; readonly text: string },
): Promise<void> {
  await post(`${url}/api/sessions/${id}/messages`, { messages: [{ role: "user", content: text }] });
}

const MESSAGES_A_REQUEST = 1_000;

/** Appends questions and answers in few requests, as an import does. */
export async function appendTurns(
  url: string,
  { id, turns }: { readonly id: string; readonly turns: number },
): Promise<void> {
  const all = Array.from({ length: turns * 2 }, (_, index) => ({
    id: `${id}-before-${index}`,
    role: index % 2 === 0 ? "user" : "assistant",
    content: TEXTS[index % TEXTS.length],
  }));
  for (let from = 0; from < all.length; from += MESSAGES_A_REQUEST) {
    await post(`${url}/api/sessions/${id}/messages`, { messages: all.slice(from, from + MESSAGES_A_REQUEST) });
  }
}

export async function askOnce(
  url: string,
  { id, budgetTokens }: { readonly id: string; readonly budgetTokens: number },
): Promise<void> {
  const next = { id: `${id}-first`, role: "user", content: "What is next?" };
  await post(`${url}/api/sessions/${id}/prompts`, { next, provider: "openai", budgetTokens });
}

const DIFFERENT_TEXTS = 500;
const TEXTS = Array.from({ length: DIFFERENT_TEXTS }, (_, index) => messageAt(index).content);

async function post(address: string, body: unknown): Promise<void> {
  const headers = { "content-type": "application/json" };
  const response = await fetch(address, { method: "POST", headers, body: JSON.stringify(body) });
  const text = await response.text();
  if (!response.ok) throw new Error(`${address} answered ${response.status}: ${text}`);
}
