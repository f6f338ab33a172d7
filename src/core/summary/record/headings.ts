/**
 * The headings of an offline summary, in seven languages. Writers take the language of the conversation if the policy
 * says so. Readers recognize all of them, so that a summary that is sent back keeps its meaning in every language.
 */
import type { LanguageCode } from "../../language/detect-language.ts";

/** The English headings, in the order of the text. */
export const HEADINGS = {
  goals: "Goal:",
  constraints: "Must hold:",
  said: "The user said:",
  reported: "Reported by an earlier summary:",
  decisions: "Decided:",
  known: "Known:",
  open: "Open:",
  done: "Done:",
  story: "What happened:",
  names: "Names:",
} as const;

/** The language of headings: always English, or that of the conversation. */
export type HeadingLanguage = "english" | "conversation";

export type Section = keyof typeof HEADINGS;
export type Headings = Readonly<Record<Section, string>>;

const HEADINGS_BY_LANGUAGE: Readonly<Partial<Record<LanguageCode, Headings>>> = {
  de: {
    goals: "Ziel:",
    constraints: "Muss gelten:",
    said: "Worte des Nutzers:",
    reported: "Aus einer früheren Zusammenfassung:",
    decisions: "Entschieden:",
    known: "Bekannt:",
    open: "Offen:",
    done: "Erledigt:",
    story: "Was geschah:",
    names: "Namen:",
  },
  es: {
    goals: "Objetivo:",
    constraints: "Debe cumplirse:",
    said: "Palabras del usuario:",
    reported: "Según un resumen anterior:",
    decisions: "Decidido:",
    known: "Datos conocidos:",
    open: "Pendiente:",
    done: "Hecho:",
    story: "Qué ocurrió:",
    names: "Nombres:",
  },
  fr: {
    goals: "Objectif :",
    constraints: "À respecter :",
    said: "Paroles de l'utilisateur :",
    reported: "D'après un résumé précédent :",
    decisions: "Décidé :",
    known: "Connu :",
    open: "À faire :",
    done: "Fait :",
    story: "Ce qui s'est passé :",
    names: "Noms :",
  },
  pt: {
    goals: "Meta:",
    constraints: "Deve ser respeitado:",
    said: "Palavras do usuário:",
    reported: "Segundo um resumo anterior:",
    decisions: "Foi decidido:",
    known: "Dados conhecidos:",
    open: "Em aberto:",
    done: "Feito:",
    story: "O que aconteceu:",
    names: "Nomes:",
  },
  zh: {
    goals: "目标：",
    constraints: "必须遵守：",
    said: "用户的话：",
    reported: "先前摘要的记录：",
    decisions: "已决定：",
    known: "已知：",
    open: "待办：",
    done: "已完成：",
    story: "经过：",
    names: "名称：",
  },
  ja: {
    goals: "目的：",
    constraints: "守ること：",
    said: "ユーザーの発言：",
    reported: "以前の要約による：",
    decisions: "決定事項：",
    known: "わかっていること：",
    open: "未完了：",
    done: "完了：",
    story: "経緯：",
    names: "名前：",
  },
};

/** Returns the headings in a language; the English ones if it has none of its own. */
export function headingsIn(language: LanguageCode): Headings {
  return HEADINGS_BY_LANGUAGE[language] ?? HEADINGS;
}

const ENGLISH_BY_HEADING: ReadonlyMap<string, string> = new Map(
  Object.values(HEADINGS_BY_LANGUAGE).flatMap((headings) =>
    (Object.keys(HEADINGS) as Section[]).map((section) => [headings[section], HEADINGS[section]] as const),
  ),
);

/** Returns the English heading for a heading in any language, and every other line unchanged. */
export function toEnglishHeading(line: string): string {
  return ENGLISH_BY_HEADING.get(line) ?? line;
}

/** Returns the language of the first heading that is not English, or undefined. */
export function findHeadingLanguage(text: string): LanguageCode | undefined {
  const lines = new Set(text.split("\n"));
  const found = Object.entries(HEADINGS_BY_LANGUAGE).find(([, headings]) =>
    Object.values(headings).some((heading) => lines.has(heading)),
  );
  return found?.[0] as LanguageCode | undefined;
}
