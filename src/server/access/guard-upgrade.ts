/** Checks upgrades like every request: browsers open WebSockets across origins without a preflight. */
import { randomUUID } from "node:crypto";
import { type IncomingMessage, STATUS_CODES } from "node:http";
import type { Duplex } from "node:stream";
import { RPC_TOKEN_PROTOCOL } from "../../protocol/rpc-codes.ts";
import { answerError } from "../http/answer-error.ts";
import { closeConnection } from "../http/close-connection.ts";
import { type RequestHead, readIncomingHead } from "../http/request-head.ts";
import { SECURITY_HEADERS } from "../http/security-headers.ts";
import type { Access } from "./access.ts";
import type { Caller } from "./permissions.ts";

/** Returns the sender of the upgrade. Throws `RefusedRequest`, which `refuseUpgrade` answers. */
export function guardUpgrade(request: IncomingMessage, access: Access): Caller {
  const head = readUpgradeHead(request);
  access.guard(head);
  return access.identify(head);
}

/** Reads the token from the subprotocols: a browser cannot send other headers with a WebSocket. */
function readUpgradeHead(request: IncomingMessage): RequestHead {
  const head = readIncomingHead(request);
  const token = readToken(head.header("sec-websocket-protocol"));
  if (token === undefined || head.header("authorization") !== undefined) return head;
  return { ...head, header: (name) => (name === "authorization" ? `Bearer ${token}` : head.header(name)) };
}

function readToken(protocols: string | undefined): string | undefined {
  const names = protocols?.split(",").map((each) => each.trim());
  const found = names?.find((each) => each.startsWith(RPC_TOKEN_PROTOCOL));
  return found === undefined
    ? undefined
    : Buffer.from(found.slice(RPC_TOKEN_PROTOCOL.length), "base64url").toString("latin1");
}

/** Writes the refusal to the socket of a request that has no response object, and closes it. */
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
  closeConnection(socket, [`HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ""}`, ...lines, "", text].join("\r\n"));
}
