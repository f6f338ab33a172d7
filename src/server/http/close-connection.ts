/**
 * Closes connections so that clients can read the answer. Closing a socket with unread data resets the connection, and
 * a client that is still sending loses the answer. So the server ends its side first and discards what arrives, within
 * limits.
 */
import type { IncomingMessage } from "node:http";
import type { Socket } from "node:net";
import type { Duplex } from "node:stream";

/** Limits for discarding: the total time, the bytes of the largest import, and the longest pause of the client. */
const DISCARD = { milliseconds: 60_000, bytes: 1_000_000_000, pauseMs: 2_000 };

const closing = new WeakSet<Duplex>();

/** Returns true if the server is closing the connection, so that a request on it must not be started. */
export function isClosing(socket: Duplex): boolean {
  return closing.has(socket);
}

/** Ends the server's side after the given text, and closes the connection when the client has ended its side too. */
export function closeConnection(socket: Duplex, text = ""): void {
  if (closing.has(socket)) return;
  closing.add(socket);
  if (!socket.writable) return void socket.destroy();
  socket.end(text);
  // Without a reader, the socket would emit neither the client's data nor its end.
  socket.resume();
  discard(socket as Socket, () => false);
}

/** Closes a connection at once, to make room for another one. */
export function abandonConnection(socket: Socket): void {
  closing.add(socket);
  socket.destroy();
}

/** Discards the rest of a refused body. Then the connection can be used again. */
export function discardBody(incoming: IncomingMessage): void {
  if (!incoming.complete) discard(incoming.socket, () => incoming.complete);
}

function discard(socket: Socket, isDone: () => boolean): void {
  const [startedAt, bytesAtStart] = [performance.now(), socket.bytesRead];
  let bytesBefore = -1;
  const timer = setInterval(() => {
    if (isDone() || socket.destroyed) return clearInterval(timer);
    const isLong =
      performance.now() - startedAt > DISCARD.milliseconds || socket.bytesRead - bytesAtStart > DISCARD.bytes;
    if (isLong || socket.bytesRead === bytesBefore) socket.destroy();
    bytesBefore = socket.bytesRead;
  }, DISCARD.pauseMs);
  timer.unref();
}
