/**
 * Holds the files that a session's log needs, from the fork to its oldest ancestor, while something is done with it.
 * Files are always taken in that order, so nobody waits for somebody who waits for him.
 */
import { PalimpsestError } from "../../core/errors.ts";
import type { SessionId } from "../../core/log/entry.ts";
import { readHeader, SessionLog } from "./session-log.ts";
import type { Shelf, VolumeName } from "./shelf.ts";
import type { Volume } from "./volume.ts";
import { VolumeChanged } from "./volume-changed.ts";
import type { VolumeHost } from "./volume-host.ts";

interface LogsOptions {
  readonly shelf: Shelf;
  readonly host: VolumeHost;
}

/** After so many times a file that changes each time is somebody else's mistake. */
const MOST_LOOKS = 5;

export class Logs {
  readonly #shelf: Shelf;
  readonly #host: VolumeHost;

  constructor({ shelf, host }: LogsOptions) {
    this.#shelf = shelf;
    this.#host = host;
  }

  /** Work may be begun again when a file turns out to be another than was thought; nothing is written before that. */
  async use<Result>(id: SessionId, work: (log: SessionLog | undefined) => Promise<Result>): Promise<Result> {
    return untilUnchanged(() => this.#open(id, work, []));
  }

  /** The same for a volume alone. */
  async useVolume<Result>(name: VolumeName, work: (volume: Volume) => Promise<Result>): Promise<Result> {
    return untilUnchanged(() =>
      this.#shelf.use(name, (volume) =>
        volume.serial.run(async () => {
          await volume.refresh();
          return work(volume);
        }),
      ),
    );
  }

  async #open<Result>(
    id: SessionId,
    work: (log: SessionLog | undefined) => Promise<Result>,
    held: readonly Volume[],
  ): Promise<Result> {
    return this.#shelf.use(this.#shelf.nameFor(id), async (volume) => {
      // Where one file holds a fork and its parent, it is held already.
      if (held.includes(volume)) return this.#openIn(volume, { id, work, held });
      return volume.serial.run(async () => {
        await volume.refresh();
        return this.#openIn(volume, { id, work, held: [...held, volume] });
      });
    });
  }

  async #openIn<Result>(
    volume: Volume,
    options: {
      readonly id: SessionId;
      readonly work: (log: SessionLog | undefined) => Promise<Result>;
      readonly held: readonly Volume[];
    },
  ): Promise<Result> {
    const { id, work, held } = options;
    const session = await volume.findSession(id);
    if (session === undefined) return work(undefined);
    const { fork } = (await readHeader(volume, session)).header;
    const log = (parent: SessionLog | undefined) => new SessionLog({ id, volume, session, parent, host: this.#host });
    if (fork === undefined) return work(log(undefined));
    return this.#open(fork.parentId, (parent) => work(log(parent)), held);
  }
}

async function untilUnchanged<Result>(work: () => Promise<Result>): Promise<Result> {
  for (let look = 1; ; look += 1) {
    try {
      return await work();
    } catch (error) {
      if (!(error instanceof VolumeChanged)) throw error;
      if (look >= MOST_LOOKS) throw restless(error);
    }
  }
}

function restless(cause: VolumeChanged): PalimpsestError {
  const text = `${cause.message} changes each time it is read: stop the other program that writes to it, then try again.`;
  return new PalimpsestError("store-unavailable", text, { cause });
}
