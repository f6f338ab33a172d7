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
  /** The bytes to send, given the server's host name. */
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
  post("a body of the largest allowed size without messages", padded(BODY_LIMIT), 400),
  post("a body one byte above the limit", padded(BODY_LIMIT + 1), 413),
  {
    name: "a body whose announced length is too large",
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
    name: "a request for 100-continue with a length that is too large",
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
  {
    name: "an unknown value of the header expect",
    expect: 417,
    pieces: (host) => [head({ host, headers: ["expect: miracles"] })],
  },
  get("an address of 9,000 characters", `/api/sessions/${"x".repeat(9_000)}`, 414),
  get("an address that is longer than the limit of all headers", `/${"x".repeat(20_000)}`, 431),
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
  post("JSON with 65 levels", nested(64), 400),
  post("JSON with 20,000 levels", nested(20_000), 400),
  post("JSON with a million levels", nested(MEGABYTE), 400),
  post("JSON with a million unclosed levels", `{"messages":${"[".repeat(MEGABYTE)}`, 400),
  post("four megabytes of empty lists", `{"messages":[${"[],".repeat(1_300_000)}[]]}`, 413),
  post(
    "an object with 300,000 keys",
    `{${Array.from({ length: 300_000 }, (_, index) => `"k${index}":1`).join(",")}}`,
    [400, 413],
  ),
  post(
    "an object with 100,000 keys instead of messages",
    `{"messages":{${Array.from({ length: 100_000 }, (_, index) => `"k${index}":1`).join(",")}}}`,
    400,
  ),
  post(
    "a message with the key __proto__",
    '{"messages":[{"role":"user","content":"x","__proto__":{"polluted":true}}]}',
    400,
  ),
  post(
    "a part with the key __proto__ inside",
    saying([{ type: "text", text: "x", extra: JSON.parse('{"__proto__":{"polluted":true}}') }]),
    400,
  ),
  post("a body with the keys constructor and prototype", '{"constructor":{"prototype":{"polluted":true}}}', 400),
  post("a message with a repeated key", '{"messages":[{"role":"user","role":"system","content":"x"}]}', 400),
  post("an integer above 2^53", '{"messages":[],"usage":{"inputTokens":9007199254740993}}', 400),
  post("a number that is too large for a double", '{"messages":[],"usage":{"inputTokens":1e400}}', 400),
];

const TYPES: readonly HostileRequest[] = [
  post("a body that is not JSON", "{", 400),
  post("an empty body", "", 400),
  post("a list instead of an object", "[]", 400),
  post("null as a body", "null", 400),
  post("a number instead of messages", '{"messages":5}', 400),
  post("a message with an unknown role", '{"messages":[{"role":"root","content":"x"}]}', 400),
  post("a message without content", '{"messages":[{"role":"user"}]}', 400),
  post("a negative token count", '{"messages":[],"usage":{"inputTokens":-1}}', 400),
  post("a body with the content type of a form", "messages=x", 415, { type: "application/x-www-form-urlencoded" }),
  post("a body of type text/plain, which a page may send without a preflight request", saying("x"), 415, {
    type: "text/plain",
  }),
  post("a content type that only starts with application/json", saying("x"), 415, { type: "application/jsonp" }),
  get("a limit that is not a number", "/api/sessions?limit=ten", 400),
  get("a limit of a million", "/api/sessions?limit=1000000", 400),
  get("a limit that is too large for a double", "/api/sessions?limit=1e309", 400),
  get("an invalid cursor", "/api/sessions?before=%00%ff", 400),
  get("an entry type that does not exist", "/api/sessions/victim/entries?types=message,secret", 400),
];

