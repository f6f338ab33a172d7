/**
 * Checks what a caller gave the client, with the nearest name in the error. The client runs in browsers and has nothing of
 * core, so it has a small check of its own.
 */
import { ClientError } from "./client-error.ts";

/** `name` is what the options belong to, as the caller writes it: `createClient`. */
export function checkOptions(options: object, names: readonly string[], name: string): void {
  const unknown = Object.keys(options).find((key) => !names.includes(key));
  if (unknown === undefined) return;
  const nearest = names.find((each) => isNear(unknown, each));
  const advice = nearest === undefined ? `The options are ${names.join(", ")}.` : `Did you mean "${nearest}"?`;
  throw invalid(`${name}: Unknown option "${unknown}". ${advice}`);
}

export function checkUrl(url: unknown): void {
  if (typeof url === "string" && /^https?:\/\/./.test(url)) return;
  const found = typeof url === "string" ? JSON.stringify(url) : String(url);
  throw invalid(`createClient: url: expected the server's address, such as http://127.0.0.1:7420, found ${found}.`);
}

function invalid(text: string): ClientError {
  return new ClientError("config-invalid", text);
}

/** Names are near when at most a third of their letters differ, in any order. */
function isNear(given: string, name: string): boolean {
  const letters = [...name.toLowerCase()];
  let more = 0;
  for (const letter of given.toLowerCase()) {
    const index = letters.indexOf(letter);
    if (index === -1) more += 1;
    else letters.splice(index, 1);
  }
  return Math.max(more, letters.length) <= Math.floor(name.length / 3);
}
