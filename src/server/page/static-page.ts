/**
 * Serves the built page, or a plain one if it was not built. Reads nothing outside of its folder, whatever a path or a
 * symbolic link contains. `serveStatic` of Hono follows links out of the folder, serves names that begin with a dot and
 * sets no ETag, so files are found here.
 */
import { readFile, realpath, stat } from "node:fs/promises";
import { join, sep } from "node:path";
import { getMimeType } from "hono/utils/mime";
import type { MountedApp } from "../app/create-app.ts";
import { PLAIN_STYLE, writePlainPage } from "./plain-page.ts";

export interface PageOptions {
  readonly folder: string | undefined;
  readonly version: string;
  readonly needsToken: boolean;
}

/** The build puts a hash of the content into such names, so the file never changes. */
const HASHED = /[.-][A-Za-z0-9_-]{8,}\.[a-z0-9]+$/;
const CACHE_FOREVER = "public, max-age=31536000, immutable";
const REVALIDATE = "no-cache";
const STYLE_PATH = "/plain.css";

/** Answers addresses that match no route; passes the request on if no file matches either. */
export function mountPage(app: MountedApp, options: PageOptions): void {
  app.get("*", async (context, next) => {
    const page = await answerPage(context.req.raw, options);
    if (page === undefined) return next();
    context.env.route = "page";
    return page;
  });
}

async function answerPage(request: Request, { folder, version, needsToken }: PageOptions) {
  const { pathname, origin } = new URL(request.url);
  const file = await findFile(folder, pathname === "/" ? "/index.html" : pathname);
  if (file !== undefined && needsToken && file.path.endsWith(".html")) return answerWithTokenForm(request, file);
  if (file !== undefined) return answerFile(request, file);
  if (pathname === "/") return answerText(request, writePlainPage(origin, version, STYLE_PATH), "html");
  return pathname === STYLE_PATH ? answerText(request, PLAIN_STYLE, "css") : undefined;
}

interface PageFile {
  readonly path: string;
  readonly mediaType: string;
  readonly tag: string;
}

async function findFile(folder: string | undefined, pathname: string): Promise<PageFile | undefined> {
  const name = decodePath(pathname);
  const mediaType = getMimeType(name ?? "");
  if (folder === undefined || name === undefined || mediaType === undefined) return undefined;
  try {
    const root = await realpath(folder);
    const path = await realpath(join(root, name));
    if (!path.startsWith(`${root}${sep}`)) return undefined;
    const found = await stat(path);
    const tag = `"${found.size.toString(36)}-${found.mtimeMs.toString(36)}"`;
    return found.isFile() ? { path, mediaType, tag } : undefined;
  } catch {
    return undefined;
  }
}

/** Returns undefined for names that begin with a dot, `..` among them. */
function decodePath(pathname: string): string | undefined {
  try {
    const name = decodeURIComponent(pathname);
    return /[\0\\:]/.test(name) || name.split("/").some((part) => part.startsWith(".")) ? undefined : name;
  } catch {
    return undefined;
  }
}

async function answerFile(request: Request, { path, mediaType, tag }: PageFile): Promise<Response> {
  const cache = HASHED.test(path) ? CACHE_FOREVER : REVALIDATE;
  const headers = { "content-type": mediaType, "cache-control": cache, etag: tag };
  if (request.headers.get("if-none-match") === tag) return new Response(null, { status: 304, headers });
  return new Response(request.method === "HEAD" ? null : await readFile(path), { headers });
}

/** Marks the page, so that it asks for a token before it sends a request. */
async function answerWithTokenForm(request: Request, { path }: PageFile): Promise<Response> {
  const text = await readFile(path, "utf8");
  const marked = text.replace(/(<meta name="palimpsest-access" content=")open"/, '$1token"');
  return answerText(request, marked, "html");
}

function answerText(request: Request, text: string, type: "html" | "css"): Response {
  const headers = { "content-type": `text/${type}; charset=utf-8`, "cache-control": REVALIDATE };
  return new Response(request.method === "HEAD" ? null : text, { headers });
}
