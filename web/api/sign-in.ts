/** Signing in: a token is tried before it is taken, and what is wrong with it is said in words. */
import { ClientError } from "../../src/client/client-error.ts";
import { createClient } from "../../src/client/create-client.ts";
import { sayError } from "./errors.ts";
import { takeToken } from "./token.ts";

/** What a header can carry. */
const SENDABLE = /^[\x21-\x7e]{1,500}$/;

/** Why it was not taken; undefined where it was. */
export async function signIn(given: string): Promise<string | undefined> {
  const token = given.trim();
  if (token === "") return "Write your token first.";
  if (!SENDABLE.test(token))
    return "This is no token: it has blanks or letters that none has. Copy it once more, whole.";
  try {
    await createClient({ url: window.location.origin, token, attempts: 1 }).listSessions({ query: { limit: 1 } });
  } catch (error) {
    return sayRefusal(error);
  }
  takeToken(token);
  return undefined;
}

function sayRefusal(error: unknown): string {
  if (!(error instanceof ClientError) || error.status !== 401) return sayError(error);
  return `${error.message} Look whether all of it was copied; it may also have been removed.`;
}
