/**
 * Phrases by which users steer an assistant in other languages than English: they ask for a task, accept a result, give
 * a task up or return to one, put a question first, and say that something changed or is finished.
 */
import { lazyPattern, type TextPattern } from "../lazy-pattern.ts";
import { joinPhrases, joinRuns } from "./cue-patterns.ts";

export interface CourseCues {
  /** Thanks and approval at the start of a sentence. */
  readonly accepted: TextPattern;
  readonly asked: TextPattern;
  /** An aim, which several tasks may serve. */
  readonly standing: TextPattern;
  /** A task so large that others may serve it. */
  readonly project: TextPattern;
  /** Ends before what is given up. */
  readonly givenUp: TextPattern;
  readonly returned: TextPattern;
  readonly finished: TextPattern;
  /** A request to do something else before the open task. */
  readonly nested: TextPattern;
  /** A hint that an earlier statement no longer holds. */
  readonly changed: TextPattern;
  /** A report that something is done. */
  readonly reported: TextPattern;
}

const lead = (words: string, between = "[\\s,.!:;–—-]+"): TextPattern =>
  lazyPattern(() => new RegExp(`^(?:(?:${words})${between}){1,5}`, "iu"));

const german: CourseCues = {
  accepted: lead(
    "danke(?: dir| ihnen| schön| sehr)?|vielen dank|super|prima|perfekt|toll|klasse|sehr gut|gut|schön|ok(?:ay)?",
  ),
  asked: joinPhrases(
    "^(?:(?:jetzt|nun|dann|also|bitte|und|moment|zuerst|vorher|als nächstes|außerdem|noch)[, ]+){0,4}(?:analysier|bau|berechne|bereite|beschreib|buch|entwerf|entwickle|entwirf|ergänz|erklär|erstell|erweiter|erzeug|find|füg|gestalte|hilf|implementier|konvertier|korrigier|kümmer|lies|list|lösch|mach|migrier|organisier|plan|programmier|prüf|räum|recherchier|reparier|richte|sammle|schau|schick|schreib|sortier|stell|such|teste|übersetz|überarbeite|untersuch|vereinfach|vergleich|verschieb|wandle|zeig|zeichne)\\p{L}{0,3}",
    "^.{0,60}(?:kannst du|könntest du|können sie|könnten sie|würdest du)",
    "^(?:(?:jetzt|nun|dann|also|außerdem) )?(?:ich|wir) (?:brauche|brauchen|hätte|hätten|möchte|möchten|will|wollen)",
    "^(?:jetzt|nun|dann|als nächstes) (?:brauche|brauchen|möchte|möchten|will|wollen) (?:ich|wir)",
  ),
  standing: joinPhrases(
    "^(?:(?:jetzt|nun|also|bitte) )*(?:hilf (?:mir|uns)|(?:ich|wir) (?:möchte|möchten|will|wollen|plane|planen|baue|bauen))",
  ),
  project: joinPhrases(
    "^(?:(?:jetzt|nun|also|bitte) )*(?:bau|entwickle|organisier|plan|richte|übersetz|migrier|überarbeite|programmier)\\p{L}{0,3}|^(?:(?:jetzt|nun|also|bitte) )*schreib\\p{L}{0,2} .{0,40}\\p{L}*(?:buch|leitfaden|handbuch|anleitung|programm|artikel|bericht)",
  ),
  givenUp:
    /^(?:(?:ach|nein|nee|ok(?:ay)?|also|doch|bitte)[, ]+)*(?:vergiss|vergesst|vergessen sie|lass|lassen wir|streich|streichen wir|brich|verwirf)(?!\p{L})(?: (?:es|das|den|die|mal|bitte|doch|weg|bleiben|ab)(?!\p{L}))*/iu,
  returned: joinPhrases(
    "^(?:(?:dann|gut|und|jetzt|nun|also|wieder)[, ]+)*(?:(?:geht es |gehen wir )?(?:zurück zu[rm]?|weiter mit)|mach(?:en sie|t)? (?:bitte )?(?:weiter mit|mit (?:\\S{1,30} ){1,4}weiter))",
  ),
  finished: joinPhrases(
    "^(?:das war(?:['’]s| es| alles)|(?:das |es |alles )?(?:passt|funktioniert|stimmt|klappt)(?: so| jetzt| alles)*[.!]?$|fertig[.!]?$|(?:alles )?erledigt[.!]?$)",
  ),
  nested: joinPhrases(
    "zuerst|vorher|erst (?:ein)?mal|bevor (?:du|wir|sie)|nebenbei|zwischendurch|kurze (?:zwischen)?frage|moment",
  ),
  changed: joinPhrases(
    "(?:darf|dürfen|sind) jetzt|jetzt (?:darf|dürfen)|hat sich erledigt|doch \\p{L}+[.!]?$|doch (?:nicht|zu|lieber|kein\\p{L}*)|nicht mehr|stattdessen|statt|anstatt|lieber|zu (?:teuer|langsam|groß|klein|spät|früh|schwer|riskant|aufwendig|kompliziert|weit|laut|eng)|ausgebucht|ausverkauft|geschlossen|verschoben|verlegt|abgesagt|gestrichen|entfällt|fällt aus|geändert|falsch|fehler|wiederholt|geht (?:doch )?nicht",
  ),
  reported: joinPhrases(
    "(?:ist|sind|wurde|wurden|habe|hab|haben|hat) (?:\\S{1,30} ){0,8}(?:\\p{L}*ge\\p{L}{2,}(?:t|en)|(?:be|ver|er|zer|ent)\\p{L}{3,}(?:t|en)|\\p{L}{2,}iert|fertig|erledigt|da)[.!]?$",
  ),
};