const ENCODINGS: readonly HostileRequest[] = [
  post("a gzip bomb", gzipSync("0".repeat(50 * MEGABYTE)), 415, { headers: ["content-encoding: gzip"] }),
  post("a body with brotli encoding", Buffer.from([1, 2, 3]), 415, { headers: ["content-encoding: br"] }),
  post("a body that is not UTF-8", Buffer.from([0x7b, 0x22, 0xff, 0xfe, 0x22, 0x7d]), 400),
  post("a body in UTF-16", Buffer.from(saying("x"), "utf16le"), 400),
  post(
    "a body with an overlong encoding of a slash",
    Buffer.concat([Buffer.from('{"messages":"'), Buffer.from([0xc0, 0xaf]), Buffer.from('"}')]),
    400,
  ),
  get("an address with a broken escape", "/api/sessions/%E0%A4%A", [400, 404]),
  get("an address with a NUL", "/api/sessions/a%00b", [400, 404]),
];

const PATHS: readonly HostileRequest[] = [
  get("a path that leads out of the folder", "/../../../../etc/passwd", 404),
  get("a path that leads out of the folder with escaped slashes", "/..%2f..%2f..%2fetc%2fpasswd", 404),
  get("an id that leads out of the folder", "/api/sessions/..%2f..%2f..%2fetc%2fpasswd", 404),
  get("a path that leads out of the folder with backslashes", "/..\\..\\windows\\win.ini", 400),
  get("a path that starts with two slashes", "//evil.example/api/sessions", [400, 404]),
  get("__proto__ as a session id", "/api/sessions/__proto__", 404),
  get("constructor as a message id", "/api/sessions/victim/messages/constructor", 404),
  {
    name: "a request target on another host",
    expect: 400,
    pieces: (host) => [head({ path: "http://evil.example/api/sessions", host })],
  },
  {
    name: "an asterisk as the request target",
    expect: 400,
    pieces: (host) => [head({ method: "OPTIONS", path: "*", host })],
  },
  {
    name: "a CONNECT request, as for a proxy",
    expect: 405,
    pieces: () => ["CONNECT evil.example:443 HTTP/1.1\r\nhost: evil.example:443\r\n\r\n"],
  },
  { name: "an unknown method", expect: [400, 404, 405], pieces: (host) => [head({ method: "BREW", host })] },
  { name: "a TRACE request", expect: [400, 404, 405], pieces: (host) => [head({ method: "TRACE", host })] },
];

