/** Plain requests of a benchmark to a server: creates a session, appends a message. */
export async function createSession(url: string, id: string): Promise<void> {
  await post(`${url}/api/sessions`, { id });
}

export async function appendMessage(
  url: string,
  { id, text }: { readonly id: string; readonly text: string },
): Promise<void> {
  await post(`${url}/api/sessions/${id}/messages`, { messages: [{ role: "user", content: text }] });
}

async function post(address: string, body: unknown): Promise<void> {
  const headers = { "content-type": "application/json" };
  const response = await fetch(address, { method: "POST", headers, body: JSON.stringify(body) });
  const text = await response.text();
  if (!response.ok) throw new Error(`${address} answered ${response.status}: ${text}`);
}
