/**
 * Lines of a stream, parted at newlines and at nothing else: JSON may hold other characters that end a line elsewhere.
 */
export async function* readLines(stream: AsyncIterable<Uint8Array | string>): AsyncGenerator<string, void, undefined> {
  const decoder = new TextDecoder();
  let parts: string[] = [];
  for await (const chunk of stream) {
    const text = typeof chunk === "string" ? chunk : decoder.decode(chunk, { stream: true });
    const [first = "", ...others] = text.split("\n");
    parts.push(first);
    for (const next of others) {
      yield parts.join("");
      parts = [next];
    }
  }
  const rest = parts.join("") + decoder.decode();
  if (rest !== "") yield rest;
}
