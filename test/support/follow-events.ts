/** A client of server-sent events that keeps events in order with their times. */
export interface ReceivedEvent {
  readonly name: string;
  readonly data: Readonly<Record<string, unknown>>;
  readonly atMs: number;
}

export interface FollowedEvents extends AsyncDisposable {
  readonly events: readonly ReceivedEvent[];
}

/** Resolves when the server has confirmed the connection. */
export async function followEvents(url: string): Promise<FollowedEvents> {
  const leaving = new AbortController();
  const response = await fetch(`${url}/api/events`, { signal: leaving.signal });
  if (!response.ok || response.body === null) throw new Error(`The server answered ${response.status}.`);
  const events: ReceivedEvent[] = [];
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
  await reader.read();
  const reading = (async () => {
    let rest = "";
    for (;;) {
      const { done, value = "" } = await reader.read();
      if (done) return;
      const blocks = `${rest}${value}`.split("\n\n");
      rest = blocks.pop() ?? "";
      events.push(...blocks.flatMap(readEvent));
    }
  })().catch(() => undefined);
  return {
    events,
    async [Symbol.asyncDispose]() {
      leaving.abort();
      await reading;
    },
  };
}

function readEvent(block: string): readonly ReceivedEvent[] {
  const name = /^event: (.*)$/m.exec(block)?.[1];
  const data = /^data: (.*)$/m.exec(block)?.[1];
  return name === undefined || data === undefined ? [] : [{ name, data: JSON.parse(data), atMs: performance.now() }];
}
