/** The offline model's own sentences, by language. The notice marks its answers, which are not quoted later. */

/** A language in which the offline model answers. */
export type PhraseLanguage = "en" | "de" | "es" | "zh" | "ja";

export interface Phrases {
  /** First sentence of every answer. */
  readonly notice: string;
  readonly found: string;
  readonly near: string;
  readonly nothingAbout: (about: string) => string;
  readonly nothing: string;
  readonly greeting: string;
  readonly thanks: string;
  readonly goodbye: string;
  readonly capabilities: string;
  readonly summary: string;
  readonly mainPoints: string;
  readonly nothingSaid: string;
  readonly decisions: string;
  readonly noDecisions: string;
  readonly saidBy: (who: string) => string;
  readonly kept: string;
  readonly keptAndRelated: string;
  readonly speakers: Readonly<Record<"user" | "assistant" | "tool" | "system" | "file", string>>;
}

export const PHRASES: Readonly<Record<PhraseLanguage, Phrases>> = {
  en: {
    notice: "No language model is connected, so I only quote what was said here.",
    found: "This is what I found:",
    near: "I found no clear answer. The closest is:",
    nothingAbout: (about) => `I found nothing about ${about}.`,
    nothing: "I found nothing to quote for this.",
    greeting: "Hello. Ask me about anything that was said in this conversation.",
    thanks: "You are welcome.",
    goodbye: "Goodbye. The conversation is saved.",
    capabilities:
      "I can find what was said and quote it with the id of its message, list what was decided, say who said something, and give the main points. I cannot reason, write or use tools; for that, connect a model.",
    summary: "The summary of the earlier part:",
    mainPoints: "The main points, in the words of those who said them:",
    nothingSaid: "Nothing has been said yet.",
    decisions: "This sounds like a decision:",
    noDecisions: "I found no decision about this.",
    saidBy: (who) => `Said by ${who}:`,
    kept: "I have saved this.",
    keptAndRelated: "I have saved this. Earlier messages about it:",
    speakers: { user: "user", assistant: "assistant", tool: "tool", system: "system", file: "file" },
  },
  de: {
    notice: "Es ist kein Sprachmodell verbunden, darum zitiere ich nur, was hier gesagt wurde.",
    found: "Das habe ich gefunden:",
    near: "Ich habe keine eindeutige Antwort gefunden. Am nächsten kommt:",
    nothingAbout: (about) => `Ich habe nichts gefunden über ${about}.`,
    nothing: "Dazu habe ich nichts gefunden, was sich zitieren ließe.",
    greeting: "Hallo. Frag mich nach etwas, das in diesem Gespräch gesagt wurde.",
    thanks: "Gern geschehen.",
    goodbye: "Auf Wiedersehen. Das Gespräch ist gespeichert.",
    capabilities:
      "Ich kann Gesagtes finden und mit der Kennung der Nachricht zitieren, Entscheidungen auflisten, sagen, von wem etwas kam, und die wichtigsten Punkte nennen. Denken, schreiben oder Werkzeuge benutzen kann ich nicht; dafür braucht es ein Modell.",
    summary: "Die Zusammenfassung des früheren Teils:",
    mainPoints: "Die wichtigsten Punkte, in den Worten derer, die sie sagten:",
    nothingSaid: "Bisher wurde nichts gesagt.",
    decisions: "Das klingt nach einer Entscheidung:",
    noDecisions: "Dazu habe ich keine Entscheidung gefunden.",
    saidBy: (who) => `Gesagt von ${who}:`,
    kept: "Das ist gespeichert.",
    keptAndRelated: "Das ist gespeichert. Früher dazu gesagt:",
    speakers: { user: "Nutzer", assistant: "Assistent", tool: "Werkzeug", system: "System", file: "Datei" },
  },
  es: {
    notice: "No hay ningún modelo de lenguaje conectado, así que solo cito lo que se dijo aquí.",
    found: "Esto es lo que encontré:",
    near: "Nada lo dice claramente. Lo más cercano es:",
    nothingAbout: (about) => `No encontré nada sobre ${about}.`,
    nothing: "No encontré nada que citar sobre esto.",
    greeting: "Hola. Pregúntame por algo que se haya dicho en esta conversación.",
    thanks: "De nada.",
    goodbye: "Adiós. Todo lo dicho queda donde está.",
    capabilities:
      "Puedo encontrar lo que se dijo y citarlo con el identificador de su mensaje, enumerar lo decidido, decir quién dijo algo y dar los puntos principales. No puedo razonar, escribir ni usar herramientas; para eso hay que conectar un modelo.",
    summary: "El resumen que representa la parte anterior:",
    mainPoints: "Los puntos principales, con las palabras de quienes los dijeron:",
    nothingSaid: "Todavía no se ha dicho nada.",
    decisions: "Esto parece una decisión:",
    noDecisions: "No encontré ninguna decisión sobre esto.",
    saidBy: (who) => `Lo dijo ${who}:`,
    kept: "Queda guardado.",
    keptAndRelated: "Queda guardado. Antes se dijo sobre esto:",
    speakers: { user: "usuario", assistant: "asistente", tool: "herramienta", system: "sistema", file: "archivo" },
  },
  zh: {
    notice: "没有连接语言模型，所以我只引用这里说过的话。",
    found: "找到了这些：",
    near: "没有找到明确的说法，最接近的是：",
    nothingAbout: (about) => `没有找到关于${about}的内容。`,
    nothing: "没有找到可以引用的内容。",
    greeting: "你好。可以问我这次对话里说过的任何事。",
    thanks: "不客气。",
    goodbye: "再见。说过的话都会保留。",
    capabilities:
      "我可以找到说过的话并附上消息编号引用，列出作出的决定，指出是谁说的，并给出要点。我不能推理、写作或使用工具；那需要连接模型。",
    summary: "代表前面部分的摘要：",
    mainPoints: "要点如下，均为原话：",
    nothingSaid: "还没有人说过什么。",
    decisions: "这听起来像是决定：",
    noDecisions: "没有找到相关的决定。",
    saidBy: (who) => `说这话的是${who}：`,
    kept: "已经保存。",
    keptAndRelated: "已经保存。之前相关的话：",
    speakers: { user: "用户", assistant: "助手", tool: "工具", system: "系统", file: "文件" },
  },
  ja: {
    notice: "言語モデルは接続されていないため、ここで述べられたことを引用するだけです。",
    found: "見つかったのは次のとおりです：",
    near: "はっきり述べたものは見つかりません。最も近いのは：",
    nothingAbout: (about) => `「${about}」については何も見つかりませんでした。`,
    nothing: "引用できるものは見つかりませんでした。",
    greeting: "こんにちは。この会話で話されたことについて聞いてください。",
    thanks: "どういたしまして。",
    goodbye: "さようなら。話されたことはすべて残ります。",
    capabilities:
      "話されたことを探してメッセージの番号とともに引用し、決まったことを挙げ、誰の発言かを示し、要点を出すことができます。考える、書く、道具を使うことはできません。それにはモデルの接続が必要です。",
    summary: "前の部分を表す要約：",
    mainPoints: "要点（発言のまま）：",
    nothingSaid: "まだ何も話されていません。",
    decisions: "決定と思われるもの：",
    noDecisions: "それについての決定は見つかりませんでした。",
    saidBy: (who) => `${who}の発言：`,
    kept: "保存しました。",
    keptAndRelated: "保存しました。以前の関連する発言：",
    speakers: { user: "ユーザー", assistant: "アシスタント", tool: "ツール", system: "システム", file: "ファイル" },
  },
};

