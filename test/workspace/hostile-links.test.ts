/** Pages and names built to reach private addresses, against a real local server. */
import { createServer, type IncomingHttpHeaders, type RequestListener, type Server } from "node:http";
import { type AddressInfo, createServer as createRawServer, type Server as RawServer } from "node:net";
import { brotliCompressSync, deflateSync, gzipSync } from "node:zlib";
import { afterEach, describe, expect, type TestContext, test } from "vitest";
import {
  type FetchOutcome,
  fetchLink,
  isAllowedPort,
  isReadableType,
  type ResolveName,
} from "../../src/workspace/links/fetch-link.ts";

const servers: (Server | RawServer)[] = [];
afterEach(() => {
  for (const server of servers.splice(0)) {
    if ("closeAllConnections" in server) server.closeAllConnections();
    server.close();
  }
});

async function listen(server: Server | RawServer, { host = "127.0.0.1", port = 0 } = {}): Promise<number> {
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(port, host, resolve));
  return (server.address() as AddressInfo).port;
}

const serve = (listener: RequestListener, where?: { readonly host: string; readonly port: number }): Promise<number> =>
  listen(createServer(listener), where);
const reasonOf = (outcome: FetchOutcome): string => (outcome.type === "refused" ? outcome.reason : "it was read");
const here = ["127.0.0.1"];
/** macOS has one loopback address; on other systems all of 127.0.0.0/8 is this machine. */
function skipWithoutTwoAddresses(context: TestContext): void {
  if (process.platform === "darwin") context.skip("this machine answers at one loopback address only");
}
const answer =
  (address: string): ResolveName =>
  async () => [{ address, family: 4 }];

describe("a host name", () => {
  test("is resolved once, and the connection uses the checked address", async (context) => {
    skipWithoutTwoAddresses(context);
    const asked: string[] = [];
    const port = await serve((request, response) => {
      asked.push(`good ${request.headers.host}`);
      response.writeHead(200, { "content-type": "text/plain" }).end("good");
    });
    await serve(
      (_, response) => {
        asked.push("evil");
        response.writeHead(200, { "content-type": "text/plain" }).end("secret");
      },
      { host: "127.0.0.2", port },
    );
    let lookups = 0;
    const resolveName: ResolveName = async () => {
      lookups += 1;
      return [{ address: lookups === 1 ? "127.0.0.1" : "127.0.0.2", family: 4 }];
    };
    const outcome = await fetchLink(`http://rebind.example:${port}/`, { allowsPrivate: here, resolveName });
    expect(outcome.type).toBe("page");
    expect([lookups, asked]).toEqual([1, [`good rebind.example:${port}`]]);
  });

  test("a redirect to a private host name is refused without a request", async (context) => {
    skipWithoutTwoAddresses(context);
    let isAsked = false;
    const port = await serve((_, response) => response.writeHead(302, { location: "/again" }).end());
    await serve(
      (_, response) => {
        isAsked = true;
        response.end();
      },
      { host: "127.0.0.2", port },
    );
    const addresses = ["127.0.0.1", "127.0.0.2"];
    const resolveName: ResolveName = async () => [{ address: addresses.shift() ?? "127.0.0.2", family: 4 }];
    const outcome = await fetchLink(`http://rebind.example:${port}/`, { allowsPrivate: here, resolveName });
    expect(reasonOf(outcome)).toBe("rebind.example (127.0.0.2) is a private address");
    expect(isAsked).toBe(false);
  });

  test("with one private address is refused", async () => {
    const resolveName: ResolveName = async () => [
      { address: "93.184.216.34", family: 4 },
      { address: "::ffff:10.0.0.1", family: 6 },
    ];
    expect(reasonOf(await fetchLink("http://mixed.example/", { resolveName }))).toContain("private address");
  });

  test("an unknown host name is refused with a reason", async () => {
    expect(reasonOf(await fetchLink("http://none.example/", { resolveName: async () => [] }))).toContain(
      "was not found",
    );
    const resolveName: ResolveName = async () => Promise.reject(new Error("no such name"));
    expect(reasonOf(await fetchLink("http://none.example/", { resolveName }))).toBe("no such name");
  });
});

