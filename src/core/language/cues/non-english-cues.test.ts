import { describe, expect, test } from "vitest";
import { readUserSentence } from "../../summary/read/find-statements.ts";

const kindsOf = (text: string): readonly string[] =>
  readUserSentence({ text, isQuoted: false }).map(({ kind }) => kind);

describe("readUserSentence in other languages", () => {
  test.each([
    "Das Format der Datei darf nicht geändert werden.",
    "Die Spalte Kundennummer muss erhalten bleiben.",
    "Bitte auf keinen Fall die Tabelle löschen.",
    "No cambies la base de datos.",
    "La lista debe mostrar como máximo 25 resultados.",
    "不要修改数据库的表结构。",
    "价格必须保留两位小数。",
    "送信元のアドレスは絶対に変更しないでください。",
    "لا تغير شكل الملف.",
    "يجب أن يبقى الملف كما هو.",
  ])("finds a constraint in: %s", (text) => {
    expect(kindsOf(text)).toEqual(["constraint"]);
  });

  test.each([
    "Wir haben entschieden, kaufmännisch zu runden.",
    "Hemos decidido buscar siempre sin tildes.",
    "我们决定用新的库。",
    "新しいライブラリを使うことにしました。",
    "قررنا استخدام مكتبة أخرى.",
  ])("finds a decision in: %s", (text) => {
    expect(kindsOf(text)).toEqual(["decision"]);
  });

  test.each(["Die Anleitung muss noch geschrieben werden.", "Queda por escribir el manual.", "下一步还需要写文档。"])(
    "finds an open item in: %s",
    (text) => {
      expect(kindsOf(text)).toContain("open-item");
    },
  );

  test.each([
    "Ich muss jetzt los.",
    "Wir müssen uns bald wieder sehen.",
    "Du darfst gern kommen.",
    "Gracias por todo.",
    "Sí, fue todo muy rápido.",
    "No pasa nada, ya me acostumbraré.",
    "No me digas!",
    "不要紧，慢慢来。",
    "我必须走了。",
    "还没决定什么时候去。",
    "頑張ってください。",
    "يجب أن أذهب الآن.",
    "لا تقلق، كل شيء بخير.",
    "¿Hemos decidido algo?",
    "هل قررنا شيئا؟",
  ])("finds no fact in: %s", (text) => {
    expect(kindsOf(text)).toEqual([]);
  });

  test("finds an open item by the word TODO in an English sentence", () => {
    expect(kindsOf("There is a TODO in the parser.")).toEqual(["open-item"]);
  });
});
