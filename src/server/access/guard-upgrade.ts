/**
 * The door for upgrades. A WebSocket is opened by an ordinary request, which a browser sends across origins without
 * asking anybody, so it is looked at like every other; and refused in the same words.
 */
import { randomUUID } from "node:crypto";
import { type IncomingMessage, STATUS_CODES } from "node:http";
import type { Duplex } from "node:stream";
import { RPC_TOKEN_PROTOCOL } from "../../protocol/rpc-codes.ts";
import { answerError } from "../http/answer-error.ts";
import { headOfIncoming, type RequestHead } from "../http/request-head.ts";
import { SECURITY_HEADERS } from "../http/security-headers.ts";
import type { Access } from "./access.ts";

/** Whose connection it will be. Throws `RefusedRequest`, which `refuseUpgrade` answers. */
export function guardUpgrade(request: IncomingMessage, access: Access): string {
  const head = headOfUpgrade(request);
  access.guard(head);
  return access.identify(head);
}

/** A browser cannot send a token with a WebSocket's request but as the name of a protocol. */
function headOfUpgrade(request: IncomingMessage): RequestHead {
  const head = headOfIncoming(request);
  const token = readToken(head.header("sec-websocket-protocol"));
  if (token === undefined || head.header("authorization") !== undefined) return head;
  return { ...head, header: (name) => (name === "authorization" ? `Bearer ${token}` : head.header(name)) };
}

function readToken(protocols: string | undefined): string | undefined {
  const named = protocols?.split(",").map((each) => each.trim());
  const found = named?.find((each) => each.startsWith(RPC_TOKEN_PROTOCOL));
  return found === undefined
    ? undefined
    : Buffer.from(found.slice(RPC_TOKEN_PROTOCOL.length), "base64url").toString("latin1");
}

/** The answer to a request that was given no response to write to, after which its connection ends. */
export function refuseUpgrade(socket: Duplex, error: unknown): void {
  const { status, headers, body } = answerError(error, randomUUID());
  const text = JSON.stringify(body);
  const lines = Object.entries({
    ...SECURITY_HEADERS,
    ...headers,
    "content-type": "application/json",
    "content-length": String(Buffer.byteLength(text)),
    connection: "close",
  }).map(([name, value]) => `${name}: ${value}`);
  // Whoever is gone already needs no answer.
  if (!socket.writable) return void socket.destroy();
  socket.end([`HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ""}`, ...lines, "", text].join("\r\n"));
}