const HEADERS: readonly HostileRequest[] = [
  { name: "a foreign host", expect: 403, pieces: () => [head({ host: "evil.example" })] },
  {
    name: "a foreign host for an unknown path",
    expect: 403,
    pieces: () => [head({ path: "/nowhere", host: "evil.example" })],
  },
  { name: "HTTP/1.1 without a host", expect: [400, 403], pieces: () => ["GET /api/sessions HTTP/1.1\r\n\r\n"] },
  { name: "HTTP/1.0 without a host", expect: [400, 403], pieces: () => ["GET /api/sessions HTTP/1.0\r\n\r\n"] },
  {
    name: "a request with two hosts",
    expect: 400,
    pieces: (host) => [head({ host, headers: ["host: evil.example"] })],
  },
  { name: "a host with a tab", expect: [400, 403], pieces: (host) => [head({ host: `${host}\tevil.example` })] },
  get("a foreign origin", "/api/sessions", 403, ["origin: https://evil.example"]),
  post("a POST request from a foreign origin", saying("x"), 403, { headers: ["origin: https://evil.example"] }),
  get("a token for a server without tokens", "/api/sessions", 401, ["authorization: Bearer plm_x"]),
  get("a token in the address", "/api/sessions?token=plm_x", 401),
  {
    name: "a request with two lengths",
    expect: 400,
    pieces: (host) => [
      head({ method: "POST", path: APPEND, host, headers: ["content-length: 5", "content-length: 6"] }),
      "{}",
    ],
  },
  {
    name: "a request with both a length and chunks, as in request smuggling",
    expect: 400,
    pieces: (host) => [
      head({ method: "POST", path: APPEND, host, headers: [...chunked, "content-length: 4"] }),
      "0\r\n\r\nGET /api/sessions HTTP/1.1\r\n\r\n",
    ],
  },
  {
    name: "an invalid content-length",
    expect: 400,
    pieces: (host) => [head({ method: "POST", path: APPEND, host, headers: ["content-length: -1"] })],
  },
  { name: "a folded header line", expect: 400, pieces: (host) => [head({ host, headers: ["x-a: 1", " folded"] })] },
  { name: "a header with a NUL", expect: 400, pieces: (host) => [head({ host, headers: ["x-a: 1\0 2"] })] },
  { name: "bytes that are not HTTP", expect: 400, pieces: () => ["\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03"] },
  {
    name: "an upgrade to an unsupported protocol",
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
  {
    name: "a request whose headers never end",
    expect: 408,
    pieces: (host) => [`GET / HTTP/1.1\r\nhost: ${host}\r\nx-`],
  },
  { name: "a connection that sends nothing", expect: [0, 408], timeoutMs: 2_500, pieces: () => [] },
  {
    name: "headers cut off by a half-closed connection",
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
  get("SQL as a session id", `/api/sessions/${encodeURIComponent(SQL)}`, 404),
  get("SQL as a cursor", `/api/sessions?before=${encodeURIComponent(SQL)}`, 400),
  get("SQL as an entry type", `/api/sessions/victim/entries?types=${encodeURIComponent(SQL)}`, 400),
  get("SQL as a seq", `/api/sessions/victim/messages?afterSeq=${encodeURIComponent("1 OR 1=1")}`, 400),
  {
    name: "SQL as the id of a session to delete",
    expect: 404,
    pieces: (host) => [head({ method: "DELETE", path: `/api/sessions/${encodeURIComponent("x' OR '1'='1")}`, host })],
  },
  ...['"', "foo AND", "NEAR(", "-x", "col:x", "*", "%", "_", "\\", "[a-", "'; --", "中"].map((text) =>
    get(`${text} as a search query`, `/api/search?query=${encodeURIComponent(text)}`, [200, 404]),
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
    name: "an upgrade request with a foreign host",
    expect: 403,
    pieces: () => [head({ path: "/rpc", host: "evil.example", headers: WEBSOCKET })],
  },
  get("an upgrade request from a page of another site", "/rpc", 403, [...WEBSOCKET, "origin: https://evil.example"]),
  get("an upgrade request with a token in its address", "/rpc?token=plm_x", 401, WEBSOCKET),
  get("an upgrade request to an address without WebSockets", "/api/sessions", [400, 404, 426], WEBSOCKET),
  get("an upgrade request without a WebSocket key", "/rpc", [400, 426], WEBSOCKET.slice(0, 3)),
];

const CALLS: readonly HostileRequest[] = [
  post("an RPC call that is not JSON", "{", [200, 400], { path: "/rpc" }),
  post("an RPC call of the method constructor", '{"jsonrpc":"2.0","id":1,"method":"constructor"}', [200, 400, 404], {
    path: "/rpc",
  }),
  post(
    "a batch of 10,000 RPC calls",
    `[${Array.from({ length: 10_000 }, (_, id) => `{"jsonrpc":"2.0","id":${id},"method":"x"}`).join(",")}]`,
    200,
    { path: "/rpc" },
  ),
  post("a chat request without a session", '{"messages":[]}', 400, { path: "/api/chat" }),
  post("a chat request with an unknown role", '{"id":"victim","message":{"id":"x","role":"root","parts":[]}}', 400, {
    path: "/api/chat",
  }),
  post("SVG with script as an image", "<svg onload=alert(1)>", [400, 415], {
    method: "PUT",
    path: "/api/sessions/victim/images",
    type: "image/svg+xml",
  }),
  post("a file outside the workspace", '{"path":"../../../etc/passwd"}', [400, 404, 409], {
    path: "/api/sessions/victim/workspace/files",
  }),
  post("a file of this machine as a web page", '{"url":"file:///etc/passwd"}', 200, {
    path: "/api/sessions/victim/workspace/links",
  }),
  post("a change of the policy", '{"policy":{"preset":"none"}}', [400, 404, 409], {
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
