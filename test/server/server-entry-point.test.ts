/** `palimpsest/server`: a server inside a program, which needs only a store. */
import { expect, test } from "vitest";
import { createClient } from "../../src/client/index.ts";
import { createOfflineChat, startServer } from "../../src/server/index.ts";
import { readVersion } from "../../src/server/read-version.ts";

test("startServer needs only a store, and then answers with the offline model and reports the package's version", async () => {
  const server = await startServer({ store: "memory:", hasSocket: false });
  const client = createClient({ url: "http://localhost", fetch: (request) => server.fetch(request) });
  const { models, version } = await client.readSettings();
  expect([models, version]).toEqual([[{ id: "offline", isOffline: true }], await readVersion()]);
  const message = { id: "m1", role: "user", parts: [{ type: "text", text: "What can you do?" }] };
  const types: string[] = [];
  for await (const { type } of client.chat({ body: { id: "one", message } })) types.push(type);
  expect([types[0], types.at(-1)]).toEqual(["start", "finish"]);
  await server.close();
});

test("createOfflineChat returns the offline model, which can be added to others", async () => {
  expect(await createOfflineChat()).toMatchObject({ id: "offline", isOffline: true });
});

test.each([
  [{}, /^startServer: store: expected an address/],
  [{ stor: "memory:" }, /^startServer: Unknown option "stor"\. Did you mean "store"\?$/],
  [{ store: "memory:", prot: 3 }, /^startServer: Unknown option "prot"\. Did you mean "port"\?$/],
  [{ store: "memory:", models: ["gpt-4"] }, /^startServer: models: expected a list of chat models/],
])("startServer refuses the options %j, and the error names the wrong option", async (options, message) => {
  await expect(startServer(options as never)).rejects.toThrow(message);
});
