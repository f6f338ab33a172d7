import { describe, expect, test } from "vitest";
import { startTestServer } from "../support/start-server.ts";

const page = "http://localhost:5173";

describe("a page of another origin", () => {
  test("that is configured may send JSON, and read responses and errors", async () => {
    await using server = await startTestServer({ origins: [page] });
    const asked = await fetch(`${server.url}/api/chat`, {
      method: "OPTIONS",
      headers: {
        origin: page,
        "access-control-request-method": "POST",
        "access-control-request-headers": "content-type",
      },
    });
    expect(asked.status).toBe(204);
    expect(asked.headers.get("access-control-allow-origin")).toBe(page);
    expect(asked.headers.get("access-control-allow-headers")).toContain("content-type");
    const answered = await server.ask("GET", "/api/sessions", undefined, { origin: page });
    expect(answered.status).toBe(200);
    expect(answered.headers.get("access-control-allow-origin")).toBe(page);
    const refused = await server.ask("GET", "/api/sessions/nobody", undefined, { origin: page });
    expect([refused.status, refused.headers.get("access-control-allow-origin")]).toEqual([404, page]);
  });

  test("that is not configured has its preflight requests refused, and gets no CORS headers", async () => {
    await using server = await startTestServer({ origins: [page] });
    for (const origin of ["http://localhost:5174", "https://localhost:5173", "null", "http://evil.example"]) {
      const asked = await fetch(`${server.url}/api/chat`, {
        method: "OPTIONS",
        headers: { origin, "access-control-request-method": "POST" },
      });
      expect([asked.status, asked.headers.get("access-control-allow-origin")]).toEqual([403, null]);
      expect(await asked.text()).toContain("--origins");
    }
    expect((await server.ask("GET", "/api/sessions")).headers.get("access-control-allow-origin")).toBeNull();
  });
});
