/** Checks a file's entries as a whole: unique ids, epochs in steps of one, and the head of a fork. */
import { type Entry, movesEpoch } from "../../core/log/entry.ts";
import type { Head } from "../../core/log/head.ts";
import { HOLD_MESSAGES } from "../session/undo-entry.ts";
import { damaged, type ExportHeader } from "./export-format.ts";

export class LogCheck {
  messages = 0;
  readonly #ids = new Set<string>();
  /** The epoch of the session's own changes, without those of a fork's parent. */
  #epoch = 0;
  #lostSinceEpoch = 0;
  #lost = 0;
  #seq = 0;
  /** Messages that a fork's head has folded in. */
  #folded = 0;

  take(entry: Entry, { header, lineNumber }: { readonly header: ExportHeader; readonly lineNumber: number }): void {
    if (this.#ids.has(entry.id)) throw damaged(lineNumber, `there are two entries ${JSON.stringify(entry.id)}`);
    this.#ids.add(entry.id);
    this.#seq = entry.seq;
    if (isLost(entry)) [this.#lost, this.#lostSinceEpoch] = [this.#lost + 1, this.#lostSinceEpoch + 1];
    if (entry.type === "message") {
      this.messages += 1;
      if (entry.seq <= (header.head?.foldedThroughSeq ?? 0)) this.#folded += 1;
    }
    if (!movesEpoch(entry)) return;
    if (entry.type === "undo" && entry.holdThroughCount > this.messages + this.#lost + HOLD_MESSAGES) {
      throw damaged(lineNumber, `it holds through ${entry.holdThroughCount} messages, and there are ${this.messages}`);
    }
    if (entry.seq > (header.session.fork?.atSeq ?? 0)) this.#step(entry.epoch, lineNumber);
  }

  end({ session, head }: ExportHeader): void {
    if (session.fork === undefined || head === undefined) return;
    if (session.fork.atSeq > this.#seq) throw damaged(1, `it forks at ${session.fork.atSeq}, and ${this.#seq} is last`);
    const wrong = this.#findWrong(head);
    if (wrong !== undefined) throw damaged(1, `head.${wrong} is not what the entries say`);
  }

  #step(epoch: number, lineNumber: number): void {
    const [least, most] = [this.#epoch + 1, this.#epoch + 1 + this.#lostSinceEpoch];
    if (epoch < least || epoch > most) {
      throw damaged(lineNumber, `the epoch ${least} should follow, and it is ${epoch}`);
    }
    [this.#epoch, this.#lostSinceEpoch] = [epoch, 0];
  }

  #findWrong({ foldedThroughSeq, epoch, messageCount, holdThroughCount, completedEpoch }: Head): string | undefined {
    const isAbout = (value: number, known: number) => value >= known && value <= known + this.#lost;
    if (foldedThroughSeq > this.#seq) return "foldedThroughSeq";
    if (!isAbout(epoch, this.#epoch)) return "epoch";
    if (!isAbout(messageCount, this.#folded)) return "messageCount";
    if (completedEpoch > epoch) return "completedEpoch";
    return holdThroughCount > this.messages + this.#lost + HOLD_MESSAGES ? "holdThroughCount" : undefined;
  }
}

function isLost({ id, seq }: Entry): boolean {
  return id === `lost-${seq}` || id === `unreadable-${seq}`;
}
