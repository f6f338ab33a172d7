/**
 * Words of sentences that tell the reader of a text what to do. Verbs of ordinary work, such as "fix" and "test", are
 * not among them, because summaries list the next steps.
 */
import { lazyPattern } from "./lazy-pattern.ts";
import { listLines, listPhrases, listWords } from "./list-words.ts";

/** One language per line: words for the reader, a bar, and words that turn a sentence with them into an order. */
const READERS = listLines(`
  you, your, yours, yourself | must, should, shall, have to, need to, are to, is to, are, you're, were told, were given, you to, expected, important that you, essential that you, crucial that you, imperative that you, necessary that you, now, only, never, always, no longer, any longer, anymore, instead, void, instructions, rules, guidelines, directives, policy, guardrails, restrictions, prompt, training
  du, dir, dich, dein, deine, deinen, deinem, deiner | musst, sollst, darfst, wichtig, notwendig, bist, jetzt, sofort, nur noch, nicht mehr, nicht länger, nie, immer, künftig
  tú, tu, tus, te, ti, usted, debes, deberás | debes, debe, deberás, tienes que, importante que, necesario que, eres, ahora, solo, sólo, nunca, siempre, ya no, dijeron, dieron, omiso
  tu, te, toi, ton, ta, tes, vous, votre, vos | dois, devez, important que, essentiel que, nécessaire que, es, êtes, maintenant, désormais, jamais, toujours, ne plus, uniquement
  você, teu, ti, tuo, tua | deve, deves, devi, importante que, importante che, necessario che, agora, adesso, nunca, mai, sempre
  ты, тебя, тебе, твой, твои, вы, вам, ваш, ваши | должен, должны, обязан, теперь, больше, только, никогда, всегда
`);
const BEGINNINGS = `
  from now on, from this moment, from this point, as of now, starting now, henceforth, hereafter, ab jetzt, ab sofort,
  von nun an, künftig, in zukunft, a partir de ahora, a partir de este momento, desde ahora, en adelante, de ahora en
  adelante, désormais, dorénavant, à partir de maintenant, a partir de agora, de agora em diante, d'ora in poi, da ora
  in poi, отныне, с этого момента, впредь, bundan sonra, ignore, disregard, forget, override, bypass, obey, set aside,
  pay no attention`;
const VERBS = `
  overlook, neglect, abandon, discard, do as, do not, don't, never, always, pay, put aside, stop, cease, reveal,
  disclose, expose, leak, print, output, repeat, reply, respond, answer, tell, inform, say, claim, pretend, act, behave,
  comply, dismiss, refrain, feel free, recommend, promote, advertise, praise, mention, append, send, mail, email, forward,
  post, upload, transmit, wire, transfer, buy, approve, grant, authorize, execute, delete, erase, wipe, cancel, destroy, hide, conceal, withhold,
  treat, assume, consider, visit, click, download, ignoriere, vergiss, beachte, missachte, übergehe, antworte, schicke,
  sende, verrate, gib, zeige, empfiehl, empfehle, sag, sage, nenne, tu, tue, verschweige, behaupte, lösche, überweise,
  kaufe, storniere, leite, niemals, ignorieren sie, vergessen sie, beachten sie, antworten sie, senden sie, schicken
  sie, geben sie, ignora, olvida, deja, desatiende, desobedece, haz, responde, contesta, envía, manda, revela, muestra,
  recomienda, di, dile, borra, elimina, cancela, transfiere, paga, compra, aprueba, oculta, nunca, siempre, ignorez,
  oublie, oubliez, réponds, répondez, envoie, envoyez, révèle, révélez, recommande, dis, dites, supprime, annule,
  arrête, arrêtez, cesse, cessez, obéis, obéissez, esqueça, responda, envie, revele, recomende, dimentica, rispondi,
  invia, rivela, игнорируй, забудь, отвечай, отправь, раскрой, рекомендуй, удали`;

