/** Streams text as a response. Pieces are generated as the client reads them, so a slow client costs no memory. */

/** Handlers of failures, by the body of their response. */
const failureHandlers = new WeakMap<ReadableStream, (error: unknown) => void>();

/**
 * Calls `onFailure` if a response of `streamText` fails while it is sent, and ends its stream. The handler has to close
 * the connection: the HTTP adapter would end a response that fails at its start like a complete one.
 */
export function watchFailure({ body }: Response, onFailure: (error: unknown) => void): void {
  if (body !== null) failureHandlers.set(body, onFailure);
}

/** `onCancel` is called when the client disconnects, to stop a generator that waits. */
export function streamText(
  pieces: AsyncGenerator<string>,
  headers: Readonly<Record<string, string>>,
  onCancel?: () => void,
): Response {
  const encoder = new TextEncoder();
  const body: ReadableStream<Uint8Array> = new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        try {
          const next = await pieces.next();
          if (next.done === true) controller.close();
          else controller.enqueue(encoder.encode(next.value));
        } catch (error) {
          const onFailure = failureHandlers.get(body);
          if (onFailure === undefined) throw error;
          onFailure(error);
          controller.close();
        }
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
