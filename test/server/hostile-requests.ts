/**
 * Hostile requests with their expected responses. They are sent as bytes, because a well-behaved client would correct
 * most of them. None of them may change the session `victim`.
 */
import { gzipSync } from "node:zlib";
import type { RawOptions } from "../support/send-raw.ts";

export interface HostileRequest extends RawOptions {
  readonly name: string;
  /** The expected status, or several allowed ones. */
  readonly expect: number | readonly number[];
  /** The bytes, for the server's host name. */
  readonly pieces: (host: string) => readonly (string | Uint8Array)[];
}

const MEGABYTE = 1_000_000;
const BODY_LIMIT = 4 * MEGABYTE;
const APPEND = "/api/sessions/victim/messages";

interface Head {
  readonly method?: string;
  readonly path?: string;
  readonly headers?: readonly string[];
  readonly host?: string;
}

function head({ method = "GET", path = "/api/sessions", headers = [], host = "" }: Head): string {
  return [`${method} ${path} HTTP/1.1`, `host: ${host}`, ...headers, "", ""].join("\r\n");
}

function get(
  name: string,
  path: string,
  expect: HostileRequest["expect"],
  headers: readonly string[] = [],
): HostileRequest {
  return { name, expect, pieces: (host) => [head({ path, headers, host })] };
}

function post(
  name: string,
  body: string | Uint8Array,
  expect: HostileRequest["expect"],
  { path = APPEND, method = "POST", type = "application/json", headers = [] as readonly string[] } = {},
): HostileRequest {
  const length = `content-length: ${Buffer.byteLength(body)}`;
  return {
    name,
    expect,
    pieces: (host) => [head({ method, path, host, headers: [`content-type: ${type}`, length, ...headers] }), body],
  };
}

const saying = (content: unknown) => JSON.stringify({ messages: [{ id: "h", role: "user", content }] });
/** A body of exactly this many bytes that is JSON but not a message. */
const padded = (bytes: number) => `{"messages":5,"pad":"${"x".repeat(bytes - 23)}"}`;
const nested = (depth: number) => `{"messages":${"[".repeat(depth)}${"]".repeat(depth)}}`;
const chunk = (text: string) => `${Buffer.byteLength(text).toString(16)}\r\n${text}\r\n`;
const SQL = "'; DROP TABLE sessions; --";
const chunked = ["content-type: application/json", "transfer-encoding: chunked"];

const SIZES: readonly HostileRequest[] = [
  post("a body of the largest size is read, and refused for what it says", padded(BODY_LIMIT), 400),
  post("a body of one byte more", padded(BODY_LIMIT + 1), 413),
  {
    name: "a body that is announced as too large",
    expect: 413,
    pieces: (host) => [
      head({
        method: "POST",
        path: APPEND,
        host,
        headers: ["content-type: application/json", "content-length: 99999999999"],
      }),
    ],
  },
  {
    name: "endless chunks",
    expect: 413,
    pieces: (host) => [
      head({ method: "POST", path: APPEND, host, headers: chunked }),
      ...Array.from({ length: 50 }, () => chunk(`"${"x".repeat(100_000)}"`)),
    ],
  },
  {
    name: "100-continue for too much is refused before it is sent",
    expect: 413,
    pieces: (host) => [
      head({
        method: "POST",
        path: APPEND,
        host,
        headers: ["content-type: application/json", "content-length: 5000000", "expect: 100-continue"],
      }),
    ],
  },
  { name: "an unknown expectation", expect: 417, pieces: (host) => [head({ host, headers: ["expect: miracles"] })] },
  get("an address of 9,000 characters", `/api/sessions/${"x".repeat(9_000)}`, 414),
  get("an address that is larger than a head may be", `/${"x".repeat(20_000)}`, 431),
  get("a header of 20,000 bytes", "/api/sessions", 431, [`x-long: ${"x".repeat(20_000)}`]),
  get(
    "3,000 headers",
    "/api/sessions",
    431,
    Array.from({ length: 3_000 }, (_, index) => `x-${index}: 1`),
  ),
  post("a message of more than a megabyte", saying("x".repeat(MEGABYTE + 1)), 413),
  post("a message of 1,001 parts", saying(Array.from({ length: 1_001 }, () => ({ type: "text", text: "x" }))), 413),
  post(
    "1,001 messages at once",
    JSON.stringify({ messages: Array.from({ length: 1_001 }, () => ({ role: "user", content: "x" })) }),
    400,
  ),
  post("a title of 10,001 characters", JSON.stringify({ title: "x".repeat(10_001) }), 400, {
    method: "PATCH",
    path: "/api/sessions/victim",
  }),
  post("an id of 201 characters", JSON.stringify({ id: "x".repeat(201) }), 400, { path: "/api/sessions" }),
];

