/**
 * Work on a repository: over a hundred turns, forty files are chosen, edited and deselected, files are added and
 * deleted, and pages are read. A few files are edited far more often than the others.
 */
import { type SeededRandom, seededRandom } from "../../src/testing/seeded-random.ts";
import type { Conversation, ConversationSize, ConversationStep, WorkspaceEvent } from "./conversation.ts";
import { textMessage } from "./create-messages.ts";
import { writeRepository } from "./repository.ts";
import { pauseMs } from "./time.ts";
import { editSource, pathAt, sourceFile, writeProse } from "./write-text.ts";

const TURNS = 100;
const REPOSITORY_FILES = 300;
const FIRST_CHOSEN = 6;
const MAX_CHOSEN = 40;

export function writeWorkspaceEdits({ seed, isQuick }: ConversationSize): Conversation {
  const random = seededRandom(seed);
  const files = new Map(writeRepository(random, REPOSITORY_FILES));
  const initial = new Map(files);
  const work = new Work(random, files);
  const steps: ConversationStep[] = [];
  let timeMs = 0;
  for (let turn = 0; turn < (isQuick ? TURNS / 4 : TURNS); turn += 1) {
    timeMs += pauseMs(random);
    steps.push({
      timeMs,
      events: turn === 0 ? work.begin() : work.goOn(turn),
      newMessages: [textMessage("user", `u${turn}`, writeProse(random, 1 + random.integer(5)))],
      reply: textMessage("assistant", `a${turn}`, writeProse(random, 6 + random.integer(25))),
    });
  }
  return { name: "workspace", instructions: writeProse(random, 120), files: initial, steps };
}

class Work {
  readonly #random: SeededRandom;
  readonly #files: Map<string, string>;
  /** In the order in which they were chosen; earlier files are edited more often. */
  readonly #chosen: string[] = [];
  #everChosen = 0;
  #created = REPOSITORY_FILES;

  constructor(random: SeededRandom, files: Map<string, string>) {
    this.#random = random;
    this.#files = files;
  }

  begin(): readonly WorkspaceEvent[] {
    return Array.from({ length: FIRST_CHOSEN }, () => this.#choose()).flat();
  }

  goOn(turn: number): readonly WorkspaceEvent[] {
    const random = this.#random;
    const happens = (chance: number) => random.next() < chance;
    return [
      ...(happens(0.55) ? this.#edit() : []),
      ...(happens(0.2) ? this.#edit() : []),
      ...(happens(0.4) ? this.#choose() : []),
      ...(happens(0.1) ? this.#drop() : []),
      ...(happens(0.06) ? this.#create() : []),
      ...(happens(0.02) ? this.#delete() : []),
      ...(turn % 33 === 5 ? [this.#link(turn)] : []),
    ];
  }

  #choose(): readonly WorkspaceEvent[] {
    const path = this.#random.pick([...this.#files.keys()]);
    if (this.#everChosen >= MAX_CHOSEN || this.#chosen.includes(path)) return [];
    this.#everChosen += 1;
    this.#chosen.push(path);
    return [{ type: "choose", path }];
  }

  #edit(): readonly WorkspaceEvent[] {
    const path = this.#chosen[Math.floor(this.#chosen.length * this.#random.next() ** 2.5)];
    if (path === undefined) return [];
    const text = editSource(this.#random, this.#files.get(path) ?? "");
    this.#files.set(path, text);
    return [{ type: "write", path, text }];
  }

  #drop(): readonly WorkspaceEvent[] {
    if (this.#chosen.length <= FIRST_CHOSEN) return [];
    return this.#chosen.splice(this.#random.integer(this.#chosen.length), 1).map((path) => ({ type: "drop", path }));
  }

  #create(): readonly WorkspaceEvent[] {
    const path = pathAt(this.#created);
    this.#created += 1;
    const text = sourceFile(this.#random, { functions: 5, imports: [pathAt(0)] });
    this.#files.set(path, text);
    return [{ type: "write", path, text }];
  }

  #delete(): readonly WorkspaceEvent[] {
    const path = this.#random.pick([...this.#files.keys()]);
    if (this.#chosen.includes(path)) return [];
    this.#files.delete(path);
    return [{ type: "delete", path }];
  }

  #link(turn: number): WorkspaceEvent {
    return { type: "link", url: `https://example.com/${turn}`, text: writeProse(this.#random, 60) };
  }
}
