/**
 * Many clients of a server's events in their own process. With `follow` they stay until they are stopped, and report
 * how many events each of them got. With `drop` they disconnect as soon as they got something, round after round.
 */
import { get } from "node:http";

export interface StreamTask {
  readonly url: string;
  readonly clients: number;
  readonly how: "follow" | "drop";
  readonly rounds: number;
  /** The text with which a counted event starts. */
  readonly mark: string;
}

export type StreamReport =
  | { readonly type: "connected" }
  | { readonly type: "round"; readonly round: number }
  | {
      readonly type: "end";
      readonly errors: number;
      readonly firstByteMs: readonly number[];
      /** Events of each client. */
      readonly events: readonly number[];
    };

interface Client {
  /** Disconnects without notice. */
  leave(): void;
  /** Resolves with the time to the first byte; undefined if nothing came. */
  readonly first: Promise<number | undefined>;
  events(): number;
}

let errors = 0;

if (import.meta.main) {
  const task = JSON.parse(process.argv[2] ?? "{}") as StreamTask;
  // The clients must end if their parent was killed.
  process.once("disconnect", () => process.exit());
  await (task.how === "follow" ? follow(task) : drop(task));
  process.disconnect();
}

async function follow(task: StreamTask): Promise<void> {
  const clients = Array.from({ length: task.clients }, () => connect(task));
  const firstByteMs = await timesOf(clients);
  await tell({ type: "connected" });
  await new Promise((resolve) => process.once("message", resolve));
  const events = clients.map((client) => client.events());
  const report = { type: "end", errors, firstByteMs, events } as const;
  for (const client of clients) client.leave();
  await tell(report);
}

async function drop(task: StreamTask): Promise<void> {
  const firstByteMs: number[] = [];
  for (let round = 1; round <= task.rounds; round += 1) {
    const clients = Array.from({ length: task.clients }, () => connect(task));
    firstByteMs.push(...(await timesOf(clients)));
    for (const client of clients) client.leave();
    await tell({ type: "round", round });
    // The parent reads the server's resources before it continues.
    await new Promise((resolve) => process.once("message", resolve));
  }
  await tell({ type: "end", errors, firstByteMs, events: [] });
}

async function timesOf(clients: readonly Client[]): Promise<readonly number[]> {
  const times = await Promise.all(clients.map(({ first }) => first));
  return times.filter((ms) => ms !== undefined);
}

function connect({ url, mark }: StreamTask): Client {
  const startedAt = performance.now();
  const first = Promise.withResolvers<number | undefined>();
  let events = 0;
  let isLeft = false;
  const fail = (): void => {
    if (!isLeft) errors += 1;
    first.resolve(undefined);
  };
  const request = get(url, { agent: false }, (response) => {
    if (response.statusCode !== 200) fail();
    let rest = "";
    response.setEncoding("utf8").on("data", (chunk: string) => {
      first.resolve(performance.now() - startedAt);
      const pieces = `${rest}${chunk}`.split(mark);
      events += pieces.length - 1;
      rest = (pieces.at(-1) ?? "").slice(-mark.length);
    });
    response.on("error", fail).on("end", fail);
  });
  request.on("error", fail).on("close", () => first.resolve(undefined));
  return {
    leave: () => {
      isLeft = true;
      request.destroy();
    },
    first: first.promise,
    events: () => events,
  };
}

function tell(report: StreamReport): Promise<void> {
  return new Promise((resolve, reject) =>
    process.send?.(report, (error: Error | null) => (error === null ? resolve() : reject(error))),
  );
}
