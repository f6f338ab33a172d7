/** The server serves the page's own files and no others. */
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { request } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { startTestServer } from "../support/start-server.ts";

const folder = mkdtempSync(join(tmpdir(), "palimpsest-page-"));
const built = join(folder, "dist");
mkdirSync(join(built, "assets"), { recursive: true });
writeFileSync(join(built, "index.html"), "<!doctype html><title>The page</title>");
writeFileSync(join(built, "assets", "index-Bq3xY9_z.js"), "export {};");
writeFileSync(join(built, "assets", "index-Bq3xY9_z.css"), "a{}");
writeFileSync(join(built, "icon.svg"), "<svg/>");
writeFileSync(join(built, ".secret.json"), "{}");
writeFileSync(join(folder, "outside.json"), '{"secret":true}');
symlinkSync(join(folder, "outside.json"), join(built, "link.json"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Sent unchanged: fetch would normalize the path. */
function askRaw(port: number, path: string): Promise<{ readonly status: number; readonly text: string }> {
  return new Promise((resolve, reject) => {
    const asked = request({ host: "127.0.0.1", port, path }, (response) => {
      let text = "";
      response.on("data", (chunk) => {
        text += chunk;
      });
      response.on("end", () => resolve({ status: response.statusCode ?? 0, text }));
    });
    asked.on("error", reject);
    asked.end();
  });
}

describe("the page", () => {
  test("is served from its build folder, with a strict content security policy", async () => {
    await using server = await startTestServer({ page: built });
    const page = await server.ask("GET", "/");
    expect(page).toMatchObject({ status: 200, body: expect.stringContaining("The page") });
    expect(page.headers.get("content-security-policy")).toContain("default-src 'self'");
    expect(page.headers.get("content-type")).toBe("text/html; charset=utf-8");
    expect(page.headers.get("cache-control")).toBe("no-cache");
  });

  test("lets browsers cache files with a hash in their names forever, and revalidate other files", async () => {
    await using server = await startTestServer({ page: built });
    const script = await server.ask("GET", "/assets/index-Bq3xY9_z.js");
    expect(script.headers.get("cache-control")).toContain("immutable");
    expect(script.headers.get("content-type")).toBe("text/javascript; charset=utf-8");
    expect((await server.ask("GET", "/assets/index-Bq3xY9_z.css")).headers.get("content-type")).toContain("text/css");
    const icon = await server.ask("GET", "/icon.svg");
    expect(icon.headers.get("cache-control")).toBe("no-cache");
    const tag = icon.headers.get("etag") ?? "";
    expect((await server.ask("GET", "/icon.svg", undefined, { "if-none-match": tag })).status).toBe(304);
    expect(await server.ask("HEAD", "/icon.svg")).toMatchObject({ status: 200, body: "" });
  });

  test.each([
    "/../outside.json",
    "/assets/../../outside.json",
    "/%2e%2e/outside.json",
    "/..%2foutside.json",
    "/assets/..%5c..%5coutside.json",
    "/link.json",
    "/.secret.json",
    "/%00/index.html",
    "/%E0%A4%A/index.html",
    "/assets",
    "/assets/",
    "/nothing.js",
    "/index.html/",
  ])("has no file at %s, even if such a path exists on the disk", async (path) => {
    await using server = await startTestServer({ page: built });
    const { status, text } = await askRaw(server.server.port, path);
    expect(status).toBe(404);
    expect(text).not.toContain("secret");
  });

  test("is not served under a foreign host name", async () => {
    await using server = await startTestServer({ page: built });
    const status = await new Promise((resolve) => {
      const options = { host: "127.0.0.1", port: server.server.port, path: "/", headers: { host: "evil.example" } };
      request(options, (response) => resolve(response.resume().statusCode)).end();
    });
    expect(status).toBe(403);
  });

  test("is replaced, if it was not built, by a plain page that loads nothing from other hosts", async () => {
    await using server = await startTestServer({ page: join(folder, "not-there") });
    const page = await server.ask("GET", "/");
    expect(page.status).toBe(200);
    expect(page.body).toContain("Palimpsest 0.0.0");
    expect(page.body).toContain("was not built");
    expect(page.body).toContain("<code>npm ci</code>, without <code>--omit=dev</code>, builds it");
    expect(page.body).toContain(`curl -N ${server.url}/api/chat`);
    expect(page.body).toContain('href="/api"');
    expect(page.body).toContain(`npm run palimpsest -- chat --server ${server.url}`);
    const addresses = [...String(page.body).matchAll(/(?:src|href)="([^"]+)"/g)].map(([, address]) => address);
    expect(addresses.filter((address) => !/^(?:\/|data:,)/.test(address ?? ""))).toEqual([]);
    expect(page.body).not.toMatch(/<script|<style|style=/);
    const style = await server.ask("GET", "/plain.css");
    expect(style.headers.get("content-type")).toContain("text/css");
  });

  test("states whether the server needs a token", async () => {
    const asking = mkdtempSync(join(folder, "asking-"));
    const meta = (content: string) => `<meta name="palimpsest-access" content="${content}" />`;
    writeFileSync(join(asking, "index.html"), `<!doctype html>${meta("open")}<title>The page</title>`);
    await using open = await startTestServer({ page: asking });
    expect((await open.ask("GET", "/")).body).toContain(meta("open"));
    const tag = (await open.ask("GET", "/")).headers.get("etag") ?? "";
    await using closed = await startTestServer({ page: asking, tokens: [] });
    for (const path of ["/", "/index.html"]) {
      const page = await closed.ask("GET", path, undefined, { "if-none-match": tag });
      expect(page).toMatchObject({ status: 200, body: expect.stringContaining(meta("token")) });
      expect(page.headers.get("cache-control")).toBe("no-cache");
    }
    expect(await closed.ask("HEAD", "/")).toMatchObject({ status: 200, body: "" });
  });

  test("is counted in the metrics under a route of its own", async () => {
    await using server = await startTestServer({ page: built });
    await server.ask("GET", "/");
    expect((await server.ask("GET", "/metrics")).body).toMatch(
      /^palimpsest_http_requests_total\{.*route="page".*\} 1$/m,
    );
  });

  test("answers POST requests with 404", async () => {
    await using server = await startTestServer({ page: built });
    expect((await server.ask("POST", "/", {})).status).toBe(404);
  });
});
