/**
 * What a browser gets at `/`: the page, from the folder that it was built into, or where it was not built a plain one
 * that says what runs here and how to begin. Nothing outside of the folder is ever read, whatever a path says and
 * wherever a link points, and nothing is loaded from elsewhere.
 */
import { readFile, realpath, stat } from "node:fs/promises";
import { extname, join, sep } from "node:path";
import type { MountedApp } from "../app/create-app.ts";
import { PLAIN_STYLE, writePlainPage } from "./plain-page.ts";

export interface PageOptions {
  /** Where the built page is, if it was built. */
  readonly folder: string | undefined;
  readonly version: string;
  /** Whether whoever uses the page needs a token. */
  readonly needsToken: boolean;
}

const TYPES: Readonly<Record<string, string>> = {
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".mjs": "text/javascript; charset=utf-8",
  ".css": "text/css; charset=utf-8",
  ".json": "application/json; charset=utf-8",
  ".map": "application/json; charset=utf-8",
  ".webmanifest": "application/manifest+json; charset=utf-8",
  ".svg": "image/svg+xml",
  ".png": "image/png",
  ".jpg": "image/jpeg",
  ".webp": "image/webp",
  ".ico": "image/x-icon",
  ".woff2": "font/woff2",
  ".wasm": "application/wasm",
  ".txt": "text/plain; charset=utf-8",
};

/** Builders put a hash of the content into the name: such a file never changes. */
const HASHED = /[.-][A-Za-z0-9_-]{8,}\.[a-z0-9]+$/;
const FOR_EVER = "public, max-age=31536000, immutable";
const ASK_AGAIN = "no-cache";
const STYLE_PATH = "/plain.css";

/** Where no route is; what is not there either goes on to whoever comes next. */
export function mountPage(app: MountedApp, options: PageOptions): void {
  app.get("*", async (context, next) => {
    const page = await answerPage(context.req.raw, options);
    if (page === undefined) return next();
    context.env.route = "page";
    return page;
  });
}

async function answerPage(
  request: Request,
  { folder, version, needsToken }: PageOptions,
): Promise<Response | undefined> {
  const { pathname, origin } = new URL(request.url);
  const built = await findFile(folder, pathname === "/" ? "/index.html" : pathname);
  if (built !== undefined && needsToken && built.path.endsWith(".html")) return answerAsking(request, built);
  if (built !== undefined) return answerFile(request, built);
  if (pathname === "/") return answerText(request, writePlainPage({ origin, version, style: STYLE_PATH }), ".html");
  return pathname === STYLE_PATH ? answerText(request, PLAIN_STYLE, ".css") : undefined;
}

interface FoundFile {
  readonly path: string;
  readonly tag: string;
}

async function findFile(folder: string | undefined, pathname: string): Promise<FoundFile | undefined> {
  const name = decodePath(pathname);
  if (folder === undefined || name === undefined || !(extname(name) in TYPES)) return undefined;
  try {
    const root = await realpath(folder);
    // Where links lead is known only after they were followed.
    const path = await realpath(join(root, name));
    if (!path.startsWith(`${root}${sep}`)) return undefined;
    const found = await stat(path);
    return found.isFile() ? { path, tag: `"${found.size.toString(36)}-${found.mtimeMs.toString(36)}"` } : undefined;
  } catch {
    // There is no such file, or it may not be read: both are nothing at this address.
    return undefined;
  }
}

/** Names of files that begin with a dot are nobody's business, `..` among them. */
function decodePath(pathname: string): string | undefined {
  try {
    const name = decodeURIComponent(pathname);
    return /[\0\\:]/.test(name) || name.split("/").some((part) => part.startsWith(".")) ? undefined : name;
  } catch {
    return undefined;
  }
}

async function answerFile(request: Request, { path, tag }: FoundFile): Promise<Response> {
  const headers = {
    "content-type": TYPES[extname(path)] ?? "application/octet-stream",
    "cache-control": HASHED.test(path) ? FOR_EVER : ASK_AGAIN,
    etag: tag,
  };
  if (request.headers.get("if-none-match") === tag) return new Response(null, { status: 304, headers });
  return new Response(request.method === "HEAD" ? null : await readFile(path), { headers });
}

/** Told with the page itself, so that it asks for a token before it asks for anything else. */
async function answerAsking(request: Request, { path }: FoundFile): Promise<Response> {
  const text = await readFile(path, "utf8");
  const asking = text.replace(/(<meta name="palimpsest-access" content=")open"/, '$1token"');
  return answerText(request, asking, ".html");
}

function answerText(request: Request, text: string, extension: string): Response {
  const headers = { "content-type": TYPES[extension] ?? "", "cache-control": ASK_AGAIN };
  return new Response(request.method === "HEAD" ? null : text, { headers });
}
