/** Changes of what the model sees that somebody asks for by name. */
import { client } from "./client.ts";
import { readText } from "./fields.ts";

/** What became of it, in words for a notice. */
export async function pinMessage(id: string, messageId: string): Promise<string> {
  const outcome = await client.pinMessage({ params: { id }, body: { messageId } });
  return readText(outcome.type);
}

export async function unpinMessage(id: string, messageId: string): Promise<void> {
  await client.unpinMessage({ params: { id, pinId: messageId } });
}

export async function clearHistory(id: string): Promise<void> {
  await client.clearHistory({ params: { id }, body: {} });
}

export async function undoLast(id: string): Promise<string> {
  return (await client.undo({ params: { id }, body: {} })).type;
}
