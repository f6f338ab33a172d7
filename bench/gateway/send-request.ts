/** A client of chat completions over one connection after the other, with the time to the first byte and to the last. */
import { Agent, request } from "node:http";

const agent = new Agent({ keepAlive: true, maxSockets: Number.POSITIVE_INFINITY });

export interface SentRequest {
  readonly firstByteMs: number;
  readonly totalMs: number;
  readonly bytes: number;
  readonly headers: Readonly<Record<string, unknown>>;
}

/** Sends a body that was encoded before. `chunks` asks for a stream of that length. */
export function sendRequest(url: string, body: Uint8Array, chunks?: number): Promise<SentRequest> {
  const headers = {
    "content-type": "application/json",
    "content-length": String(body.byteLength),
    authorization: "Bearer key of the client",
    ...(chunks === undefined ? {} : { "x-chunks": String(chunks) }),
  };
  return new Promise((resolve, reject) => {
    const startedAt = performance.now();
    let firstByteMs: number | undefined;
    const outgoing = request(`${url}/v1/chat/completions`, { method: "POST", headers, agent }, (incoming) => {
      let bytes = 0;
      incoming.on("data", (chunk: Buffer) => {
        firstByteMs ??= performance.now() - startedAt;
        bytes += chunk.length;
      });
      incoming.on("error", reject);
      incoming.on("end", () => {
        if (incoming.statusCode !== 200) return reject(new Error(`status ${incoming.statusCode} of ${url}`));
        const totalMs = performance.now() - startedAt;
        resolve({ firstByteMs: firstByteMs ?? totalMs, totalMs, bytes, headers: incoming.headers });
      });
    });
    // A server may close an idle connection while a request is on its way.
    outgoing.on("error", (error) => {
      if (outgoing.reusedSocket) resolve(sendRequest(url, body, chunks));
      else reject(error);
    });
    outgoing.end(body);
  });
}

export function closeConnections(): void {
  agent.destroy();
}
