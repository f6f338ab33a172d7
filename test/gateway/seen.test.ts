/** Sessions of the gateway appear like any other: in the list, with their strip, what the model sees, and the savings. */
import { expect, test } from "vitest";
import { writeWords } from "../integrations/strict-provider.ts";
import { startRaw } from "./raw-upstream.ts";
import { chat, post, replyWith, startGateway } from "./start-gateway.ts";

test("a compacted conversation of the gateway has a strip, a view, and saved tokens and dollars", async () => {
  await using upstream = await startRaw((_request, response) => {
    response.writeHead(200, { "content-type": "application/json" }).end(replyWith("Noted."));
  });
  await using gateway = await startGateway(upstream.url, { gateway: { windowTokens: 3_000 } });
  const texts = Array.from({ length: 25 }, (_, index) => `Message ${index}: ${writeWords(60, index)}`);
  const short = await post(gateway, chat(...texts.slice(0, 3)));
  await short.text();
  const read = async (response: Response, path: string) => {
    const id = response.headers.get("x-palimpsest-session");
    return (await gateway.ask("GET", `/api/sessions/${id}/${path}`)).body;
  };
  expect((await read(short, "usage?newest=5")).saved).toBeUndefined();
  const first = await post(gateway, chat("Another beginning", "Yes", ...texts));
  await first.text();
  const saved = (await read(first, "usage?newest=5")).saved;
  const second = await post(gateway, chat("Another beginning", "Yes", ...texts, "Noted.", "More"));
  await second.text();
  const { body } = await gateway.ask("GET", "/api/sessions");
  expect(body.sessions.map(({ id }: { readonly id: string }) => id)).toContain(
    first.headers.get("x-palimpsest-session"),
  );
  const later = (await read(first, "usage?newest=5")).saved;
  expect(later.requests).toBe(2);
  expect(later.tokens).toBeGreaterThan(saved.tokens * 1.5);
  expect(later.costUsd).toBeGreaterThan(0);
  const strip = await read(first, "strip?buckets=20");
  expect(JSON.stringify(strip)).toContain("summarised");
  expect(JSON.stringify(await read(first, "view"))).toContain("[Summary of the");
});
