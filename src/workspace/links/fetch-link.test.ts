import { createServer, type RequestListener, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { gzipSync } from "node:zlib";
import { afterEach, describe, expect, test } from "vitest";
import { findLinks } from "../../core/prompt/workspace/find-links.ts";
import { formatLinks } from "../../core/prompt/workspace/format-files.ts";
import { shows } from "../../testing/shows.ts";
import { type FetchLimits, type FetchOutcome, fetchLink, isPrivateAddress } from "./fetch-link.ts";
import { readPage } from "./read-page.ts";

const servers: Server[] = [];
afterEach(() => {
  for (const server of servers.splice(0)) {
    server.closeAllConnections();
    server.close();
  }
});

async function serve(listener: RequestListener): Promise<string> {
  const server = createServer(listener);
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

const serveText = (body: string | Buffer, headers: Record<string, string> = {}): Promise<string> =>
  serve((_, response) => {
    response.writeHead(200, { "content-type": "text/html; charset=utf-8", ...headers });
    response.end(body);
  });
const here = (url: string, limits: FetchLimits = {}): Promise<FetchOutcome> =>
  fetchLink(url, { allowsPrivate: true, ...limits });
const reasonOf = (outcome: FetchOutcome): string => (outcome.type === "refused" ? outcome.reason : "it was read");

const ARTICLE = `<html><head><title>Tides</title><script>alert(1)</script></head><body><nav>Home About</nav>
<article><h1>Tides</h1><p>${"The sea rises and falls twice a day, and the moon has most to do with it. ".repeat(8)}</p>
<p>Springs come after new and full moons.</p><pre>high = 3</pre></article><footer>Imprint</footer></body></html>`;

describe("fetchLink", () => {
  test("fetches a page, and readPage extracts its article", async () => {
    const outcome = await here(`${await serveText(ARTICLE)}/tides`);
    if (outcome.type !== "page") throw new Error(outcome.reason);
    const { title, text } = await readPage(outcome.page);
    expect(title).toBe("Tides");
    expect(text).toContain("Springs come after new and full moons.");
    expect(text).not.toMatch(/alert|Imprint|<p>/);
  });

  test("a page without an article is returned whole, and plain text unchanged", async () => {
    const outcome = await here(await serveText("<p>Hello</p><script>x()</script><p>there</p>"));
    if (outcome.type !== "page") throw new Error(outcome.reason);
    expect((await readPage(outcome.page)).text).toBe("Hello\nthere");
    const plain = await here(await serveText("<b>not bold</b>", { "content-type": "text/plain" }));
    if (plain.type !== "page") throw new Error(plain.reason);
    expect((await readPage(plain.page)).text).toBe("<b>not bold</b>");
  });

  test("reads compressed pages and legacy encodings", async () => {
    const packed = await here(await serveText(gzipSync("<p>packed</p>"), { "content-encoding": "gzip" }));
    if (packed.type !== "page") throw new Error(packed.reason);
    expect((await readPage(packed.page)).text).toBe("packed");
    const old = await here(
      await serveText(Buffer.from("<p>Gr\u00fc\u00dfe</p>", "latin1"), {
        "content-type": "text/html; charset=iso-8859-1",
      }),
    );
    if (old.type !== "page") throw new Error(old.reason);
    expect((await readPage(old.page)).text).toBe("Grüße");
  });

  test("refuses a page that is too large, even if only after decompression", async () => {
    const large = "x".repeat(200_000);
    expect(reasonOf(await here(await serveText(large), { maxBytes: 100_000 }))).toContain("more than 100000 bytes");
    const bomb = await serveText(gzipSync(large), { "content-encoding": "gzip" });
    expect(reasonOf(await here(bomb, { maxBytes: 100_000 }))).toContain("more than 100000 bytes");
  });

  test("refuses unsupported media types, error statuses and encodings", async () => {
    expect(reasonOf(await here(await serveText("x", { "content-type": "image/png" })))).toBe(
      "image/png is not supported",
    );
    expect(reasonOf(await here(await serveText("x", { "content-encoding": "zstd" })))).toContain("zstd");
    const failing = await serve((_, response) => {
      response.writeHead(500).end();
    });
    expect(reasonOf(await here(failing))).toBe("the server answered with status 500");
  });

  test("times out if no answer arrives or the answer never ends", async () => {
    const silent = await serve(() => undefined);
    expect(reasonOf(await here(silent, { timeoutMs: 60 }))).toBe("no answer within 60 ms");
    const slow = await serve((_, response) => {
      response.writeHead(200, { "content-type": "text/plain" });
      response.write("and then ");
    });
    expect(reasonOf(await here(slow, { timeoutMs: 60 }))).toBe("no answer within 60 ms");
  });

  test("follows at most five redirects and returns the final URL", async () => {
    const start = await serve((request, response) => {
      if (request.url === "/end") return response.writeHead(200, { "content-type": "text/plain" }).end("found");
      return response.writeHead(302, { location: request.url === "/loop" ? "/loop" : "/end" }).end();
    });
    const outcome = await here(`${start}/start`);
    expect(outcome).toMatchObject({ type: "page", page: { url: `${start}/end` } });
    expect(reasonOf(await here(`${start}/loop`))).toBe("more than 5 redirects");
  });

  test("does not connect to a private address, whether it is in the URL or resolved", async () => {
    const inside = await serveText("secret");
    const port = new URL(inside).port;
    for (const url of [
      inside,
      `http://localhost:${port}/`,
      `http://[::1]:${port}/`,
      `http://2130706433:${port}/`,
      `http://0x7f.1:${port}/`,
    ]) {
      expect(reasonOf(await fetchLink(url, { timeoutMs: 3_000 }))).toContain("private address");
    }
  });

  test.each([
    "file:///etc/hostname",
    "ftp://example.com/",
    "javascript:alert(1)",
    "not a link",
    "http://user:word@example.com/",
  ])("refuses %s", async (url) => {
    expect((await fetchLink(url)).type).toBe("refused");
  });
});

describe("isPrivateAddress", () => {
  test.each([
    ["127.0.0.1", true],
    ["10.1.2.3", true],
    ["172.31.255.255", true],
    ["172.32.0.1", false],
    ["169.254.169.254", true],
    ["100.100.100.200", true],
    ["0.0.0.0", true],
    ["255.255.255.255", true],
    ["8.8.8.8", false],
    ["::1", true],
    ["fd00::1", true],
    ["fe80::1", true],
    ["::ffff:127.0.0.1", true],
    ["::ffff:7f00:1", true],
    ["::ffff:10.0.0.1", true],
    ["::ffff:8.8.8.8", false],
    ["::127.0.0.1", true],
    ["::", true],
    ["64:ff9b::7f00:1", true],
    ["64:ff9b::10.0.0.1", true],
    ["64:ff9b::", true],
    ["64:ff9b::808:808", false],
    ["64:ff9b:1::808:808", true],
    ["fe80::1%eth0", true],
    ["2606:4700::1111%eth0", true],
    ["fec0::1", true],
    ["ff02::1", true],
    ["2001::1", true],
    ["2001:db8::1", true],
    ["100::1", true],
    ["4000::1", true],
    ["2002:7f00:1::", true],
    ["2606:4700::1111", false],
    ["example.com", true],
  ])("isPrivateAddress(%s) is %s", (address, expected) => {
    expect(isPrivateAddress(address)).toBe(expected);
  });
});

describe("findLinks", () => {
  test(shows("C-26", "returns at most three distinct links of a message, in order"), () => {
    const text = "https://a.example https://b.example/x https://a.example https://c.example https://d.example";
    expect(findLinks(text)).toEqual(["https://a.example/", "https://b.example/x", "https://c.example/"]);
  });

  test.each([
    ["See https://a.example/x.", "https://a.example/x"],
    ["(https://a.example/x)", "https://a.example/x"],
    ["https://a.example/wiki/Tide_(sea)", "https://a.example/wiki/Tide_(sea)"],
    ["[tides](https://a.example/x), and", "https://a.example/x"],
    ["<https://a.example/x#part>", "https://a.example/x"],
    ["見て https://a.example/x。", "https://a.example/x"],
    ["“https://a.example/x”", "https://a.example/x"],
    [`https://a.example/${")".repeat(100_000)} https://a.example/x`, "https://a.example/x"],
    [`https://a.example/${".".repeat(100_000)}a https://a.example/x`, "https://a.example/x"],
  ])("findLinks finds where the link ends in %.50j", (text, link) => {
    expect(findLinks(text)).toEqual([link]);
  });

  test("skips links with a password, and links that are not http or https", () => {
    expect(findLinks("https://user:word@a.example https:// ftp://a.example")).toEqual([]);
  });
});

test("formatLinks separates pages with a line of dashes", () => {
  const links = [
    { url: "https://a.example/", title: "Tides", text: "The sea.\n" },
    { url: "https://b.example/", text: "The moon." },
  ];
  expect(formatLinks(links)).toBe("Tides (https://a.example/)\nThe sea.\n---\nhttps://b.example/\nThe moon.");
});
