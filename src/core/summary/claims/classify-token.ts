/** Classifies a token by its shape, such as a path, a number, a version or plain words, which are not claims. */

import { listWords } from "../../language/list-words.ts";
import { normalizeNumber } from "../../language/number-words.ts";
import type { ClaimKind, Span } from "../record/record.ts";

export interface TokenClaim extends Span {
  readonly kind: ClaimKind;
  readonly key: string;
}

/** Longer tokens are encoded bytes, not names, and are compared as a whole. */
export const MAX_NAME_CHARACTERS = 300;

export function classifyToken(run: string): readonly TokenClaim[] {
  // A shortcut for tables, which consist of plain numbers.
  if (PLAIN_NUMBER.test(run)) return [{ kind: "number", key: String(Number(run)), start: 0, end: run.length }];
  if (PLAIN_WORD.test(run)) return [];
  const { start, end } = trimRun(run);
  const token = run.slice(start, end);
  if (token === "") return [];
  if (token.length > MAX_NAME_CHARACTERS) return [{ kind: "identifier", key: token.toLowerCase(), start, end }];
  return classify(token).map((claim) => ({ ...claim, start: claim.start + start, end: claim.end + start }));
}

const PLAIN_NUMBER = /^\d{1,15}$/;
const PLAIN_WORD = /^[A-Z]?[a-z]{1,40}$/;

/** Drops punctuation and Markdown marks around a name. */
function trimRun(run: string): Span {
  let start = 0;
  let end = run.length;
  while (end > start && TRAILING.includes(run.charAt(end - 1))) end -= 1;
  while (start < end && LEADING.includes(run.charAt(start))) start += 1;
  while (run[start] === "." && (run[start + 1] === "." ? run[start + 2] !== "/" : !/[\w/]/.test(run[start + 1] ?? "")))
    start += 1;
  while (run[start] === "_" && run[end - 1] === "_" && end - start > 2 && run[start + 1] !== "_") {
    start += 1;
    end -= 1;
  }
  return { start: Math.min(start, end), end };
}

const TRAILING = ".-+~@";
const LEADING = "+%";

function classify(token: string): readonly TokenClaim[] {
  if (!/[A-Za-z0-9]/.test(token)) return [];
  if (token.includes("/") && HOST.test(token.slice(0, token.indexOf("/")))) {
    return [makeClaim("url", token.toLowerCase().replace(/^www\.|\/+$/g, ""), token)];
  }
  if (/[/\\]/.test(token))
    return isPath(token) ? [makeClaim("path", pathKey(token), token)] : splitClaims(token, /[/\\]/);
  if (token.includes("@")) return classifyAt(token);
  const number = classifyNumber(token);
  if (number !== undefined) return [number];
  if (VERSION.test(token)) return [makeClaim("version", token.replace(/^v/i, "").toLowerCase(), token)];
  if (HASH.test(token) || UUID.test(token)) return [makeClaim("hash", token.toLowerCase(), token)];
  if (PRODUCTS.has(token.toLowerCase())) return [];
  if (isFileName(token)) return [makeClaim("path", token.toLowerCase(), token)];
  if (HOST.test(token)) return [makeClaim("url", token.replace(/^www\./, ""), token)];
  if (token.includes(".")) return splitClaims(token, /\./);
  return classifyName(token);
}

/** A URL without its scheme, with one of a few top-level domains. Most other words with dots are code. */
const HOST = /^(?:[a-z0-9][a-z0-9-]{0,62}\.){1,5}(?:com|org|net|io|dev|ai|edu|gov|localhost)$/;

/** Names of products and terms that look like files or symbols. */
const PRODUCTS: ReadonlySet<string> = new Set(
  listWords(`node.js next.js vue.js nuxt.js react.js express.js three.js d3.js asp.net javascript typescript github gitlab
    postgresql mysql mongodb graphql openai youtube linkedin whatsapp iphone ipad macos ios devops langchain websocket
    websockets oauth oauth2 utf8 http2 http3 s3 ec2 k8s i18n a11y h1 h2 h3 mp3 mp4 b2b b2c`),
);

/** Returns a path in lower case with forward slashes, without `./`, `~/`, and slashes at either end. */
export function pathKey(path: string): string {
  const segments = path.toLowerCase().split(/[/\\]+/);
  return segments.filter((segment) => segment !== "" && segment !== "." && segment !== "~").join("/");
}

function isPath(token: string): boolean {
  const segments = token.split(/[/\\]+/).filter((segment) => segment !== "");
  if (segments.length === 0 || !/[A-Za-z]/.test(token)) return false;
  if (/^(?:[~.]{0,2}[/\\]|@[\w-]+\/)/.test(token)) return true;
  if (segments.some((segment) => isFileName(segment))) return true;
  return segments.length > 2 || USUAL_FOLDERS.has((segments[0] ?? "").toLowerCase());
}

