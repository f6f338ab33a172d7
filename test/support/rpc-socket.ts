/** A plain JSON-RPC client over a WebSocket, independent of our code. */
import { once } from "node:events";
import { WebSocket } from "ws";

export interface RpcTestSocket extends AsyncDisposable {
  readonly socket: WebSocket;
  /** Notifications, oldest first. */
  readonly notifications: readonly { readonly method: string; readonly params: Record<string, never> }[];
  // biome-ignore lint/suspicious/noExplicitAny: tests read any field of a response.
  call(method: string, params?: unknown): Promise<any>;
  send(text: string): void;
  /** Resolves when such a notification has arrived. */
  // biome-ignore lint/suspicious/noExplicitAny: tests read any field of a notification.
  waitForNotification(method: string, isWanted?: (params: any) => boolean): Promise<any>;
  /** Other messages, as received. */
  readonly answers: readonly unknown[];
}

export interface OpenSocketOptions {
  readonly headers?: Readonly<Record<string, string>> | undefined;
  readonly protocols?: readonly string[] | undefined;
  /** False for a client that does not answer pings. */
  readonly autoPong?: boolean | undefined;
}

const TIMEOUT_MS = 60_000;

export async function openRpcSocket(url: string, options: OpenSocketOptions = {}): Promise<RpcTestSocket> {
  const { headers = {}, protocols = [], autoPong = true } = options;
  const socket = new WebSocket(`${url.replace(/^http/, "ws")}/rpc`, [...protocols], {
    headers: { ...headers },
    autoPong,
  });
  const notifications: { method: string; params: Record<string, never> }[] = [];
  const answers: unknown[] = [];
  const changed = new Set<() => void>();
  socket.on("message", (data) => {
    const value = JSON.parse(data.toString());
    if (value.method === undefined) answers.push(value);
    else notifications.push(value);
    for (const wake of changed) wake();
  });
  await once(socket, "open");
  const until = async <Found>(find: () => Found | undefined, what: string): Promise<Found> => {
    const deadline = performance.now() + TIMEOUT_MS;
    for (;;) {
      const found = find();
      if (found !== undefined) return found;
      if (performance.now() > deadline)
        throw new Error(`${what} did not arrive. Received: ${JSON.stringify(notifications).slice(-500)}`);
      await new Promise<void>((resolve) => {
        const timer = setTimeout(done, 500);
        function done() {
          clearTimeout(timer);
          changed.delete(done);
          resolve();
        }
        changed.add(done);
      });
    }
  };
  let next = 0;
  return {
    socket,
    notifications,
    answers,
    send: (text) => socket.send(text),
    async call(method, params) {
      const id = next++;
      socket.send(JSON.stringify({ jsonrpc: "2.0", id, method, params }));
      const isMine = (answer: unknown) => (answer as { id?: unknown }).id === id;
      const answer = (await until(() => answers.find(isMine), `the answer of ${method}`)) as {
        error?: unknown;
        result?: unknown;
      };
      if (answer.error !== undefined) throw Object.assign(new Error("refused"), { rpc: answer.error });
      return answer.result;
    },
    waitForNotification: (method, isWanted = () => true) =>
      until(() => notifications.find((each) => each.method === method && isWanted(each.params))?.params, method),
    async [Symbol.asyncDispose]() {
      socket.terminate();
    },
  };
}
