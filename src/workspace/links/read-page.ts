/** Extracts the article of a page as plain text. Scripts are never run. */
import { decodeText } from "../files/decode-text.ts";
import type { Page } from "./fetch-link.ts";

export interface PageText {
  readonly title?: string | undefined;
  readonly text: string;
}

/** Longer texts are cut with a note. */
const MAX_CHARACTERS = 100_000;
const MAX_TITLE_CHARACTERS = 300;
const CUT_NOTE = "\n[the rest of the page is left out]";

export async function readPage({ mediaType, charset, bytes }: Page): Promise<PageText> {
  const text = decodePage(bytes, charset);
  if (text === undefined) throw new Error("it is not text");
  const isMarkup = mediaType === "" ? /^\s*<(?:!doctype|html|head|body)\b/i.test(text) : MARKUP.has(mediaType);
  const article = isMarkup ? await extractArticle(text) : { title: undefined, text };
  return {
    title: cutTo(article.title, MAX_TITLE_CHARACTERS, "…"),
    text: cutTo(article.text, MAX_CHARACTERS, CUT_NOTE),
  };
}

const MARKUP: ReadonlySet<string> = new Set(["text/html", "application/xhtml+xml"]);

/** Never cuts a surrogate pair in half. */
function cutTo<Text extends string | undefined>(text: Text, most: number, mark: string): Text | string {
  if (text === undefined || text.length <= most) return text;
  return `${text.slice(0, most).replace(/[\ud800-\udbff]$/, "")}${mark}`;
}

async function extractArticle(markup: string): Promise<{ readonly title: string | undefined; readonly text: string }> {
  if (isNestedTooDeep(markup)) throw new Error("its markup is nested too deep");
  const [{ Readability }, { parseHTML }] = await Promise.all([import("@mozilla/readability"), import("linkedom")]);
  const parse = (text: string) =>
    parseHTML(/<html[\s>]/i.test(text) ? text : `<html><body>${text}</body></html>`).document;
  const document = parse(markup);
  // Without a head, the title can be anywhere.
  const title = (document.title || document.querySelector("title")?.textContent)?.trim() || undefined;
  for (const element of document.querySelectorAll("body title, template")) element.remove();
  const article = new Readability(document as unknown as ConstructorParameters<typeof Readability>[0]).parse();
  if (article?.content != null && article.content !== "") {
    return { title: article.title?.trim() || title, text: extractBlockText(parse(article.content)) };
  }
  // Readability modifies its document, so a page without an article is parsed again.
  const whole = parse(markup);
  for (const element of whole.querySelectorAll("head, title, script, style, noscript, template, svg")) element.remove();
  return { title, text: extractBlockText(whole) };
}

/** The limit of browsers; beyond it, parsing takes quadratic time. */
const MAX_NESTING = 512;
const TAG = /<(\/?)([a-z][a-z0-9-]*)/gi;
/** Elements with an optional or missing end tag. */
const OPTIONAL_END_TAGS =
  /^(?:p|li|dt|dd|tr|td|th|thead|tbody|tfoot|colgroup|option|optgroup|area|base|br|col|embed|hr|img|input|link|meta|param|source|track|wbr)$/i;

function isNestedTooDeep(markup: string): boolean {
  let depth = 0;
  for (const [, slash, name = ""] of markup.matchAll(TAG)) {
    if (OPTIONAL_END_TAGS.test(name)) continue;
    depth = slash === "" ? depth + 1 : Math.max(0, depth - 1);
    if (depth > MAX_NESTING) return true;
  }
  return false;
}

const BLOCKS = "p, div, section, article, header, footer, li, tr, pre, blockquote, h1, h2, h3, h4, h5, h6, br, table";

function extractBlockText(document: {
  readonly querySelectorAll: (selector: string) => Iterable<{ after(text: string): void }>;
  readonly documentElement: { readonly textContent: string | null } | null;
}): string {
  for (const element of document.querySelectorAll(BLOCKS)) element.after("\n");
  const text = document.documentElement?.textContent ?? "";
  return text
    .replace(/[^\S\n]+/g, " ")
    .replace(/ ?\n ?/g, "\n")
    .replace(/\n{3,}/g, "\n\n")
    .trim();
}

const DECLARED = /<meta[^>]{1,500}charset\s*=\s*["']?([\w-]+)|^\s*<\?xml[^>]{1,200}encoding\s*=\s*["']([\w-]+)/i;

/** Decodes by byte order mark, then by the server's charset, then by the page's, then by the bytes. */
function decodePage(bytes: Uint8Array, charset: string | undefined): string | undefined {
  const head = Buffer.from(bytes.subarray(0, 2_048)).toString("latin1");
  const [, meta, prolog] = DECLARED.exec(head) ?? [];
  const declared = charset ?? meta ?? prolog;
  const isMarked = /^(?:\u00ef\u00bb\u00bf|\u00ff\u00fe|\u00fe\u00ff)/.test(head);
  if (declared === undefined || isMarked || /^utf-?16/i.test(meta ?? "")) return decodeText(bytes);
  try {
    const text = new TextDecoder(declared).decode(bytes);
    return text.includes("\0") ? undefined : text;
  } catch {
    // An unknown encoding is ignored.
    return decodeText(bytes);
  }
}
