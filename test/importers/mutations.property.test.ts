/** Broken session files: an importer reads what it can, and never fails in another way than with a clear error. */
import { expect, test } from "vitest";
import { PalimpsestError } from "../../src/core/errors.ts";
import { importTranscript, openPalimpsest } from "../../src/index.ts";
import { seededRandom } from "../../src/testing/seeded-random.ts";
import { MUTATIONS, mutateTranscript } from "../support/mutate-transcript.ts";
import { propertyRuns } from "../support/property-runs.ts";
import { TRANSCRIPT_SAMPLES } from "../support/transcript-samples.ts";

/** For each sample and each kind of mutation; 2,000 in a soak run. */
const CASES = propertyRuns(4);
/** Every so many cases are also stored, twice. */
const STORED = 4;
const MAX_CASE_MS = 2_000;
const FIRST_SEED = Number(process.env.PALIMPSEST_SEED ?? 120);

/** Returns the error of a refused file. Any other failure is thrown. */
async function refuse(work: () => Promise<unknown>): Promise<string | undefined> {
  try {
    await work();
    return undefined;
  } catch (error) {
    if (error instanceof PalimpsestError && error.code === "message-invalid") return error.message;
    throw error;
  }
}

/** The second import of a file adds nothing, however broken the file is. */
async function storeTwice(bytes: Uint8Array, name: string): Promise<void> {
  const palimpsest = await openPalimpsest({ store: "memory:", counter: "estimate" });
  const isRefused = (await refuse(() => palimpsest.importTranscript(bytes, { name }))) !== undefined;
  if (!isRefused) expect(await palimpsest.importTranscript(bytes, { name })).toMatchObject({ added: 0 });
  await palimpsest.close();
}

test.each(TRANSCRIPT_SAMPLES)("a broken $format file named $name is read or refused", async ({ name, text }) => {
  const random = seededRandom(FIRST_SEED);
  for (const kind of MUTATIONS) {
    for (let index = 0; index < CASES; index += 1) {
      const bytes = mutateTranscript(text, kind, random);
      const before = process.cpuUsage();
      try {
        await refuse(() => importTranscript(bytes, { name }));
        if (index % STORED === 0) await storeTwice(bytes, name);
      } catch (error) {
        throw new Error(`${kind} ${index}: ${Buffer.from(bytes).toString("latin1").slice(0, 3_000)}`, { cause: error });
      }
      const { user, system } = process.cpuUsage(before);
      expect((user + system) / 1_000).toBeLessThan(MAX_CASE_MS);
    }
  }
});