const NESTING: readonly HostileRequest[] = [
  post("65 levels", nested(64), 400),
  post("20,000 levels", nested(20_000), 400),
  post("a million levels", nested(MEGABYTE), 400),
  post("a million levels that are never closed", `{"messages":${"[".repeat(MEGABYTE)}`, 400),
  post("four megabytes of empty lists", `{"messages":[${"[],".repeat(1_300_000)}[]]}`, 413),
  post("300,000 keys", `{${Array.from({ length: 300_000 }, (_, index) => `"k${index}":1`).join(",")}}`, [400, 413]),
  post(
    "100,000 keys in the place of messages",
    `{"messages":{${Array.from({ length: 100_000 }, (_, index) => `"k${index}":1`).join(",")}}}`,
    400,
  ),
  post("__proto__ as a field", '{"messages":[{"role":"user","content":"x","__proto__":{"polluted":true}}]}', 400),
  post(
    "__proto__ deep inside",
    saying([{ type: "text", text: "x", extra: JSON.parse('{"__proto__":{"polluted":true}}') }]),
    400,
  ),
  post("constructor and prototype as fields", '{"constructor":{"prototype":{"polluted":true}}}', 400),
  post("a field that is there twice", '{"messages":[{"role":"user","role":"system","content":"x"}]}', 400),
  post("a number beyond 2^53", '{"messages":[],"usage":{"inputTokens":9007199254740993}}', 400),
  post("a number beyond all numbers", '{"messages":[],"usage":{"inputTokens":1e400}}', 400),
];

const TYPES: readonly HostileRequest[] = [
  post("no JSON", "{", 400),
  post("nothing at all", "", 400),
  post("a list where an object belongs", "[]", 400),
  post("null", "null", 400),
  post("a number where messages belong", '{"messages":5}', 400),
  post("an unknown role", '{"messages":[{"role":"root","content":"x"}]}', 400),
  post("a message without content", '{"messages":[{"role":"user"}]}', 400),
  post("a negative token count", '{"messages":[],"usage":{"inputTokens":-1}}', 400),
  post("a form", "messages=x", 415, { type: "application/x-www-form-urlencoded" }),
  post("text, as a page may send it without asking", saying("x"), 415, { type: "text/plain" }),
  post("a type that only begins like ours", saying("x"), 415, { type: "application/jsonp" }),
  get("a limit that is no number", "/api/sessions?limit=ten", 400),
  get("a limit of a million", "/api/sessions?limit=1000000", 400),
  get("a limit that runs over", "/api/sessions?limit=1e309", 400),
  get("an invalid cursor", "/api/sessions?before=%00%ff", 400),
  get("types that do not exist", "/api/sessions/victim/entries?types=message,secret", 400),
];

const ENCODINGS: readonly HostileRequest[] = [
  post("a gzip bomb", gzipSync("0".repeat(50 * MEGABYTE)), 415, { headers: ["content-encoding: gzip"] }),
  post("brotli", Buffer.from([1, 2, 3]), 415, { headers: ["content-encoding: br"] }),
  post("bytes that are no UTF-8", Buffer.from([0x7b, 0x22, 0xff, 0xfe, 0x22, 0x7d]), 400),
  post("UTF-16", Buffer.from(saying("x"), "utf16le"), 400),
  post(
    "an overlong slash",
    Buffer.concat([Buffer.from('{"messages":"'), Buffer.from([0xc0, 0xaf]), Buffer.from('"}')]),
    400,
  ),
  get("a broken escape in the address", "/api/sessions/%E0%A4%A", [400, 404]),
  get("NUL in the address", "/api/sessions/a%00b", [400, 404]),
];

