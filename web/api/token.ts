/**
 * The access token, for servers that require one. It is stored for this tab only and sent as a header, never in an
 * address. When the server rejects it, the page shows the sign-in form.
 */
import { ClientError } from "../../src/client/client-error.ts";
import { createClient } from "../../src/client/create-client.ts";
import { describeError } from "./errors.ts";

const KEY = "palimpsest-token";
/** Marks a 401 of this server, as opposed to one of a proxy. */
const REALM = 'realm="palimpsest"';
/** A search whose text is a token is rejected because of its address; the token in use may be valid. */
const IN_ADDRESS = /=plm_/;
/** Characters that a header can carry. */
const SENDABLE = /^[\x21-\x7e]{1,500}$/;

/** `signed-out`: the user has not signed in. `rejected`: the token in use is no longer valid. */
export type AccessState = "open" | "signed-out" | "rejected";

const isRequired = document.querySelector('meta[name="palimpsest-access"]')?.getAttribute("content") === "token";
// A server without tokens rejects requests with a token.
let token = isRequired ? readStored() : undefined;
let access: AccessState = isRequired && token === undefined ? "signed-out" : "open";
const listeners = new Set<() => void>();

export function hasToken(): boolean {
  return token !== undefined;
}

/** A hash that is the same in every window with this token; empty without a token. */
export async function hashCurrentToken(): Promise<string> {
  if (token === undefined) return "";
  const digest = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(token));
  return Array.from(new Uint8Array(digest), (byte) => byte.toString(16).padStart(2, "0")).join("");
}

export function readAccess(): AccessState {
  return access;
}

export function subscribeToAccess(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

export async function fetchWithToken(input: RequestInfo | URL, init?: RequestInit): Promise<Response> {
  const request = input instanceof Request && init === undefined ? input : new Request(input, init);
  const sent = token;
  if (sent !== undefined) request.headers.set("authorization", `Bearer ${sent}`);
  const response = await fetch(request);
  // A response to an earlier token does not affect the current one.
  if (sent === token && isTokenRefusal(response) && !IN_ADDRESS.test(request.url)) {
    setToken(undefined);
    setAccess(sent === undefined ? "signed-out" : "rejected");
  }
  return response;
}

function isTokenRefusal({ status, headers }: Response): boolean {
  return status === 401 && headers.get("www-authenticate")?.includes(REALM) === true;
}

/** Tries a token and keeps it if the server accepts it; returns the reason if not. */
export async function signIn(given: string): Promise<string | undefined> {
  const trimmed = given.trim();
  if (trimmed === "") return "Enter your token.";
  if (!SENDABLE.test(trimmed)) return "This is not a token: it has spaces or other invalid characters. Copy it again.";
  try {
    const client = createClient({ url: window.location.origin, token: trimmed, attempts: 1 });
    await client.listSessions({ query: { limit: 1 } });
  } catch (error) {
    return describeRefusal(error);
  }
  setToken(trimmed);
  setAccess("open");
  return undefined;
}

function describeRefusal(error: unknown): string {
  if (!(error instanceof ClientError) || error.status !== 401) return describeError(error);
  return `${error.message} Check that you copied all of it; it may also have been revoked.`;
}

/** Reloads the page, so that nothing that belongs to the token stays in the tab. */
export function signOut(): void {
  clearTab();
  // Components save drafts when the page is left, before this runs.
  window.addEventListener("pagehide", clearTab);
  window.history.replaceState(null, "", "#/");
  window.location.reload();
}

function setToken(given: string | undefined): void {
  token = given;
  try {
    if (given === undefined) sessionStorage.removeItem(KEY);
    else sessionStorage.setItem(KEY, given);
  } catch {
    // Without storage the token lasts until the page is reloaded.
  }
}

function setAccess(next: AccessState): void {
  if (access === next || (access === "rejected" && next === "signed-out")) return;
  access = next;
  for (const listener of listeners) listener();
}

/** Removes the token and the drafts, which may quote the conversation. */
function clearTab(): void {
  try {
    sessionStorage.clear();
  } catch {
    // Without storage there is nothing to remove.
  }
}

function readStored(): string | undefined {
  try {
    return sessionStorage.getItem(KEY) ?? undefined;
  } catch {
    return undefined;
  }
}
