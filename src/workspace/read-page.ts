/**
 * The words of a page as a person would read them: the article without what stands around it. A page's markup is never
 * run, and none of it goes on; what comes back is plain text.
 */
import type { ShownLink } from "../core/prompt/workspace/format-files.ts";
import type { Page } from "./fetch-link.ts";

/** Longer texts are cut, and say so. */
const MOST_CHARACTERS = 100_000;

export async function readPage({ url, mediaType, charset, bytes }: Page): Promise<ShownLink> {
  const text = decodePage(bytes, charset);
  const isMarkup = mediaType === "text/html" || mediaType === "application/xhtml+xml";
  const article = isMarkup ? await extractArticle(text) : { title: undefined, text };
  const isCut = article.text.length > MOST_CHARACTERS;
  const shown = isCut ? `${article.text.slice(0, MOST_CHARACTERS)}\n[the rest of the page is left out]` : article.text;
  return { url, title: article.title, text: shown };
}

async function extractArticle(markup: string): Promise<{ readonly title: string | undefined; readonly text: string }> {
  const [{ Readability }, { parseHTML }] = await Promise.all([import("@mozilla/readability"), import("linkedom")]);
  const parse = (text: string) =>
    parseHTML(/<html[\s>]/i.test(text) ? text : `<html><body>${text}</body></html>`).document;
  const document = parse(markup);
  const title = document.title?.trim() || undefined;
  const article = new Readability(document as unknown as ConstructorParameters<typeof Readability>[0]).parse();
  if (article?.content != null && article.content !== "") {
    return { title: article.title?.trim() || title, text: blockText(parse(article.content)) };
  }
  // Readability empties what it was given, so what it finds no article in is read again.
  const whole = parse(markup);
  for (const element of whole.querySelectorAll("script, style, noscript, template, svg")) element.remove();
  return { title, text: blockText(whole) };
}

const BLOCKS = "p, div, section, article, header, footer, li, tr, pre, blockquote, h1, h2, h3, h4, h5, h6, br, table";

/** Words with a line for each block: what stood apart stays apart. */
function blockText(document: {
  readonly querySelectorAll: (selector: string) => Iterable<{ after(text: string): void }>;
  readonly documentElement: { readonly textContent: string | null } | null;
}): string {
  for (const element of document.querySelectorAll(BLOCKS)) element.after("\n");
  const text = document.documentElement?.textContent ?? "";
  return text
    .replace(/[^\S\n]+/g, " ")
    .replace(/ *\n */g, "\n")
    .replace(/\n{3,}/g, "\n\n")
    .trim();
}

function decodePage(bytes: Uint8Array, charset: string | undefined): string {
  const declared =
    charset ??
    /<meta[^>]+charset\s*=\s*["']?([\w-]+)/i.exec(Buffer.from(bytes.subarray(0, 2_048)).toString("latin1"))?.[1];
  try {
    return new TextDecoder(declared ?? "utf-8").decode(bytes);
  } catch {
    return new TextDecoder().decode(bytes);
  }
}