const NOTICES = Object.values(PHRASES).map(({ notice }) => notice);

/** Returns true for an answer of the offline model. */
export function isOwnAnswer(text: string): boolean {
  return NOTICES.some((notice) => text.startsWith(notice));
}

const KANA = /[\p{Script=Hiragana}\p{Script=Katakana}]/u;
const HAN = /\p{Script=Han}/u;
const GERMAN =
  /\b(?:der|die|das|ist|und|wer|wie|was|wann|wo|warum|welche[rsn]?|nicht|ich|wir|uns|unser\w*|ein|eine|haben|hat|kannst|danke|hallo|fasse|zusammen|bitte|tschüss|guten)\b|[äöüß]/giu;
const SPANISH =
  /\b(?:el|la|los|las|es|qué|quién|cuándo|dónde|cómo|cuánto|cuál|por|para|una?|nos|nuestr[oa]s?|hola|gracias|adiós|resume|resumen|decidimos|puedes)\b|[¿¡ñ]/giu;

/** English words that do not exist in German and Spanish, unlike `was`, `die` and `hat`. */
const ENGLISH =
  /\b(?:the|is|are|what|who|when|where|how|why|which|did|does|do|has|have|had|we|you|said|decided|of|to|and|please|it|that|with|for)\b/giu;

/** Returns English unless another language is recognized. */
export function detectPhraseLanguage(text: string): PhraseLanguage {
  if (KANA.test(text)) return "ja";
  if (HAN.test(text)) return "zh";
  const english = text.match(ENGLISH)?.length ?? 0;
  const words = text.split(/\s+/).length;
  const german = text.match(GERMAN)?.length ?? 0;
  const spanish = text.match(SPANISH)?.length ?? 0;
  if (Math.max(german, spanish) / words < MIN_SHARE || english >= Math.max(german, spanish)) return "en";
  return german >= spanish ? "de" : "es";
}

const MIN_SHARE = 0.25;
