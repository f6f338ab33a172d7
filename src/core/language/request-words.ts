/**
 * Words of messages to an assistant, in seven languages: agreement and "continue", persons, references to what was said
 * before, and orders. One language per line, English first. Entries are sources of regular expressions.
 */
import { listLines } from "./list-words.ts";

const join = (lines: string): string =>
  listLines(lines)
    .map((line) => line.split(", ").join("|"))
    .join("|");
const SPACELESS = /[\u3041-\u9fff]/;
/** Matches whole words; entries in scripts without spaces match anywhere. */
function matchWords(lines: string): RegExp {
  const [runs, words] = [true, false].map((isRun) => {
    const entries = listLines(lines).flatMap((line) => line.split(", "));
    return entries.filter((entry) => SPACELESS.test(entry) === isRun).join("|");
  });
  return new RegExp(`(?<![\\p{L}\\p{N}_])(?:${words})(?![\\p{L}\\p{N}_])${runs === "" ? "" : `|${runs}`}`, "iu");
}

/** A message that has no other words agrees, or tells the assistant to continue. */
export const CONTINUE = new RegExp(
  `^[\\s\\p{P}]*(?:(?:${join(`
    ok(?:ay)?, yes, yep, yeah, sure, good, great, perfect, fine, cool, alright, please, nice, right, exactly, thanks
    continue, go (?:on|ahead), proceed, next, keep going, carry on, do (?:it|that|so), (?:try|do) (?:it |that )?again, retry, start, stop, wait, done, looks? good, lgtm, sounds (?:good|great|perfect), got it
    ja, gut, super, prima, perfekt, genau, richtig, stimmt, passt(?: so)?, klar, alles klar, in ordnung, einverstanden, verstanden, klingt (?:gut|super), bitte, danke, (?:mache?n? (?:sie )?)?(?:bitte )?weiter(?: so| machen)?, weitermachen, los, leg(?:e)? los, los geht['’]s, fertig, stopp, warte, so machen wir(?:['’]s| es)
    s[ií], vale, bien, genial, perfecto, claro, (?:muchas )?gracias(?: por todo)?, funciona bien, de acuerdo, está bien, entendido, listo, exacto, correcto, por favor, me parece (?:bien|perfecto|genial), suena bien, sigue(?: así| adelante)?, adelante, continúa, continua, hazlo, espera, para
    oui, d['’]accord, parfait, super, très bien, bien, entendu, compris, exact, ça (?:me )?va, ça marche, c['’]est (?:bon|parfait), s['’]il (?:te|vous) plaît, stp, svp, vas-y, allez-y, poursuis, poursuivez, continue[rz]?, on y va, attends
    sim, certo, beleza, ótimo, otimo, perfeito, claro, combinado, entendi, tá (?:bom|certo), está (?:bom|bem|certo), parece (?:bom|ótimo|bem), por favor, pode (?:continuar|seguir|ir|fazer), continua, continuar, siga(?: em frente)?, segue, vai em frente, manda ver, isso, espera
    好的?, 好吧, 嗯+, 行, 可以, 没问题, 明白了?, 收到, 对, 是的, 很好, 不错, 听起来不错, 就这样, 请?继续(?:吧)?, 接着(?:做|来|说)?(?:吧)?, 下一步, 开始(?:吧)?, 等一下, 谢谢
    はい, うん, ええ, 了解(?:です|しました)?, わかりました, 分かりました, いいです(?:ね|よ)?, よさそう(?:です)?(?:ね)?, 良さそう(?:です)?(?:ね)?, 完璧(?:です)?, 大丈夫(?:です)?, お願いします, 続けて(?:ください|下さい)?, 進めて(?:ください|下さい)?, 開始, 次(?:へ|に)?(?:進んで|進めて)?(?:ください|下さい)?, その通り(?:です)?, ありがとう(?:ございます)?
  `)})[\\s\\p{P}]*)*$`,
  "iu",
);

