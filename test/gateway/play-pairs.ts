/** Conversations that begin with the same messages and overlap. No request may have text of another one. */
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { seededRandom } from "../../src/testing/seeded-random.ts";

export interface PairsUpstream extends AsyncDisposable {
  readonly url: string;
  readonly requests: number;
  readonly folded: number;
  /** Requests with markers of more than one conversation. */
  readonly mixed: readonly string[];
}

const REPLY = JSON.stringify({
  choices: [{ index: 0, message: { role: "assistant", content: "Noted." }, finish_reason: "stop" }],
});

export async function startPairsUpstream(): Promise<PairsUpstream> {
  const mixed: string[] = [];
  let [requests, folded] = [0, 0];
  const server = createServer(async (incoming, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of incoming) chunks.push(chunk);
    const text = Buffer.concat(chunks).toString();
    requests += 1;
    if (text.includes("[Summary of the")) folded += 1;
    const markers = new Set(text.match(/marker-\d+-\d+/g));
    if (markers.size !== 1) mixed.push([...markers].join(", "));
    response.writeHead(200, { "content-type": "application/json" }).end(REPLY);
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    mixed,
    get requests() {
      return requests;
    },
    get folded() {
      return folded;
    },
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

const OWN_TURNS = 9;

/** Plays one group of conversations with the same beginning, in two rounds of overlapping requests. */
export async function playGroup(url: string, group: number, size: number): Promise<void> {
  const random = seededRandom(group);
  const words = (count: number) => Array.from({ length: count }, () => `word${random.integer(997)}`).join(" ");
  const beginning = Array.from({ length: 1 + random.integer(3) * 2 }, (_, index) => ({
    role: index % 2 === 0 ? "user" : "assistant",
    content: `Beginning ${group}.${index}: ${words(20)}`,
  }));
  const lists = Array.from({ length: size }, (_, member) => [
    ...beginning,
    ...Array.from({ length: OWN_TURNS }, (_unused, turn) => [
      { role: "assistant", content: `Noted ${turn}.` },
      { role: "user", content: `marker-${group}-${member} ${turn} ${words(60)}` },
    ]).flat(),
  ]);
  for (const round of [0, 1]) {
    await Promise.all(
      lists.map(async (list, member) => {
        const body = JSON.stringify({ model: "gpt-5.4", max_completion_tokens: 100, messages: list });
        const response = await fetch(`${url}/v1/chat/completions`, { method: "POST", body });
        if (response.status !== 200) throw new Error(`${response.status}: ${await response.text()}`);
        await response.text();
        list.push({ role: "assistant", content: "Noted." });
        list.push({ role: "user", content: `marker-${group}-${member} round ${round}` });
      }),
    );
  }
}