const PATHS: readonly HostileRequest[] = [
  get("a way out of the folder", "/../../../../etc/passwd", 404),
  get("the same, escaped", "/..%2f..%2f..%2fetc%2fpasswd", 404),
  get("the same as an id", "/api/sessions/..%2f..%2f..%2fetc%2fpasswd", 404),
  get("the same with backslashes", "/..\\..\\windows\\win.ini", 400),
  get("two slashes", "//evil.example/api/sessions", [400, 404]),
  get("__proto__ as an id", "/api/sessions/__proto__", 404),
  get("a message by the name of a method", "/api/sessions/victim/messages/constructor", 404),
  {
    name: "another host as the target",
    expect: 400,
    pieces: (host) => [head({ path: "http://evil.example/api/sessions", host })],
  },
  { name: "an asterisk as the target", expect: 400, pieces: (host) => [head({ method: "OPTIONS", path: "*", host })] },
  {
    name: "a proxy's request",
    expect: 405,
    pieces: () => ["CONNECT evil.example:443 HTTP/1.1\r\nhost: evil.example:443\r\n\r\n"],
  },
  { name: "an unknown method", expect: [400, 404, 405], pieces: (host) => [head({ method: "BREW", host })] },
  { name: "TRACE", expect: [400, 404, 405], pieces: (host) => [head({ method: "TRACE", host })] },
];

const HEADERS: readonly HostileRequest[] = [
  { name: "a foreign host", expect: 403, pieces: () => [head({ host: "evil.example" })] },
  {
    name: "a foreign host for an unknown path",
    expect: 403,
    pieces: () => [head({ path: "/nowhere", host: "evil.example" })],
  },
  { name: "no host", expect: [400, 403], pieces: () => ["GET /api/sessions HTTP/1.1\r\n\r\n"] },
  { name: "HTTP/1.0 without a host", expect: [400, 403], pieces: () => ["GET /api/sessions HTTP/1.0\r\n\r\n"] },
  { name: "two hosts", expect: 400, pieces: (host) => [head({ host, headers: ["host: evil.example"] })] },
  { name: "a host with a tab in it", expect: [400, 403], pieces: (host) => [head({ host: `${host}\tevil.example` })] },
  get("a foreign origin", "/api/sessions", 403, ["origin: https://evil.example"]),
  post("a foreign origin that posts", saying("x"), 403, { headers: ["origin: https://evil.example"] }),
  get("a token that is not needed", "/api/sessions", 401, ["authorization: Bearer plm_x"]),
  get("a token in the address", "/api/sessions?token=plm_x", 401),
  {
    name: "two lengths",
    expect: 400,
    pieces: (host) => [
      head({ method: "POST", path: APPEND, host, headers: ["content-length: 5", "content-length: 6"] }),
      "{}",
    ],
  },
  {
    name: "a length and chunks, which two servers would interpret differently",
    expect: 400,
    pieces: (host) => [
      head({ method: "POST", path: APPEND, host, headers: [...chunked, "content-length: 4"] }),
      "0\r\n\r\nGET /api/sessions HTTP/1.1\r\n\r\n",
    ],
  },
  {
    name: "an invalid length",
    expect: 400,
    pieces: (host) => [head({ method: "POST", path: APPEND, host, headers: ["content-length: -1"] })],
  },
  { name: "a folded header line", expect: 400, pieces: (host) => [head({ host, headers: ["x-a: 1", " folded"] })] },
  { name: "a header with NUL in it", expect: 400, pieces: (host) => [head({ host, headers: ["x-a: 1\0 2"] })] },
  { name: "bytes that are not HTTP", expect: 400, pieces: () => ["\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03"] },
  {
    name: "an unsupported upgrade",
    expect: [200, 400, 404, 426],
    pieces: (host) => [head({ host, headers: ["connection: upgrade", "upgrade: h2c"] })],
  },
];

const SLOW: readonly HostileRequest[] = [
  {
    name: "a body that arrives byte by byte",
    expect: 408,
    pauseMs: 100,
    pieces: (host) => [
      head({ method: "POST", path: APPEND, host, headers: ["content-type: application/json", "content-length: 1000"] }),
      ...Array.from({ length: 40 }, () => "{"),
    ],
  },
  {
    name: "a body that never arrives",
    expect: 408,
    pieces: (host) => [
      head({ method: "POST", path: APPEND, host, headers: ["content-type: application/json", "content-length: 10"] }),
    ],
  },
  { name: "a head that never ends", expect: 408, pieces: (host) => [`GET / HTTP/1.1\r\nhost: ${host}\r\nx-`] },
  { name: "a socket that sends nothing", expect: [0, 408], patienceMs: 2_500, pieces: () => [] },
  {
    name: "a head cut off by a half-closed connection",
    expect: [0, 400],
    halfClose: true,
    pieces: (host) => [`GET / HTTP/1.1\r\nhost: ${host}`],
  },
  {
    name: "a body cut off by a half-closed connection",
    expect: [0, 400],
    halfClose: true,
    pieces: (host) => [
      head({ method: "POST", path: APPEND, host, headers: ["content-type: application/json", "content-length: 1000"] }),
      saying("half"),
    ],
  },
  {
    name: "a body cut off by a client that disconnects",
    expect: 0,
    hangUp: true,
    pieces: (host) => [
      head({ method: "POST", path: APPEND, host, headers: ["content-type: application/json", "content-length: 1000"] }),
      saying("gone"),
    ],
  },
  {
    name: "a client that does not wait for the response",
    expect: 0,
    hangUp: true,
    pieces: (host) => [head({ path: "/api/sessions/victim/export", host })],
  },
];