export const SECOND_PERSON = matchWords(`
  you, your, yours, u, ya, yourself, y['’]all
  du, dich, dir, dein\\p{L}*, ihr, euch, euer, eure[nrsm]?
  tú, tu, tus, te, ti, usted, ustedes, estás, tienes, eres, quieres, puedes, sabes, vas
  tu, te, toi, ton, ta, tes, (?<!rendez-)vous, votre, vos, t['’]as
  você, vocês, teu, tua, seu dia, tens, estás, queres, podes
  你, 您, あなた, 君, 元気(?:です|に)
`);
export const FIRST_PERSON = matchWords(`
  i, me, my, mine, we, us, our, ours
  ich, mich, mir, mein\\p{L}*, wir, uns, unser\\p{L}*
  yo, mi, mis, nosotros, nuestr\\p{L}+, tengo, hemos
  je, j, mon, ma, mes, nous, notre, nos
  eu, meu, minha, meus, minhas, nós, noss[oa]s?, a gente, tenho
  我, 咱, 私, 僕, 俺
`);
/** The speaker's own things and actions, which earlier messages may mention. */
export const OWN_PAST = matchWords(`
  my, our, (?:did|was|were|have|had|(?<!\\bhow )do|am) (?:i|we)
  mein\\p{L}*, unser\\p{L}*, (?:bin|habe|hab|hatte|war|muss|soll|wollte) ich, (?:haben|hatten|waren|sind|wollten|müssen|nehmen) wir
  mi, mis, nuestr\\p{L}+, (?:qué|quién|cómo|dónde) soy, tengo, hemos, \\p{L}{2,}(?:amos|imos)
  mon, mes, notre, nos, (?:ai|suis|dois)-je, est-ce que (?:je|j['’]ai|on|nous), a-t-on, avons-nous, faut-il
  meu, minha, meus, minhas, noss[oa]s?, (?:eu|a gente|nós) \\p{L}+, tenho, \\p{L}{2,}(?:amos|imos)
  我的, 我们, 我对, 我在, 我要, 我是, 私の, 私は, 僕の, 僕は, 俺の, 俺は
`);
/** References to what was said before. */
export const PAST_REFERENCE = matchWords(`
  remember, remind, recall, earlier, previous(?:ly)?, last time, back then, originally, (?:we|you|i|they|he|she)(?:['’]d| had| have|['’]ve)? (?:said|told|mentioned|suggested|recommended|decided|agreed|discussed|chose|picked|settled|planned|wrote), did (?:we|i), (?:did )?you (?:say|tell|mention|suggest|recommend|write|propose), the same \\w+, as (?:discussed|agreed|planned)
  erinner\\p{L}*, vorhin, früher, vorher, letztes mal, gesagt, besprochen, beschlossen, entschieden, vereinbart, ausgemacht, erwähnt
  recuerd\\p{L}*, acuerdas, la última vez, antes, dijiste, dije, dijimos, acordamos, decidimos, quedamos, hablamos, mencion\\p{L}+
  rappel\\p{L}*, souvien\\p{L}*, tout à l['’]heure, la dernière fois, précédemment, décidé, convenu, (?:disait|avait dit|avions dit|a dit), parlé
  lembr\\p{L}*, da última vez, antes, combinamos, decidimos, falamos, disse, mencion\\p{L}+
  之前, 上次, 刚才, 记得, 说过, 以前, 提到过?, 前に, さっき, 先ほど, 覚えて, 前回, 以前, 話した, 言って(?:い)?た
`);

/**
 * For each language, words that ask for a fact, and words before a thing that both speakers know: "Where is the piano
 * now?"
 */
const ASKED_SUBJECTS = [
  ["where|when|who|whose|which|why|what(?:['’]s)?|how(?! (?:do|can|should|to)\\b)", "the|that|those"],
  ["wo|wohin|wann|wer|wem|warum|wie|was|welche[rsnm]?", "der|die|das|den|dem"],
  ["dónde|cuándo|quién|por qué|cuánt[oa]s?|cuál|qué|cómo", "el|la|los|las|del|al"],
  ["où|quand|qui|pourquoi|combien|que|quel(?:le)?s?|comment", "les?|la|du|au"],
  ["onde|quando|quem|por que|quant[oa]s?|qual|que|como", "[oa]s?|d[oa]s?|n[oa]s?"],
].map(([asking, article]) => `(?<!\\p{L})(?:${asking})(?!\\p{L})[^?!]{0,200}?\\s(?:${article})\\s\\p{L}`);

/** Matches a question about one known thing. In Japanese, the subject has a mark. */
export const ABOUT_SUBJECT = new RegExp(
  `${ASKED_SUBJECTS.join("|")}|[はが].{0,200}?(?:どこ|いつ|誰|だれ|何|なに|いくら|なぜ)`,
  "iu",
);