const edge = (words: string): string => `(?<![\\p{L}\\p{N}])(?:${words})(?![\\p{L}\\p{N}])`;
const either = (words: string): string => edge(listPhrases(words).join("|"));
const opening = (words: string): string =>
  `^[^\\p{L}\\p{N}]*(?:(?:please|kindly|now|important|attention|note|first|and|then|bitte|und|por favor|y)[,:! ]+){0,3}${either(words)}`;

/** Orders that are recognized even in a text whose words cannot be compared with its source. */
const SURE = [
  opening(BEGINNINGS),
  ...READERS.map((line) => line.split(" | ").map(either)).map(([reader, duty]) => `^(?=.*${reader}).*${duty}`),
  edge(
    "(?:assistants?|ais?|models?|llms?|agents?|bots?|chatbots?|assistenten?|ki|asistentes?|modelos?|ia) (?:must|should|shall|ha(?:s|ve) to|needs? to|(?:is|are) to|will now|may not|(?:is|are) required|muss|soll|darf|debe|deberá|tiene que)",
  ),
  "[你您].{0,40}(?:必须|须|应该|只能|不能|不得|不要|现在|从此|不再)|(?:必须|不要|不再).{0,40}[你您]|从现在起|从此以后|务必",
  "(?:助手|模型|机器人|人工智能)(?:必须|应该|应当|只能|不得)",
  "^\\P{L}*(?:请)?(?:忽略|无视|忘记|忘掉|别管|抛开|推荐|告诉|回答|发送|删除)",
  "あなた|お前|なさい|しろ|せよ|ては(?:なら|いけ)ない|ください|(?:今後|これから|今から)は",
  "(?:アシスタント|モデル)は.{0,80}(?:べき|なければ)",
  "(?:이전|앞선|위의)의?\\s?(?:모든\\s)?(?:지시|명령|규칙).{0,6}무시|önceki (?:tüm )?(?:talimatları|kuralları)",
  edge(
    "(?:negeer|ignorera|ignorer|ignoruj|zignoruj|ignoră|ignorați|abaikan|bỏ qua|unohda|ohita|figyelmen kívül) .{0,40}(?:eerdere|vorige|tidigare|tidligere|poprzedni|předchozí|anterioare|sebelumnya|trước|aiemmat|korábbi)\\p{L}*",
  ),
  "(?:ігноруй|забудь).{0,20}(?:попередні|інструкції)|تجاهل.{0,20}(?:التعليمات|الأوامر)|(?:निर्देशों|आदेशों).{0,20}(?:अनदेखा|नज़रअंदाज़)|התעלם.{0,20}(?:הוראות|ההוראות)|αγνόησε.{0,20}οδηγίες|(?:เพิกเฉย|ไม่ต้องสนใจ).{0,20}คำสั่ง",
  "이제부터|지금부터|من الآن|يجب عليك|अब से|तुम्हें|ต่อจากนี้|คุณต้อง",
].join("|");
const [ALL_ORDERS, SURE_ORDERS] = [`${SURE}|${opening(VERBS)}`, SURE].map((source) =>
  lazyPattern(() => new RegExp(source, "iu")),
);

/** With `isSure`, returns false for clauses that only begin with a verb. */
export function isOrderToReader(clause: string, { isSure }: { readonly isSure: boolean }): boolean {
  return (isSure ? SURE_ORDERS : ALL_ORDERS)?.test(clause) === true;
}

/** Returns true for an order about the reader's user: only an assistant has one, so no user says this. */
export function isOrderAboutUser(clause: string): boolean {
  return /^\P{L}*(?:please )?(?:tell|inform|convince|persuade|urge|ask|make|get) your user\b/iu.test(clause);
}

/** Verbs that mean the same in an order, so that "ignore" is supported by a conversation that says "disregard". */
export const IGNORE_VERBS = listWords(
  "ignore disregard forget overlook neglect ignoriere vergiss ignora olvida ignorez игнорируй забудь 忽略 无视 無視",
);
/** Words in orders that the conversation need not contain. */
export const FREE_ORDER_WORDS: ReadonlySet<string> = new Set(
  listWords(
    "must should shall always never only now remember forget sure continue finish next please musst sollst immer niemals debes nunca siempre",
  ),
);
