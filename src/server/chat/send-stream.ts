/** A chat's stream as a response: server-sent events as the AI SDK's transports read them. */
import type { ChatStream } from "./chat-stream.ts";

const HEADERS = {
  "content-type": "text/event-stream",
  "cache-control": "no-cache",
  "x-vercel-ai-ui-message-stream": "v1",
  "x-accel-buffering": "no",
};

/** A client that goes away ends its own reading and nothing else. */
export function sendStream(stream: ChatStream): Response {
  const gone = new AbortController();
  const encoder = new TextEncoder();
  const pieces = stream.read(gone.signal);
  const body = new ReadableStream<Uint8Array>(
    {
      // Asked when the client has taken what came before.
      async pull(controller) {
        const next = await pieces.next();
        if (next.done === true) {
          controller.enqueue(encoder.encode("data: [DONE]\n\n"));
          controller.close();
          return;
        }
        const lines = next.value.map((chunk) => `data: ${JSON.stringify(chunk)}\n\n`);
        controller.enqueue(encoder.encode(lines.length === 0 ? ": still here\n\n" : lines.join("")));
      },
      async cancel() {
        gone.abort();
        await pieces.return(undefined);
      },
    },
    { highWaterMark: 0 },
  );
  return new Response(body, { headers: HEADERS });
}
