/** The month or day that a question names, so that what was said then can be told from the rest. */

export interface AskedDay {
  readonly year: number | undefined;
  /** From 0, as `Date` counts. */
  readonly month: number;
  readonly day: number | undefined;
}

const MONTH_NAMES = [
  "jan(?:uary|uar)?|enero",
  "feb(?:ruary|ruar)?|febrero",
  "mar(?:ch|zo)|märz",
  "apr(?:il)?|abril",
  "may|mai|mayo",
  "june?|juni|junio",
  "july?|juli|julio",
  "aug(?:ust)?|agosto",
  "sept?(?:ember)?|septiembre",
  "o[ck]t(?:ober)?|octubre",
  "nov(?:ember)?|noviembre",
  "de[cz](?:ember)?|diciembre",
];
const NAMED = MONTH_NAMES.map(
  (names) =>
    new RegExp(
      `(?:\\b(\\d{1,2})(?:st|nd|rd|th|\\.)?\\s(?:of\\s|de\\s)?)?\\b(?:${names})\\b\\.?(?:\\s(\\d{1,2})(?!\\d)(?:st|nd|rd|th)?)?(?:,?\\s(?:de\\s)?((?:19|20)\\d{2}))?`,
      "iu",
    ),
);
const NUMBERED = /\b((?:19|20)\d{2})-(\d{2})-(\d{2})\b|((?:19|20)\d{2})年(\d{1,2})月(?:(\d{1,2})日)?/u;

/** Words of a month alone ("may", "mar") are words first: a day or a year has to stand beside them. */
export function findAskedDay(question: string): AskedDay | undefined {
  const numbered = NUMBERED.exec(question);
  if (numbered !== null) {
    const [, isoYear, isoMonth, isoDay, year, month, day] = numbered;
    return asDay(isoYear ?? year, Number(isoMonth ?? month) - 1, isoDay ?? day);
  }
  for (const [month, pattern] of NAMED.entries()) {
    const found = pattern.exec(question);
    if (found === null) continue;
    const [, before, after, year] = found;
    if (before !== undefined || after !== undefined || year !== undefined) return asDay(year, month, before ?? after);
  }
  return undefined;
}

function asDay(year: string | undefined, month: number, day: string | undefined): AskedDay {
  return {
    year: year === undefined ? undefined : Number(year),
    month,
    day: day === undefined ? undefined : Number(day),
  };
}

export function isSaidThen(saidAt: number | undefined, { year, month, day }: AskedDay): boolean {
  if (saidAt === undefined || !Number.isFinite(saidAt)) return false;
  const at = new Date(saidAt);
  if (at.getUTCMonth() !== month) return false;
  return (year ?? at.getUTCFullYear()) === at.getUTCFullYear() && (day ?? at.getUTCDate()) === at.getUTCDate();
}
