/** An upstream that answers with given bytes and records the bytes of requests. */
import { once } from "node:events";
import { createServer, type IncomingHttpHeaders, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

export interface RawRequest {
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly bytes: Buffer;
}

export interface RawUpstream extends AsyncDisposable {
  readonly url: string;
  readonly requests: readonly RawRequest[];
}

export async function startRaw(answer: (request: RawRequest, response: ServerResponse) => void): Promise<RawUpstream> {
  const requests: RawRequest[] = [];
  const server = createServer(async (incoming, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of incoming) chunks.push(chunk);
    const request = { path: incoming.url ?? "", headers: incoming.headers, bytes: Buffer.concat(chunks) };
    requests.push(request);
    answer(request, response);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    requests,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
