import { describe, expect, test } from "vitest";
import type { Page } from "./fetch-link.ts";
import { readInThread } from "./read-in-thread.ts";
import { type PageText, readPage } from "./read-page.ts";

const pageOf = (bytes: string | Buffer, given: Partial<Page> = {}): Page => ({
  url: "https://a.example/",
  mediaType: "text/html",
  charset: undefined,
  bytes: typeof bytes === "string" ? Buffer.from(bytes) : bytes,
  ...given,
});
const read = (bytes: string | Buffer, given?: Partial<Page>): Promise<PageText> => readPage(pageOf(bytes, given));

describe("readPage", () => {
  test.each([
    ["given by the server", Buffer.from("<p>Größe</p>", "latin1"), "iso-8859-1"],
    ["given by a meta tag", Buffer.from('<meta charset="windows-1252"><p>Größe</p>', "latin1"), undefined],
    [
      "given by http-equiv",
      Buffer.from('<meta http-equiv=content-type content="text/html; charset=latin1"><p>Größe</p>', "latin1"),
      undefined,
    ],
    ["not given", Buffer.from("<p>Größe</p>", "latin1"), undefined],
    ["contradicted by its byte order mark", Buffer.from("\ufeff<p>Größe</p>"), "iso-8859-1"],
    ["given by an unknown name", Buffer.from("<p>Größe</p>"), "klingon-8"],
    ["given as UTF-16 although it is UTF-8", Buffer.from('<meta charset="utf-16"><p>Größe</p>'), undefined],
    ["UTF-16 with a byte order mark", Buffer.from("\ufeff<p>Größe</p>", "utf16le"), undefined],
  ])("decodes a page whose encoding is %s", async (_, bytes, charset) => {
    expect((await read(bytes, { charset })).text).toBe("Größe");
  });

  test("decodes Shift JIS when it is declared", async () => {
    expect(
      (await read(Buffer.from([0x93, 0xfa, 0x96, 0x7b]), { charset: "shift_jis", mediaType: "text/plain" })).text,
    ).toBe("日本");
  });

  test("decides by the content if no media type is given", async () => {
    expect((await read("<!doctype html><p>Tide</p>", { mediaType: "" })).text).toBe("Tide");
    expect((await read("a <b> c", { mediaType: "" })).text).toBe("a <b> c");
    await expect(read(Buffer.from([1, 2, 0, 3]), { mediaType: "" })).rejects.toThrow("not text");
    await expect(read(Buffer.from("89504e470d0a1a0a0000000d", "hex"))).rejects.toThrow("not text");
    await expect(read(Buffer.from("a\0b"), { charset: "utf-8" })).rejects.toThrow("not text");
  });

  test("finds the title with or without a head, and leaves it out of the text", async () => {
    expect(await read("<title>Sea</title><p>The sea.</p>")).toEqual({ title: "Sea", text: "The sea." });
    expect(await read("<html><head><title> Sea </title></head><body>The sea.</body></html>")).toEqual({
      title: "Sea",
      text: "The sea.",
    });
  });

  test("cuts a long text and a long title without splitting a surrogate pair", async () => {
    const { text } = await read(`${"x".repeat(99_999)}🌊 and more`, { mediaType: "text/plain" });
    expect(text).toBe(`${"x".repeat(99_999)}\n[the rest of the page is left out]`);
    const long = await read(`<title>${"t".repeat(1_000)}</title><p>x</p>`);
    expect(long.title?.length).toBe(301);
  });

  test("runs no scripts, returns no markup and collapses white space quickly", async () => {
    const markup = `<html><body><script>document.body.append("ran")</script><img src=x onerror="alert(1)"><template>t</template>
      <style>p{}</style><p>Words${" ".repeat(100_000)}here</p></body></html>`;
    expect((await read(markup)).text).toBe("Words here");
  });
});

describe("readInThread", () => {
  test("returns the same text as readPage", async () => {
    expect(await readInThread(pageOf("<p>Tide</p>"))).toEqual({ title: undefined, text: "Tide" });
  });

  test("refuses a page that is nested too deep, and reads the next one", async () => {
    const deep = readInThread(pageOf(`<html><body>${"<div>".repeat(100_000)}x`));
    const next = readInThread(pageOf(`<ul>${"<li>Tide".repeat(2_000)}</ul>`));
    await expect(deep.then(({ text }) => text)).rejects.toThrow("is nested too deep");
    expect((await next).text).toMatch(/^(?:Tide\n){1999}Tide$/);
  });
});