const spanish: CourseCues = {
  accepted: lead("(?:muchas )?gracias|perfecto|genial|estupendo|muy bien|bien|vale|ok(?:ay)?|listo|excelente"),
  asked: joinPhrases(
    "^(?:(?:ahora|luego|entonces|también|y|primero|antes|por favor|después|además)[, ]+){0,4}(?:analiza|añade|agrega|arregla|ayuda|ayúda(?:me|nos)|busca|calcula|cambia|compara|comprueba|construye|convierte|corrige|crea|dame|dibuja|diseña|encuentra|escribe|escríbe(?:me|nos)|explica|genera|haz|hazme|implementa|investiga|lista|mira|monta|muestra|ordena|organiza|planifica|prepara|prepárame|redacta|repara|resume|revisa|simplifica|traduce)",
    "^.{0,60}(?:puedes|podrías|puede usted|podría) \\p{L}+(?:ar|er|ir)",
    "^(?:(?:ahora|también|además) )?(?:necesito|necesitamos|quiero|queremos|quisiera|me gustaría)",
  ),
  standing: joinPhrases(
    "^(?:(?:ahora|por favor)[, ]+)*(?:ayúda(?:me|nos)|necesito|necesitamos|quiero|queremos|quisiera|vamos a (?:organizar|planear|planificar|construir|escribir|hacer)|estoy \\p{L}+ndo)",
  ),
  project: joinPhrases(
    "^(?:(?:ahora|por favor)[, ]+)*(?:construye|desarrolla|organiza|planifica|traduce|migra)\\p{L}*|^(?:(?:ahora|por favor)[, ]+)*escrib\\p{L}* .{0,40}(?:libro|guía|manual|programa|artículo|informe)",
  ),
  givenUp:
    /^(?:(?:no|bueno|vale|ah|mejor)[, ]+)*(?:olvida|olvídate de|olvídalo|olvidemos|deja|dejemos|descarta|cancela)(?!\p{L})(?: (?:el|la|los|las|lo|eso|esto|de)(?!\p{L}))*/iu,
  returned: joinPhrases(
    "^(?:(?:entonces|bien|y|ahora|bueno)[, ]+)*(?:(?:volvamos|volviendo|vuelve|regresemos|regresa) (?:a|al)|(?:sigue|sigamos|continúa|continuemos|seguimos) con)",
  ),
  finished: joinPhrases(
    "^(?:eso (?:es|era|fue) todo|(?:ya |todo |así )*(?:funciona|está bien|está listo|listo)[.!]?$)",
  ),
  nested: joinPhrases("primero|antes de (?:eso|seguir|que)|por cierto|una pregunta rápida|un momento|espera"),
  changed: joinPhrases(
    "ahora (?:puede|pueden|se permiten?)|demasiad[oa]s?|muy car[oa]s?|ya no|al final|mejor|en (?:lugar|vez) de|cambi\\p{L}+|cancelad[oa]s?|aplazad[oa]s?|agotad[oa]s?|complet[oa]s?|cerrad[oa]s?|equivocad[oa]s?|error|no (?:funciona|sirve|hace falta|es posible)",
  ),
  reported: joinPhrases(
    "(?:ya|está|están|fue|fueron|ha|han|he|hemos|quedó|quedaron) (?:\\S{1,20} ){0,5}\\p{L}+(?:ad|id|ch|t|st)[oa]s?|^ya \\p{L}+(?:é|amos|imos|ó)",
  ),
};

