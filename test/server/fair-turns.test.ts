/** Tenants share one process: the heavy work of one does not make another wait until it is done. */
import { expect, test } from "vitest";
import { hashToken, newToken } from "../../src/server/access/tokens.ts";
import { startTestServer } from "../support/start-server.ts";

const SENTENCE = "The crate is blue and heavy, and it leaves for Lyon on Monday. ";

test("a tenant is answered while the imports and folds of another one are running", async () => {
  const [heavy, light] = [newToken(), newToken()];
  const rows = [heavy, light].map((token, index) => ({ hash: hashToken(token), tenantId: `tenant-${index}` }));
  await using server = await startTestServer({ tokens: rows });
  const ended: string[] = [];
  const send = async (name: string, token: string, [path, body, type = "application/json"]: readonly string[]) => {
    const headers = { authorization: `Bearer ${token}`, "content-type": type };
    const answer = await fetch(`${server.url}/api/sessions/${path}`, { method: "POST", headers, body: body ?? "{}" });
    expect([name, answer.status]).toEqual([name, 200]);
    await answer.text();
    ended.push(name);
  };
  const lines = (count: number): string => {
    const roles = ["user", "assistant"];
    const text = (index: number) =>
      JSON.stringify({ role: roles[index % 2], content: `${index}. ${SENTENCE.repeat(3)}` });
    return Array.from({ length: count }, (_, index) => text(index)).join("\n");
  };
  const importAs = (id: string, count: number) => [`import?id=${id}`, lines(count), "application/x-ndjson"];

  const imports = ["a", "b", "c"].map((id) => send("heavy import", heavy, importAs(id, 600)));
  await send("light import", light, importAs("d", 40));
  await Promise.all(imports);
  expect(ended[0]).toBe("light import");

  ended.length = 0;
  const folds = ["a", "b", "c"].map((id) => send("heavy fold", heavy, [`${id}/compactions`]));
  await send("light fold", light, ["d/compactions"]);
  await Promise.all(folds);
  expect(ended[0]).toBe("light fold");
});