describe("a link", () => {
  test.each([
    "http://127.1/",
    "http://2130706433/",
    "http://017700000001/",
    "http://0x7f000001/",
    "http://0x7f.0.0.1/",
    "http://0177.0.0.1/",
    "http://127.0.0.1./",
    "http://①②⑦.0.0.1/",
    "http://[::]/",
    "http://[::1]/",
    "http://[::ffff:127.0.0.1]/",
    "http://[0:0:0:0:0:ffff:7f00:1]/",
    "http://[::127.0.0.1]/",
    "http://[64:ff9b::127.0.0.1]/",
    "http://[fe80::1]/",
    "http://169.254.169.254/latest/meta-data/",
    "http://0/",
    "http://localhost/",
  ])("the link %j is refused as private", async (url) => {
    expect(reasonOf(await fetchLink(url, { timeoutMs: 3_000 }))).toContain("private address");
  });

  test.each([
    "http://[fe80::1%25eth0]/",
    "http://user@a.example/",
    "https://a.example@b.example/",
    "http://:word@a.example/",
    "gopher://a.example/",
    "data:text/plain,x",
    "blob:https://a.example/1",
    "http://a.example:22/",
    "http://a.example:25/",
    "https://a.example:6667/",
    "http://a.example:99999/",
    "http:///",
    "",
  ])("the link %j is refused without a request", async (url) => {
    const resolveName: ResolveName = () => Promise.reject(new Error("somebody was asked"));
    expect(reasonOf(await fetchLink(url, { resolveName }))).not.toMatch(/asked|was read/);
  });

  test.each([
    ["http://127.0.0.2:PORT/", "private address"],
    ["http://[::1]:PORT/", "private address"],
    ["http://user:word@127.0.0.1:PORT/", "password"],
    ["file:///etc/hostname", "only http and https"],
    ["//localhost.example:PORT/", "private address"],
    ["http://[", "only http and https"],
    ["", "the server answered with status 302"],
  ])("a redirect to %j is refused", async (target, reason) => {
    let count = 0;
    const port = await serve((_, response) => {
      count += 1;
      const location = target.replace("PORT", String(port));
      response.writeHead(302, location === "" ? {} : { location }).end();
    });
    const resolveName = answer("10.0.0.1");
    expect(reasonOf(await fetchLink(`http://127.0.0.1:${port}/`, { allowsPrivate: here, resolveName }))).toContain(
      reason,
    );
    expect(count).toBe(1);
  });

  test("a request carries no cookies, credentials or referrer, also after a redirect", async () => {
    const seen: IncomingHttpHeaders[] = [];
    const port = await serve((request, response) => {
      seen.push(request.headers);
      if (request.url === "/end") return response.writeHead(200, { "content-type": "text/plain" }).end("x");
      return response.writeHead(302, { location: "/end", "set-cookie": "id=1", "www-authenticate": "Basic" }).end();
    });
    expect((await fetchLink(`http://127.0.0.1:${port}/`, { allowsPrivate: here })).type).toBe("page");
    const names = ["accept", "accept-encoding", "connection", "host", "user-agent"];
    expect(seen.map((headers) => Object.keys(headers).toSorted())).toEqual([names, names]);
  });
});

