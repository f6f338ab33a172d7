/** Streams text as a response. Pieces are generated as the client reads them, so a slow client costs no memory. */

export interface StreamOptions {
  readonly headers: Readonly<Record<string, string>>;
  /** Called when the client disconnects, to stop a generator that waits. */
  readonly onCancel?: (() => void) | undefined;
}

export function streamText(pieces: AsyncGenerator<string>, { headers, onCancel }: StreamOptions): Response {
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
