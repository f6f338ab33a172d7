/**
 * F15: one bit of one stored value is changed, in a message, a summary, a recall, a head, a count or the row of a
 * session. Afterwards prompts, messages, list and export are unchanged, or an error, a warning or `doctor` reports the
 * change: no change is silent.
 */
import { examineStore } from "../../src/cli/doctor/examine-store.ts";
import { openPalimpsest } from "../../src/compose.ts";
import { PalimpsestError } from "../../src/core/errors.ts";
import type { Store } from "../../src/ports/store.ts";
import { type SeededRandom, seededRandom } from "../../src/testing/seeded-random.ts";
import type { FaultOptions, FaultResult } from "./fault.ts";

/** A store with a session, which is copied for each change. */
export interface FlipSite {
  readonly name: string;
  readonly place: FlipPlace;
  /** Changes one bit of a copy, and returns its place, what was changed, and how to remove the copy. */
  flip(random: SeededRandom): Promise<FlippedCopy>;
}

/** The address of a store, or a function that opens it. */
export type FlipPlace = string | ((onWarning: (text: string) => void) => Promise<Store>);

interface FlippedCopy {
  readonly place: FlipPlace;
  readonly what: string;
  end(): Promise<void>;
}

const SESSION = "s";
const OPTIONS = { windowTokens: 8_192, budgetTokens: 1_500 };

/** Writes messages, a summary, a recall, requests, a pin, a title, a fork, and counts by a second counter. */
export async function fillPlace(place: FlipPlace): Promise<void> {
  const policy = { recall: { enabled: true } };
  const first = await openPalimpsest({ store: await openAt(place), counter: "estimate", ...OPTIONS, policy });
  const session = await first.session(SESSION);
  await session.append([{ id: "fact", role: "user", content: FACT }, ...talk(20, "a")]);
  await first.rename(SESSION, "A plan for the spring");
  await session.prompt({});
  await session.prompt({ next: { id: "question", role: "user", content: "Where does the key of the shed hang?" } });
  await session.pin({ note: "Ana decides about the budget." });
  await session.append(talk(8, "b"));
  await session.prompt({});
  const fork = await session.fork();
  await fork.append(talk(2, "c"));
  const recalls = (await session.entries()).filter(({ type }) => type === "recall");
  if (recalls.length === 0) throw new Error("The session has no recall that could be changed.");
  await first.close();
  const second = await openPalimpsest({ store: await openAt(place), counter: "cl100k", ...OPTIONS });
  await (await second.session(SESSION)).prompt({ preview: true });
  await second.close();
}

const FACT = "The key of the shed hangs behind the blue barrel.";

async function openAt(place: FlipPlace, onWarning: (text: string) => void = () => undefined): Promise<string | Store> {
  return typeof place === "string" ? place : place(onWarning);
}

function talk(count: number, word: string) {
  return Array.from({ length: count }, (_, index) => ({
    id: `${word}${index}`,
    role: index % 2 === 0 ? "user" : "assistant",
    content: `${word} ${index} ${"and words of all kinds ".repeat(10)}`,
  }));
}

interface Observation {
  /** Lists, prompts, messages and exports, which must be the same byte for byte. */
  readonly shown: string;
  readonly complaints: readonly string[];
}

/** Reads everything that a user can read, and all reports of damage. */
export async function observeStore(place: FlipPlace): Promise<Observation> {
  const complaints: string[] = [];
  const shown: string[] = [];
  const note = (error: unknown) => {
    // Any other error is a bug.
    if (!(error instanceof PalimpsestError)) throw error;
    complaints.push(error.message);
  };
  const store = await openAt(place, (text) => complaints.push(text));
  const palimpsest = await openPalimpsest({ store, counter: "cl100k", ...OPTIONS });
  palimpsest.on("warning", ({ text }) => complaints.push(text));
  try {
    const sessions = await palimpsest.sessions();
    shown.push(JSON.stringify(sessions));
    for (const { id } of sessions) {
      shown.push(JSON.stringify([await palimpsest.describe(id), await palimpsest.forks(id)]));
      const session = await palimpsest.load(id);
      const prompt = await session.prompt({ preview: true }).catch(note);
      shown.push(JSON.stringify(prompt?.messages ?? null));
      for (const messageId of ["a1", "a18", "b3"]) {
        shown.push(JSON.stringify((await session.message(messageId).catch(note)) ?? null));
      }
      for await (const line of palimpsest.exportSession(id, { secrets: "keep" })) shown.push(line);
    }
  } catch (error) {
    note(error);
  }
  await palimpsest.close();
  if (typeof store !== "string") await store.close();
  // `doctor` needs an address, so a D1 database has to report every change when it is read.
  if (typeof place === "string") complaints.push(...(await readDoctor(place)));
  return { shown: shown.join("\n"), complaints };
}

async function readDoctor(address: string): Promise<readonly string[]> {
  const findings = await examineStore(address, {
    tenantId: "local",
    sessionId: undefined,
    newest: 10,
    repair: false,
  });
  return findings.filter(({ state }) => state !== "good").map(({ text }) => text);
}

/** Changes one bit at a time in copies of a site that `fillPlace` has filled. */
export async function flipValues(site: FlipSite, options: FaultOptions): Promise<FaultResult> {
  const random = seededRandom(options.seed);
  const until = performance.now() + options.longestMs;
  const before = await observeStore(site.place);
  const violations: string[] = before.complaints.map((text) => `Before any change: ${text}`);
  const counts = { noticed: 0, harmless: 0, silent: 0 };
  let rounds = 0;
  while (rounds < options.rounds && (rounds === 0 || performance.now() < until)) {
    const flipped = await site.flip(random);
    const after = await observeStore(flipped.place);
    await flipped.end();
    rounds += 1;
    const isSame = after.shown === before.shown;
    if (after.complaints.length > 0) counts.noticed += 1;
    else if (isSame) counts.harmless += 1;
    else {
      counts.silent += 1;
      violations.push(`silent: ${flipped.what}`);
    }
    if (rounds % 20 === 0) options.onProgress(`${site.name}: ${rounds} of ${options.rounds} changed`);
  }
  const end = await observeStore(site.place);
  if (end.shown !== before.shown || end.complaints.length > 0) violations.push("The original changed too.");
  const remarks = `${counts.noticed} noticed, ${counts.harmless} harmless, ${counts.silent} silent`;
  return { name: site.name, rounds, acknowledged: before.shown.length, lost: 0, duplicated: 0, violations, remarks };
}
