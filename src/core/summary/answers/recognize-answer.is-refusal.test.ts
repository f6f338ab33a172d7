import { describe, expect, test } from "vitest";
import { isRefusal } from "./recognize-answer.ts";

describe("isRefusal", () => {
  test.each([
    "As an AI language model, I must decline.",
    "I'm sorry, but I have to respectfully decline to summarise this.",
    "I’m unable to summarize this conversation as it contains sensitive content.",
    "Es tut mir leid, aber dabei kann ich nicht helfen.",
    "Leider kann ich diese Unterhaltung nicht zusammenfassen.",
    "Het spijt me, maar daar kan ik niet bij helpen.",
    "Lo siento, no puedo ayudar con eso.",
    "Je suis désolé, mais je ne peux pas vous aider.",
    "Je ne peux pas résumer cette conversation.",
    "Désolée, je ne suis pas en mesure de résumer cette conversation.",
    "Mi dispiace, ma non posso aiutarti con questa richiesta.",
    "Desculpe, mas não posso ajudar com isso.",
    "Przykro mi, ale nie mogę w tym pomóc.",
    "Tyvärr kan jag inte hjälpa till med det.",
    "Üzgünüm, bu konuda yardımcı olamam.",
    "Извините, но я не могу помочь с этим.",
    "عذراً، لا أستطيع المساعدة في ذلك.",
    "Xin lỗi, tôi không thể giúp việc này.",
    "Maaf, saya tidak dapat membantu.",
    "抱歉，我无法满足该请求。",
    "申し訳ありませんが、お手伝いできません。",
    "すみませんが、それはできません。",
    "죄송하지만 도와드릴 수 없습니다.",
  ])("returns true for: %s", (text) => {
    expect(isRefusal(text)).toBe(true);
  });

  test.each([
    "The assistant refused to delete the table, and the user agreed to archive it instead.",
    "I could not reproduce the crash on Linux; on macOS it is fixed in 2.4.1.",
    "Der Nutzer möchte die Rechnung nicht per Post. Es tut ihm leid, dass er so spät fragt.",
    "Leider war der Server drei Stunden nicht erreichbar; Ana hat ihn neu gestartet.",
    "Sorry state of the tests: 12 of 40 fail, and nobody can say why.",
    "El usuario no puede entrar desde el lunes; se cambió la clave.",
    "L'utilisateur répond : je ne suis pas d'accord avec le port 4711.",
    "Je ne sais quoi was chosen as the name of the font.",
    "用户无法登录，已重置密码。",
    "ユーザーは申し訳ないと言い、注文番号 4711 を取り消した。",
  ])("returns false for: %s", (text) => {
    expect(isRefusal(text)).toBe(false);
  });
});
