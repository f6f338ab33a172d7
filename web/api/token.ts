/**
 * The token with which the server is asked, where it wants one. It is kept for this tab alone, goes with requests as a
 * header and never into an address. When the server does not take it any more the page is closed until there is another.
 */
const KEY = "palimpsest-token";
/** The server says of itself in this way that it refuses. */
const REALM = 'realm="palimpsest"';
/** Whoever searches for a token is refused for the address alone. */
const IN_ADDRESS = /=plm_/;

/** `asked`: nobody has signed in yet. `refused`: somebody had, and their token is not taken any more. */
export type Door = "open" | "asked" | "refused";

const isWanted = document.querySelector('meta[name="palimpsest-access"]')?.getAttribute("content") === "token";
// A server that asks for none refuses whoever sends one.
let token = isWanted ? readKept() : undefined;
let door: Door = isWanted && token === undefined ? "asked" : "open";
const listeners = new Set<() => void>();

export function hasToken(): boolean {
  return token !== undefined;
}

/** The same for every window with the same token, and of no use to anybody; empty without one. */
export async function nameToken(): Promise<string> {
  if (token === undefined) return "";
  const digest = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(token));
  return Array.from(new Uint8Array(digest), (byte) => byte.toString(16).padStart(2, "0")).join("");
}

export function readDoor(): Door {
  return door;
}

export function followDoor(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** Fetches with the token that holds now. */
export async function fetchSigned(input: RequestInfo | URL, init?: RequestInit): Promise<Response> {
  const request = input instanceof Request && init === undefined ? input : new Request(input, init);
  const sent = token;
  if (sent !== undefined) request.headers.set("authorization", `Bearer ${sent}`);
  const response = await fetch(request);
  // An answer to a token that was replaced meanwhile says nothing of the new one.
  if (sent === token && isForToken(response) && !IN_ADDRESS.test(request.url)) {
    holdToken(undefined);
    turnDoor(sent === undefined ? "asked" : "refused");
  }
  return response;
}

function isForToken({ status, headers }: Response): boolean {
  return status === 401 && headers.get("www-authenticate")?.includes(REALM) === true;
}

/** One that the server takes. */
export function takeToken(given: string): void {
  holdToken(given);
  turnDoor("open");
}

/** Begins anew, so that nothing that was read, written or chosen with it stays in the tab. */
export function signOut(): void {
  forgetTab();
  // Parts of the page that keep words when it is left do so before this.
  window.addEventListener("pagehide", forgetTab);
  window.history.replaceState(null, "", "#/");
  window.location.reload();
}

function holdToken(given: string | undefined): void {
  token = given;
  keep(given);
}

function turnDoor(next: Door): void {
  if (door === next || (door === "refused" && next === "asked")) return;
  door = next;
  for (const listener of listeners) listener();
}

/** The token, and drafts, which may quote what was read. */
function forgetTab(): void {
  try {
    sessionStorage.clear();
  } catch {
    // There is nothing then.
  }
}

function readKept(): string | undefined {
  try {
    return sessionStorage.getItem(KEY) ?? undefined;
  } catch {
    return undefined;
  }
}

/** Where a browser keeps nothing, it holds until the page is loaded anew. */
function keep(given: string | undefined): void {
  try {
    if (given === undefined) sessionStorage.removeItem(KEY);
    else sessionStorage.setItem(KEY, given);
  } catch {
    // As said above.
  }
}