const french: CourseCues = {
  accepted: lead("merci(?: beaucoup| bien)?|parfait|super|génial|très bien|bien|bon|ok(?:ay)?|d['’]accord|excellent"),
  asked: joinPhrases(
    "^(?:(?:maintenant|ensuite|puis|alors|et|d['’]abord|avant|aussi|s['’]il (?:te|vous) plaît)[, ]+){0,4}(?:aide|aidez|ajoute|analyse|calcule|change|cherche|compare|construis|convertis|corrige|crée|décris|dessine|donne|écris|explique|fais|génère|implémente|liste|montre|nettoie|organise|planifie|prépare|propose|range|rédige|répare|résume|réserve|supprime|traduis|trouve|vérifie)(?:z|s)?(?:-(?:moi|nous))?",
    "^.{0,60}(?:peux-tu|pourrais-tu|pouvez-vous|pourriez-vous|tu peux|tu pourrais|vous pouvez)",
    "^(?:(?:maintenant|ensuite|aussi|alors) )?(?:j['’]ai besoin|(?:on|nous) (?:a|avons) besoin|j['’]aimerais|je (?:veux|voudrais)|on (?:veut|voudrait)|nous (?:voulons|voudrions)|il (?:me|nous) faut(?! encore))",
  ),
  standing: joinPhrases(
    "^(?:(?:maintenant|alors)[, ]+)*(?:aide(?:z)?-(?:moi|nous)|j['’]aimerais|je (?:veux|voudrais)|on (?:veut|voudrait)|nous (?:voulons|voudrions))",
  ),
  project: joinPhrases(
    "^(?:(?:maintenant|alors)[, ]+)*(?:construis|développe|organise|planifie|traduis|migre)(?:z|s)?|^(?:(?:maintenant|alors)[, ]+)*(?:écris|rédige)\\p{L}* .{0,40}(?:livre|guide|manuel|programme|article|rapport)",
  ),
  givenUp:
    /^(?:(?:non|bon|ah|ok(?:ay)?|finalement|en fait)[, ]+)*(?:oublie|oubliez|laisse tomber|laissez tomber|abandonne|abandonnons|annule|annulez)(?!\p{L})(?: (?:ça|cela|le|la|les|l)(?!\p{L}))*/iu,
  returned: joinPhrases(
    "^(?:(?:alors|bon|bien|et|maintenant)[, ]+)*(?:(?:on )?(?:reviens|revenons|revient|retournons|retour) (?:à|au|aux)|(?:continue|continuez|continuons|reprends|reprenons|reprenez)(?: avec)? (?:le|la|les|l['’]))\\p{L}*",
  ),
  finished: joinPhrases(
    "^(?:c['’](?:est|était) (?:tout|bon|parfait)|(?:ça |tout )?(?:marche|fonctionne)(?: bien| maintenant)?[.!]?$|terminé[.!]?$)",
  ),
  nested: joinPhrases("d['’]abord|avant (?:ça|cela|de continuer)|au passage|une petite question|attends|un instant"),
  changed: joinPhrases(
    "(?:est|sont) (?:maintenant )?(?:permis|autorisé)e?s?|plus besoin|trop|à la place|au lieu|finalement|plutôt|annulée?s?|reportée?s?|déplacée?s?|changée?s?|complète?s?|fermée?s?|erreur|trompée?s?|en fait|ne (?:\\S{1,20} ){1,3}plus|n['’]\\S{1,20} (?:\\S{1,20} )?plus|ne (?:marche|fonctionne|convient) pas",
  ),
  reported: joinPhrases("(?:est|sont|a été|ont été|ai|a|avons|ont) (?:\\S{1,20} ){0,4}\\p{L}+(?:é|i|u|it|is|rt)e?s?"),
};

