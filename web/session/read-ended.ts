/** Reads a turn from the log when it has ended. Where the connection fails just then, it is tried again for a while. */
const ATTEMPTS = 3;
const PAUSE_MS = 1_000;

/** False where it could not be read. */
export async function readEnded(read: () => Promise<boolean>): Promise<boolean> {
  for (let attempt = 1; ; attempt += 1) {
    if (await read()) return true;
    if (attempt === ATTEMPTS) return false;
    await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
  }
}
