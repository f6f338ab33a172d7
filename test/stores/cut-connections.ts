/** A proxy between client and server that cuts connections on request. */
import { createServer, connect as openSocket, type Socket } from "node:net";

export interface CuttingProxy {
  /** Address of the server through the proxy. */
  readonly url: string;
  /**
   * Cuts the connection on which this text is sent next: before the server receives it, or after its answer, which is
   * then lost.
   */
  cutAt(words: string, when: "before" | "after"): void;
  /** How many connections were cut. */
  readonly cuts: number;
  close(): Promise<void>;
}

/** The last message of every answer of PostgreSQL, `ReadyForQuery`, without its last byte. */
const READY_FOR_QUERY = Buffer.from([0x5a, 0, 0, 0, 5]);

export async function startCuttingProxy(url: string): Promise<CuttingProxy> {
  const target = new URL(url);
  const sockets = new Set<Socket>();
  let planned: { readonly words: string; readonly when: "before" | "after" } | undefined;
  let cuts = 0;
  const server = createServer((client) => {
    const upstream = openSocket(Number(target.port), target.hostname);
    for (const socket of [client, upstream]) {
      sockets.add(socket);
      socket.on("error", () => undefined);
      socket.on("close", () => {
        client.destroy();
        upstream.destroy();
      });
    }
    let isMute = false;
    const cut = () => {
      cuts += 1;
      client.destroy();
      upstream.destroy();
    };
    client.on("data", (bytes) => {
      const found = planned !== undefined && bytes.includes(planned.words) ? planned.when : undefined;
      if (found === undefined) return void upstream.write(bytes);
      planned = undefined;
      if (found === "before") return cut();
      isMute = true;
      upstream.write(bytes);
    });
    upstream.on("data", (bytes) => {
      if (!isMute) return void client.write(bytes);
      if (bytes.subarray(-1 - READY_FOR_QUERY.length, -1).equals(READY_FOR_QUERY)) cut();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  const through = new URL(url);
  through.port = typeof address === "object" && address !== null ? `${address.port}` : "";
  return {
    url: through.href,
    cutAt: (words, when) => {
      planned = { words, when };
    },
    get cuts() {
      return cuts;
    },
    close: async () => {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