const portuguese: CourseCues = {
  accepted: lead("(?:muito )?obrigad[oa]|perfeito|ótimo|excelente|muito bem|bem|certo|ok(?:ay)?|beleza"),
  asked: joinPhrases(
    "^(?:(?:agora|depois|então|também|e|primeiro|antes|por favor|além disso)[, ]+){0,4}(?:adiciona|adicione|ajuda|ajude|ajuda-me|analisa|analise|arruma|busca|busque|calcula|calcule|compara|compare|conserta|conserte|constrói|converte|converta|corrige|corrija|cria|crie|dá-me|descreve|descreva|desenha|desenhe|encontra|encontre|escreve|escreva|explica|explique|faz|faça|gera|gere|implementa|implemente|lista|liste|monta|monte|mostra|mostre|ordena|organiza|organize|planeja|planeje|prepara|prepare|procura|procure|redige|redija|resume|resuma|revê|revisa|revise|traduz|traduza|verifica|verifique)(?:-me|-nos)?",
    "^.{0,60}(?:pode|podes|poderia|podia|consegue) (?:me )?\\p{L}+(?:ar|er|ir)",
    "^(?:(?:agora|também|além disso) )?(?:(?:eu|nós) )?(?:preciso(?! (?:ainda|também))|quero|queremos|gostaria|queria)",
  ),
  standing: joinPhrases(
    "^(?:(?:agora|por favor)[, ]+)*(?:ajud[ae](?:-me|-nos)?|quero|queremos|gostaria|queria|vamos (?:organizar|planear|planejar|construir|escrever|fazer))",
  ),
  project: joinPhrases(
    "^(?:(?:agora|por favor)[, ]+)*(?:constr[óo]i|desenvolv[ae]|organiz[ae]|planej[ae]|traduz|migr[ae])\\p{L}*|^(?:(?:agora|por favor)[, ]+)*escrev\\p{L}* .{0,40}(?:livro|guia|manual|programa|artigo|relatório)",
  ),
  givenUp:
    /^(?:(?:não|bom|ah|melhor|ok(?:ay)?)[, ]+)*(?:esquece|esqueça|esqueçamos|deixa|deixe|cancela|cancele|descarta|descarte)(?!\p{L})(?: (?:o|a|os|as|isso|isto|pra lá|para lá)(?!\p{L}))*/iu,
  returned: joinPhrases(
    "^(?:(?:então|bom|bem|e|agora)[, ]+)*(?:(?:voltando|volta|voltemos|vamos voltar|volte) (?:a|ao|à|para)|(?:continua|continue|continuemos|segue|siga) com)",
  ),
  finished: joinPhrases(
    "^(?:(?:isso )?(?:é|era|foi) (?:tudo|só isso)|(?:já |tudo |agora )*(?:funciona|está bom|está pronto|pronto)[.!]?$)",
  ),
  nested: joinPhrases("primeiro|antes (?:disso|de continuar)|a propósito|uma pergunta rápida|espera|um momento"),
  changed: joinPhrases(
    "agora (?:pode|podem)|cancelou|demais|muito car[oa]s?|já não|não (?:\\S{1,20} ){1,3}mais|afinal|melhor|em (?:vez|lugar) d[eoa]s?|mudança|mud\\p{L}+|cancelad[oa]s?|adiad[oa]s?|esgotad[oa]s?|lotad[oa]s?|fechad[oa]s?|errad[oa]s?|erro|não (?:funciona|serve|é possível)",
  ),
  reported: joinPhrases(
    "(?:já|está|estão|foi|foram|ficou|ficaram|tenho|temos) (?:\\S{1,20} ){0,5}\\p{L}+(?:ad|id|it|t)[oa]s?|^já \\p{L}+(?:ei|amos|emos|imos|ou)",
  ),
};

