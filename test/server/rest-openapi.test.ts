/** The protocol as a document and as a page, and routes that are not part of it. */
import { Validator } from "@seriousme/openapi-schema-validator";
import { describe, expect, test } from "vitest";
import type { Route } from "../../src/protocol/route.ts";
import { ROUTES } from "../../src/protocol/routes.ts";
import { checkAnswer } from "../support/check-answer.ts";
import { startTestServer } from "../support/start-server.ts";

const rows = Object.entries<Route>(ROUTES);

describe("the OpenAPI document", () => {
  test("is accepted by an official validator, and has every route with its schema", async () => {
    await using server = await startTestServer();
    const { body } = await server.ask("GET", "/openapi.json");
    const outcome = await new Validator().validate(structuredClone(body));
    expect(outcome).toMatchObject({ valid: true });
    for (const [name, row] of rows) {
      const operation = body.paths[row.path.replaceAll(/:(\w+)/g, "{$1}")][row.method.toLowerCase()];
      expect(operation).toMatchObject({ operationId: name, tags: [row.tag], summary: row.summary });
      if (row.response !== undefined)
        expect(operation.responses["200"].content["application/json"].schema).toBeDefined();
    }
  });

  test("lists the statuses of each route, by its parameters and its effects", async () => {
    await using server = await startTestServer();
    const { body } = await server.ask("GET", "/openapi.json");
    const statusesOf = (path: string, method: string) => Object.keys(body.paths[path][method].responses).join(" ");
    expect(statusesOf("/health", "get")).toBe("200 403 429 503 default");
    expect(statusesOf("/api/sessions/{id}", "get")).toBe("200 400 401 403 404 429 503 default");
    expect(statusesOf("/api/chat/{id}/stream", "get")).toContain("200 204 ");
    expect(statusesOf("/rpc", "post")).toContain("200 204 ");
    expect(statusesOf("/api/sessions/{id}/messages", "post")).toBe(
      "200 400 401 403 404 409 413 415 429 503 507 default",
    );
    expect(statusesOf("/api/sessions/{id}/prompts", "post")).toContain(" 422 ");
    const refused = body.paths["/api/sessions"].post.responses["507"];
    expect(refused.content["application/json"].schema).toEqual(
      body.paths["/api/sessions"].post.responses.default.content["application/json"].schema,
    );
  });

  test("describes the fields of every JSON response except its own", async () => {
    await using server = await startTestServer();
    const { body } = await server.ask("GET", "/openapi.json");
    const vague = rows
      .filter(([, row]) => row.response !== undefined && row.gives === "json")
      .filter(([, row]) => {
        const operation = body.paths[row.path.replaceAll(/:(\w+)/g, "{$1}")][row.method.toLowerCase()];
        const schema = operation.responses["200"].content["application/json"].schema;
        const isNamed = schema.properties !== undefined || schema.oneOf !== undefined || schema.anyOf !== undefined;
        return !isNamed && schema.$ref === undefined;
      });
    // The schema of OpenAPI describes this document instead.
    expect(vague.map(([name]) => name)).toEqual(["openApi"]);
  });

  test("makes the test client reject a response with an extra key, a missing key or a wrong status", () => {
    const asked = { method: "GET", path: "/health" };
    expect(() => checkAnswer(asked, { status: 200, body: { status: "alive" } })).not.toThrow();
    for (const body of [{ status: "alive", more: 1 }, {}, { status: "asleep" }]) {
      expect(() => checkAnswer(asked, { status: 200, body })).toThrow("another shape");
    }
    expect(() => checkAnswer(asked, { status: 400, body: { status: "alive" } })).toThrow("another shape");
  });
});

