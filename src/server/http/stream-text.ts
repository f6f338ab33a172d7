/** Streams text as a response. Pieces are generated as the client reads them, so a slow client costs no memory. */

/** `onCancel` is called when the client disconnects, to stop a generator that waits. */
export function streamText(
  pieces: AsyncGenerator<string>,
  headers: Readonly<Record<string, string>>,
  onCancel?: () => void,
): Response {
  const encoder = new TextEncoder();
  const body = new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        const next = await pieces.next();
        if (next.done === true) controller.close();
        else controller.enqueue(encoder.encode(next.value));
      },
      async cancel() {
        onCancel?.();
        await pieces.return(undefined);
      },
    },
    { highWaterMark: 0 },
  );
  return new Response(body, { headers });
}