const chinese: CourseCues = {
  accepted: /^(?:(?:多?谢谢?你?|太好了|很好|不错|好的?|完美|辛苦了)[，。！!,. ]*)+/u,
  asked:
    /^(?:(?:现在|接下来|然后|下一步|另外|还有|先|再|首先)，?)*(?:请(?!勿|问)|帮我|帮忙|麻烦你?|能不能|能否|可以(?:帮|请)|你能|我(?:想|要|需要)(?:你|一)|给我|写|做|修|查|翻译|整理|总结|设计|实现|生成)/u,
  standing: /^(?:请)?(?:帮我(?:规划|策划|组织|开发|搭建|准备|学)|我们?(?:想要?|要|计划|打算|正在)|让我们)/u,
  project:
    /^(?:现在)?(?:请)?(?:帮我)?(?:开发|搭建|规划|策划|组织|翻译|迁移|写(?:一[本个篇])?.{0,12}(?:书|手册|指南|程序|文章|报告))/u,
  givenUp: /^(?:(?:不|好|哦|那)，?)*(?:算了|别管|不用管|忘了|取消|放弃)(?:吧|它|这个|那个)?[，。！]?/u,
  returned: /^(?:(?:好的?|那|现在|然后)，?)*(?:回到|继续(?:做|处理|写|完成)?(?=.{2,})|接着(?=.{2,}))/u,
  finished: /^(?:就这些|就是这样|没(?:有)?别的了|(?:都|已经)?(?:好了|完成了|搞定了))[。！]?$/u,
  nested: /先|在此之前|顺便|等一下|等等/u,
  changed:
    /还是.{1,10}吧|太.{1,8}了|改(?:在|到|为|成|用|由|期)|不再|取消|推迟|延期|换成|换到|换用|错了|不行|订满|满了|没货|而不是|搬到/u,
  reported: /已经|(?:好|完|到|掉|过|成)了[。！]?$|[^吗没]了[。！]?$/u,
};

const japanese: CourseCues = {
  accepted:
    /^(?:(?:ありがとう(?:ございます|ございました)?|助かりました|いいですね|完璧です|素晴らしい(?:です)?|了解(?:です|しました)?|はい|よし)[、。！ ]*)+/u,
  asked: joinRuns(
    "(?<!ない)(?:て|で)(?:ください|下さい|くれますか|くれる|もらえますか|いただけますか|ほしい(?:です)?)[。！?？]?$|をお願いします[。！]?$",
    "^(?:次は?|今度は|それから|では)、?.{2,}(?:て|で)(?:ください)?[。！]?$",
  ),
  standing:
    /(?:計画|準備|開発|企画|引っ越し|勉強).{0,8}(?:手伝って|したい|しています)|(?:たい(?:です|と思います)|を(?:作|書|開発し|計画し)っ?ています)[。！]?$/u,
  project:
    /(?:ホームページ|サイト|アプリ|プログラム|本|ガイド|マニュアル|記事|レポート|システム).{0,4}(?:作|書|開発|翻訳|移行)|(?:計画|企画|開発)して/u,
  givenUp:
    /^(?:(?:いや|やっぱり|やはり|もう)、?)*(?:忘れて(?:ください)?|もういい(?:です)?|やめて(?:ください|おきます|おこう)?|中止)[。！]?/u,
  returned: /(?:に戻(?:って|り|ろう)|の続きを|を(?:続けて|再開して))/u,
  finished: /^(?:以上です|これで(?:全部|終わり|完了)(?:です)?|(?:全部)?(?:終わりました|できました|完了です))[。！]?$/u,
  nested: /先に|その前に|まず|ちなみに|ちょっと待って/u,
  changed:
    /キャンセル|やめて|やめます|やめましょう|変更|中止|延期|ではなく|代わりに|やっぱり|やはり|間違|すぎ(?:る|ます|て|た)|満室|満席|売り切れ|無理/u,
  reported: /(?:ました|済みです|済みました|できた|終わった|完了)[。！]?$/u,
};

/** Returns true for a short text that only thanks or approves, in one of the languages: "Perfecto, gracias." */
export function isShortApproval(text: string): boolean {
  if (text.length > MAX_APPROVAL_CHARACTERS || /^ok(?:ay)?\W*$/i.test(text)) return false;
  return Object.values(COURSE_CUES).some(({ accepted }) => isAll(text, accepted));
}

const MAX_APPROVAL_CHARACTERS = 40;

function isAll(text: string, pattern: TextPattern): boolean {
  return (pattern.exec(`${text} `)?.[0].length ?? 0) >= text.length;
}

export const COURSE_CUES: Readonly<Record<"de" | "es" | "fr" | "pt" | "zh" | "ja", CourseCues>> = {
  de: german,
  es: spanish,
  fr: french,
  pt: portuguese,
  zh: chinese,
  ja: japanese,
};