describe("the API reference page", () => {
  test("lists every operation, contains no script, and requests nothing from other servers", async () => {
    await using server = await startTestServer();
    const page = await server.ask("GET", "/api");
    expect(page.headers.get("content-type")).toBe("text/html; charset=utf-8");
    for (const [name, row] of rows) {
      expect(page.body).toContain(`id="${name}"`);
      expect(page.body).toContain(row.path.replaceAll(/:(\w+)/g, "{$1}"));
    }
    expect(page.body).not.toMatch(/<script|style=|https?:\/\/|\son\w+=/);
    expect(page.headers.get("content-security-policy")).toContain("script-src 'self'");
    const style = await server.ask("GET", "/api/page.css");
    expect(style.headers.get("content-type")).toBe("text/css; charset=utf-8");
    expect(style.body).not.toMatch(/url\(|@import/);
  });
});

describe("a request", () => {
  test("to an unknown route is not found, and the response names the OpenAPI document", async () => {
    await using server = await startTestServer();
    for (const path of ["/nothing", "/api/nothing", "/api/sessions/s/nothing", "/apix", "/openapiXjson"]) {
      const { status, body } = await server.ask("GET", path);
      expect([path, status, body.error.code]).toEqual([path, 404, "not-found"]);
      expect(body.error.message).toContain("/openapi.json");
    }
  });

  test("with an unsupported method is refused at every address, and the response names the supported methods", async () => {
    await using server = await startTestServer();
    for (const path of new Set(rows.map(([, row]) => row.path))) {
      const taken = rows.filter(([, row]) => row.path === path).map(([, row]) => row.method as string);
      const [other] = ["PUT", "POST", "DELETE", "PATCH"].filter((method) => !taken.includes(method));
      if (other === undefined) continue;
      const concrete = path.replaceAll(/:\w+/g, "x");
      // The address may also match another route with a parameter.
      if (
        rows.some(
          ([, row]) => row.method === other && new RegExp(`^${row.path.replaceAll(/:\w+/g, "[^/]+")}$`).test(concrete),
        )
      )
        continue;
      const { status, headers, body } = await server.ask(other, concrete, {});
      expect([path, status, body.error.code]).toEqual([path, 405, "method-not-allowed"]);
      for (const method of taken) expect(headers.get("allow")).toContain(method);
    }
  });

  test("whose Accept header excludes the response type is refused before anything is done", async () => {
    await using server = await startTestServer();
    const refused = await server.ask("POST", "/api/sessions", { id: "s" }, { accept: "text/html, image/png" });
    expect([refused.status, refused.body.error.code]).toEqual([406, "not-acceptable"]);
    expect((await server.ask("GET", "/api/sessions")).body.sessions).toEqual([]);
    for (const accept of ["application/json", "application/*", "*/*;q=0.1", "text/html, */*", ""]) {
      expect([accept, (await server.ask("GET", "/api/sessions", undefined, { accept })).status]).toEqual([accept, 200]);
    }
    const zero = await server.ask("GET", "/api/sessions", undefined, { accept: "application/json;q=0" });
    expect(zero.status).toBe(406);
    expect((await server.ask("GET", "/api/events", undefined, { accept: "application/json" })).status).toBe(406);
    // As curl --json sends it.
    const stream = await server.ask("GET", "/api/chat/none/stream", undefined, { accept: "application/json" });
    expect(stream.status).toBe(204);
  });

  test("needs no body if all its fields are optional", async () => {
    await using server = await startTestServer();
    const { status, body } = await server.ask("POST", "/api/sessions");
    expect(status).toBe(200);
    for (const path of ["clear", "undo", "forks", "compactions"]) {
      expect([path, (await server.ask("POST", `/api/sessions/${body.id}/${path}`)).status]).toEqual([path, 200]);
    }
    const needed = await server.ask("POST", `/api/sessions/${body.id}/messages`);
    expect([needed.status, needed.body.error.code]).toEqual([415, "media-type-unsupported"]);
    const untold = await fetch(`${server.url}/api/sessions`, { method: "POST", body: Buffer.from("{}") });
    expect(untold.status).toBe(415);
  });

  test("with a body of the wrong type or size is refused", async () => {
    await using server = await startTestServer();
    const send = (body: string, type: string) =>
      fetch(`${server.url}/api/sessions`, { method: "POST", body, headers: { "content-type": type } });
    expect((await send("id=s", "application/x-www-form-urlencoded")).status).toBe(415);
    expect((await send(JSON.stringify({ id: "s", title: "x".repeat(4_100_000) }), "application/json")).status).toBe(
      413,
    );
    expect((await send("{", "application/json")).status).toBe(400);
    expect((await send(JSON.stringify({ id: 7 }), "application/json")).status).toBe(400);
  });
});