const METACHARACTERS: readonly HostileRequest[] = [
  get("SQL as an id", `/api/sessions/${encodeURIComponent(SQL)}`, 404),
  get("SQL as a place", `/api/sessions?before=${encodeURIComponent(SQL)}`, 400),
  get("SQL as a type", `/api/sessions/victim/entries?types=${encodeURIComponent(SQL)}`, 400),
  get("SQL as a number", `/api/sessions/victim/messages?afterSeq=${encodeURIComponent("1 OR 1=1")}`, 400),
  {
    name: "SQL as an id to delete",
    expect: 404,
    pieces: (host) => [head({ method: "DELETE", path: `/api/sessions/${encodeURIComponent("x' OR '1'='1")}`, host })],
  },
  ...['"', "foo AND", "NEAR(", "-x", "col:x", "*", "%", "_", "\\", "[a-", "'; --", "中"].map((text) =>
    get(`${text} as a search`, `/api/search?query=${encodeURIComponent(text)}`, [200, 404]),
  ),
];

const WEBSOCKET = [
  "connection: upgrade",
  "upgrade: websocket",
  "sec-websocket-version: 13",
  "sec-websocket-key: dGhlIHNhbXBsZSBub25jZQ==",
];

const UPGRADES: readonly HostileRequest[] = [
  {
    name: "an upgrade by a foreign host",
    expect: 403,
    pieces: () => [head({ path: "/rpc", host: "evil.example", headers: WEBSOCKET })],
  },
  get("an upgrade by a page of another site", "/rpc", 403, [...WEBSOCKET, "origin: https://evil.example"]),
  get("an upgrade with a token in its address", "/rpc?token=plm_x", 401, WEBSOCKET),
  get("an upgrade where there is none", "/api/sessions", [400, 404, 426], WEBSOCKET),
  get("an upgrade without a key", "/rpc", [400, 426], WEBSOCKET.slice(0, 3)),
];

const CALLS: readonly HostileRequest[] = [
  post("a call that is no JSON", "{", [200, 400], { path: "/rpc" }),
  post("a call of a method that the language has", '{"jsonrpc":"2.0","id":1,"method":"constructor"}', [200, 400, 404], {
    path: "/rpc",
  }),
  post(
    "10,000 calls at once, of which none is made",
    `[${Array.from({ length: 10_000 }, (_, id) => `{"jsonrpc":"2.0","id":${id},"method":"x"}`).join(",")}]`,
    200,
    { path: "/rpc" },
  ),
  post("a chat without a session", '{"messages":[]}', 400, { path: "/api/chat" }),
  post("a chat with an unknown role", '{"id":"victim","message":{"id":"x","role":"root","parts":[]}}', 400, {
    path: "/api/chat",
  }),
  post("an image that is none", "<svg onload=alert(1)>", [400, 415], {
    method: "PUT",
    path: "/api/sessions/victim/images",
    type: "image/svg+xml",
  }),
  post("a file outside of the workspace", '{"path":"../../../etc/passwd"}', [400, 404, 409], {
    path: "/api/sessions/victim/workspace/files",
  }),
  post("a page of this machine, which is refused as a value", '{"url":"file:///etc/passwd"}', 200, {
    path: "/api/sessions/victim/workspace/links",
  }),
  post("another policy from anybody", '{"policy":{"preset":"none"}}', [400, 404, 409], {
    method: "PUT",
    path: "/api/settings",
  }),
];

export const HOSTILE_REQUESTS: readonly HostileRequest[] = [
  ...SIZES,
  ...NESTING,
  ...TYPES,
  ...ENCODINGS,
  ...PATHS,
  ...HEADERS,
  ...SLOW,
  ...METACHARACTERS,
  ...UPGRADES,
  ...CALLS,
];