describe("a response", () => {
  const give = async (body: string | Buffer, headers: Record<string, string>, limits = {}): Promise<FetchOutcome> => {
    const port = await serve((_, response) => response.writeHead(200, headers).end(body));
    return fetchLink(`http://127.0.0.1:${port}/`, { allowsPrivate: here, ...limits });
  };

  test.each([
    ["gzip", gzipSync("tide")],
    ["GZIP", gzipSync("tide")],
    ["x-gzip", gzipSync("tide")],
    ["deflate", deflateSync("tide")],
    ["br", brotliCompressSync("tide")],
    ["identity", Buffer.from("tide")],
  ])("encoded as %s is decoded", async (encoding, body) => {
    const outcome = await give(body, { "content-encoding": encoding, "content-type": "text/plain" });
    expect(outcome.type === "page" && Buffer.from(outcome.page.bytes).toString()).toBe("tide");
  });

  test.each(["constructor", "__proto__", "toString", "gzip, gzip", "zstd"])(
    "encoded as %s is refused",
    async (encoding) => {
      const outcome = await give("tide", { "content-encoding": encoding, "content-type": "text/plain" });
      expect(reasonOf(outcome)).toBe(`the encoding ${encoding.toLowerCase()} is not supported`);
    },
  );

  test("a decompression bomb is stopped at the limit", async () => {
    const bomb = gzipSync(Buffer.alloc(200 * 2 ** 20));
    const before = process.memoryUsage().rss;
    const outcome = await give(bomb, { "content-encoding": "gzip", "content-type": "text/plain" });
    expect(reasonOf(outcome)).toBe("more than 2097152 bytes");
    expect(process.memoryUsage().rss - before).toBeLessThan(100 * 2 ** 20);
    expect(reasonOf(await give(bomb.subarray(0, 99), { "content-encoding": "gzip" }))).toMatch(/unexpected end/);
    expect(reasonOf(await give("no gzip", { "content-encoding": "gzip" }))).toMatch(/incorrect header/);
  });

  test("a slow response times out, and a broken one is refused", async () => {
    const port = await serve((_, response) => {
      response.writeHead(200, { "content-type": "text/plain" });
      const drip = setInterval(() => response.write("x"), 10);
      response.on("close", () => clearInterval(drip));
    });
    const start = performance.now();
    const limits = { allowsPrivate: here, timeoutMs: 200 };
    expect(reasonOf(await fetchLink(`http://127.0.0.1:${port}/`, limits))).toBe("no answer within 200 ms");
    expect(performance.now() - start).toBeLessThan(30_000);
    const broken = await serve((_, response) => {
      response.writeHead(200, { "content-type": "text/plain", "content-length": "100" });
      response.write("half", () => response.destroy());
    });
    expect((await fetchLink(`http://127.0.0.1:${broken}/`, { allowsPrivate: here })).type).toBe("refused");
  });

  test("that is not HTTP or has endless headers is refused", async () => {
    for (const text of ["SSH-2.0-OpenSSH\r\n", `HTTP/1.1 200 OK\r\nx: ${"y".repeat(100_000)}\r\n\r\n`]) {
      const port = await listen(createRawServer((socket) => socket.on("error", () => undefined).end(text)));
      expect((await fetchLink(`http://127.0.0.1:${port}/`, { allowsPrivate: here })).type).toBe("refused");
    }
  });

  test("without a type is classified by its content, and an image is refused", async () => {
    expect(await give("tide", {})).toMatchObject({ type: "page", page: { mediaType: "", charset: undefined } });
    expect(reasonOf(await give("x", { "content-type": "image/svg+xml" }))).toBe("image/svg+xml is not supported");
    const quoted = await give("x", { "content-type": 'Text/HTML ; charset="UTF-8"' });
    expect(quoted).toMatchObject({ page: { mediaType: "text/html", charset: "utf-8" } });
  });
});

test("only the content types and ports of web pages are allowed", () => {
  const types = ["text/x-rst", "application/ld+json", "application/rss+xml", "application/json", ""];
  expect(types.filter((type) => !isReadableType(type))).toEqual([]);
  const others = ["application/pdf", "image/png", "application/octet-stream", "video/mp2t", "multipart/form-data"];
  expect(others.filter(isReadableType)).toEqual([]);
  expect(["", "80", "443", "8080", "3000", "65535"].filter((port) => !isAllowedPort(port))).toEqual([]);
  expect(["1", "22", "25", "587", "2049", "6667", "10080"].filter(isAllowedPort)).toEqual([]);
});
