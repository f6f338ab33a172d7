/** Sends a request as raw bytes, where `fetch` would normalize or refuse it, and reads the first answer. */
import { connect, type Socket } from "node:net";

export interface RawAnswer {
  /** 0 if the connection ended without an answer. */
  readonly status: number;
  readonly headers: ReadonlyMap<string, string>;
  readonly body: string;
  /** True if the server asked for the body first. */
  readonly isContinued: boolean;
}

export interface RawOptions {
  /** The client ends its side and keeps listening. */
  readonly halfClose?: boolean | undefined;
  /** The client disconnects without waiting. */
  readonly hangUp?: boolean | undefined;
  /** Pause between two chunks. */
  readonly pauseMs?: number | undefined;
  /** How long to wait for an answer; no answer is a valid result. */
  readonly timeoutMs?: number | undefined;
}

const TIMEOUT_MS = 60_000;
const NO_ANSWER: RawAnswer = { status: 0, headers: new Map(), body: "", isContinued: false };

export function sendRaw(
  port: number,
  pieces: readonly (string | Uint8Array)[],
  { halfClose = false, hangUp = false, pauseMs = 0, timeoutMs = TIMEOUT_MS }: RawOptions = {},
): Promise<RawAnswer> {
  const socket = connect(port, "127.0.0.1");
  return new Promise((resolve) => {
    let bytes = Buffer.alloc(0);
    const end = (): void => {
      clearTimeout(timer);
      socket.destroy();
      resolve(readAnswer(bytes) ?? NO_ANSWER);
    };
    const timer = setTimeout(end, timeoutMs);
    socket.on("data", (chunk) => {
      bytes = Buffer.concat([bytes, chunk]);
      if (readAnswer(bytes) !== undefined) end();
    });
    socket.on("close", end);
    // A refusing server may close the connection while the client still writes.
    socket.on("error", () => undefined);
    socket.on("connect", async () => {
      await write(socket, { pieces, pauseMs });
      if (halfClose) socket.end();
      if (hangUp) end();
    });
  });
}

async function write(
  socket: Socket,
  { pieces, pauseMs }: { readonly pieces: readonly (string | Uint8Array)[]; readonly pauseMs: number },
): Promise<void> {
  for (const piece of pieces) {
    if (!socket.writable) return;
    await new Promise<void>((resolve) => socket.write(piece, () => resolve()));
    if (pauseMs > 0) await new Promise((resolve) => setTimeout(resolve, pauseMs));
  }
}

/** Returns the first complete answer other than `100 Continue`. */
function readAnswer(bytes: Buffer, isContinued = false): RawAnswer | undefined {
  const text = bytes.toString("latin1");
  const end = text.indexOf("\r\n\r\n");
  if (end === -1) return undefined;
  const [first = "", ...lines] = text.slice(0, end).split("\r\n");
  const status = Number(first.split(" ")[1]);
  if (status === 100) return readAnswer(bytes.subarray(end + 4), true);
  const headers = new Map(
    lines.map((line) => [line.slice(0, line.indexOf(":")).toLowerCase(), line.slice(line.indexOf(":") + 1).trim()]),
  );
  const body = bytes.subarray(end + 4);
  const length = Number(headers.get("content-length") ?? 0);
  if (body.length < length) return undefined;
  return { status, headers, body: body.toString("utf8"), isContinued };
}