const USUAL_FOLDERS: ReadonlySet<string> = new Set(
  listWords(`src lib test tests docs app apps bin dist build etc usr home var tmp packages scripts node_modules public
    config components pages api server client cmd internal pkg`),
);

function isFileName(token: string): boolean {
  const dot = token.lastIndexOf(".");
  if (dot < 0) return BARE_FILES.has(token);
  const extension = token.slice(dot + 1).toLowerCase();
  if (dot === 0) return /^\.[a-z][\w-]*$/.test(token);
  // In "Reduced.So they" only a space is missing.
  if (/^\p{L}[\p{Ll}'’]*\.\p{Lu}\p{Ll}*$/u.test(token)) return false;
  return EXTENSIONS.has(extension) && /[A-Za-z]/.test(token.slice(0, dot));
}

const BARE_FILES: ReadonlySet<string> = new Set(["Dockerfile", "Makefile", "Gemfile", "Procfile", "Jenkinsfile"]);
const EXTENSIONS: ReadonlySet<string> = new Set(
  listWords(`ts tsx js jsx mjs cjs mts cts json jsonl json5 md mdx txt csv tsv yml yaml toml ini cfg conf env lock log
    sql db sqlite py pyi ipynb rb go rs java kt kts scala swift c h cc cpp hpp cs php pl lua r jl ex exs erl hs clj dart
    vue svelte astro html htm css scss sass less xml svg png jpg jpeg gif webp ico pdf doc docx xls xlsx ppt pptx zip tar
    gz tgz rar exe dll so dylib wasm sh bash zsh fish ps1 bat proto graphql tf bin dat bak tmp patch diff snap map mp3
    mp4 wav mov pem key crt gradle cmake mk`),
);

function classifyAt(token: string): readonly TokenClaim[] {
  const at = token.indexOf("@");
  const name = token.slice(at + 1);
  if (at > 0 && VERSION.test(name)) return splitClaims(token, /@/);
  return /[A-Za-z0-9]/.test(name) ? [makeClaim("identifier", token.toLowerCase(), token)] : splitClaims(token, /@/);
}

/** Returns the number without its unit. */
function classifyNumber(token: string): TokenClaim | undefined {
  const match = /^[-+]?(\d[\d_]*(?:\.\d+)?(?:e[-+]?\d{1,3})?)(k|K|M|B|%|[A-Za-z]{1,4}|[a-z]{5,12})?$/.exec(token);
  if (match === null || (HASH.test(token) && /[a-f]\d|[a-f]{3}/i.test(token))) return undefined;
  const [, digits = "", unit = ""] = match;
  if (/^0x/i.test(token)) return undefined;
  const key = normalizeNumber(SCALES.has(unit) ? `${digits}${unit}` : digits);
  return key === undefined ? undefined : makeClaim("number", key, token);
}

const SCALES: ReadonlySet<string> = new Set(["k", "K", "M", "B", "%"]);
const VERSION = /^(?:v\d{1,6}(?:\.\d{1,9}){0,5}|\d{1,6}(?:\.\d{1,9}){2,5})(?:[-+][\w.+-]{1,60})?$/i;
const HASH = /^(?=[0-9a-f]*\d)(?=[0-9a-f]*[a-f])[0-9a-f]{7,128}$/i;
const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

function classifyName(token: string): readonly TokenClaim[] {
  if (/^--[A-Za-z][\w-]*$/.test(token)) return [makeClaim("identifier", token.slice(2).toLowerCase(), token)];
  if (token.includes("-")) {
    const isCode = (/^[A-Za-z]/.test(token) && /\d/.test(token)) || DATED_NAME.test(token);
    return isCode
      ? [makeClaim("identifier", token.replace(/^-{1,3}/, "").toLowerCase(), token)]
      : splitClaims(token, /-/);
  }
  if (token.includes("%") || token.includes("~") || token.includes("+")) return splitClaims(token, /[%~+]/);
  const isName = /[A-Za-z0-9]_+[A-Za-z0-9]|^_+[A-Za-z]|[a-z][A-Z]/.test(token) || /\d/.test(token);
  return isName ? [makeClaim("identifier", token.toLowerCase(), token)] : [];
}

/** A name that begins with a date, such as `2024-05-03-nightly`. */
const DATED_NAME = /^\d{4}-\d{2}-\d{2}-\w/;

function makeClaim(kind: ClaimKind, key: string, token: string): TokenClaim {
  return { kind, key, start: 0, end: token.length };
}

function splitClaims(token: string, mark: RegExp): readonly TokenClaim[] {
  let start = 0;
  return token.split(mark).flatMap((piece) => {
    const offset = start;
    start += piece.length + 1;
    return classifyToken(piece).map((claim) => ({ ...claim, start: claim.start + offset, end: claim.end + offset }));
  });
}
