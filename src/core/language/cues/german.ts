/** German cues. An imperative begins its sentence, so verbs count only there. */
import { joinPhrases, type LanguageCues } from "./cue-patterns.ts";

const LEAD = "^(?:(?:und|also|aber|bitte|ok(?:ay)?|dann|außerdem|künftig|in zukunft|ab jetzt|ab sofort)[, ]+){0,3}";
const ORDER =
  "(?:änder|fass|lösch|push|commit|deploy|nutz|verwend|benutz|schreib|lass|lasst|mach|nimm|gib|stell|füg|erstell|entfern|installier|ruf|setz|behalt|öffne|schick|send|veröffentlich|test|prüf|führ|start|merg|bau|leg|speicher|logg|verschieb|ersetz|importier|aktualisier|übersetz|antwort|frag|zeig|nenn|erwähn|halt|bearbeit|arbeit|formatier|zitier|kopier|rühr|greif|buch|kauf|plan|koch|sag|sprich|rechne|runde)\\p{L}{0,3}";
const NEGATION = "nie|niemals|nicht|nichts|keine?|keinen|keinem|keiner";
const MODAL = "darf|darfst|dürfen|dürft|soll|sollst|sollen|sollte|sollten";
const DAY =
  "heute|morgen|übermorgen|(?:nächste|diese) woche|(?:am|bis) (?:montag|dienstag|mittwoch|donnerstag|freitag|samstag|sonntag)";

export const german: LanguageCues = {
  demand: {
    cues: joinPhrases(
      "^\\p{Lu}\\p{Ll}{2,14} bitte (?:\\S{1,30} ){0,3}(?:nie|niemals|nicht|nichts|keine?[nmr]?)",
      "mehr als (?:\\d+|zwei|drei|vier|fünf|sechs|sieben|acht|neun|zehn|zwölf|fünfzehn|zwanzig|dreißig|vierzig|fünfzig|hundert) (?:\\S{1,30} ){1,3}(?:nicht|kein\\p{L}{0,2})",
      "gehör(?:t|en) (?:nie|niemals|nicht) (?:in|auf|an|zu|unter)",
      "^(?:jede[rsmn]?) \\p{Lu}\\p{L}+ (?:braucht|muss|bekommt|soll|trägt)",
      "^ohne (?:\\S{1,30} ){1,6}(?:nichts|niemand)",
      `${LEAD}${ORDER} (?:\\S{1,30} ){0,10}(?:${NEGATION}|immer|stets|ausschließlich|ab jetzt|ab sofort|künftig|in zukunft)`,
      `${LEAD}(?:verwend|benutz|nutz|änder|bearbeit|schreib|arbeit|nimm|fass)\\p{L}{0,2} (?:\\S{1,30} ){0,3}nur`,
      `^bitte (?:${NEGATION}|nur|immer|ausschließlich)`,
      "^keine?n? (?!ahnung|sorge|frage|problem|zeit|lust|panik|angst|eile|idee|thema|chance|wunder|zweifel)\\p{L}+(?: \\p{L}+){0,3}[.!]?$",
      `(?:${MODAL}) (?:\\S{1,30} ){0,6}(?:${NEGATION}|niemand|nur|immer)`,
      `${LEAD}(?:lass|lasst|lassen sie) (?:\\S{1,30} ){1,4}(?:so|unverändert|wie)`,
      "(?<!(?<!\\p{L})(?:ich|wir|du|ihr|man|er|sie|es) )(?:muss|müssen)(?! (?:ich|wir|du|ihr|man|er|sie|es) )(?: \\S{1,30}){0,12} (?:bleiben|sein|haben|werden|können|laufen|funktionieren|enthalten|liefern|bestehen|unterstützen|stehen|gelten|passen)[.!]?$",
      "(?:wird|werden) (?:\\S{1,30} ){0,4}(?:nie|niemals) (?:\\S{1,30} ){0,3}(?:\\p{L}+(?:t|ed)|ge\\p{L}+en)[.!]?$",
      "allergisch (?:gegen|auf)|(?:gegen|auf) \\S{1,30} allergisch|(?:ich|wir) (?:esse|essen|vertrage|vertragen|trinke|trinken) (?:\\S{1,20} )?kein\\p{L}{0,2}",
      "auf keinen fall|unter keinen umständen|keinesfalls|höchstens|maximal \\d|nicht mehr als \\d|spätestens (?:am|um|bis)",
      "achte(?:t|n sie)? (?:\\S{1,20} )?darauf, dass|stelle?(?:n sie)? sicher, dass|sorge?(?:n sie)? dafür, dass|vermeide(?:t|n sie)?|verzichte(?:t|n sie)? auf|halte? dich an|lass die finger von",
      "^(?:ab jetzt|ab sofort|von nun an|in zukunft|künftig)(?! (?:habe|hab|bin|werde|kann|muss) ich)",
      "ohne (?:\\S{1,30} ){1,4}zu (?:ändern|verändern|löschen|brechen)|(?:ist|sind) (?:verboten|tabu|nicht erlaubt)",
    ),
    except: joinPhrases(
      "gewesen|mach dir|keine sorgen?|kein problem|weiß nicht|vergiss nicht|noch nicht|muss(?:en)? noch|müssen (?:\\S{1,30} ){0,4}noch|als nächstes|ob",
      "muss (?:\\S{1,30} ){0,8}\\p{L}+t haben[.!]?$",
    ),
  },
  decision: {
    cues: joinPhrases(
      "(?:das )?(?:ist|steht) (?:jetzt |nun |damit |also )?(?:fix|fest)[.!]?$",
      "^(?:\\S{1,12},? ){0,2}wir (?:verzichten auf|steigen (?:\\S{1,20} ){1,4}um|stellen (?:\\S{1,20} ){0,4}um auf)",
      "komm(?:t|en) (?:\\S{1,30} ){1,4}zum einsatz|(?:wahl|entscheidung) (?:fiel|ist) (?:\\S{1,12} )?auf",
      "^(?:\\S{1,12},? ){0,2}ich nehme (?:jetzt |nun )?(?:doch|lieber)",
      "(?:haben|habe|hab|hat|hatten|wurde) (?:\\S{1,30} ){0,8}(?:entschieden|entschlossen|beschlossen|vereinbart|ausgemacht|abgemacht|festgelegt|gewählt|ausgewählt|ausgesucht|geeinigt|verständigt)",
      "wir (?:entscheiden|einigen|verständigen) uns (?:für|auf|gegen)|(?:dann|also|gut|okay|ok),? (?:nehmen|machen|verwenden|nutzen) wir",
      "^(?:\\S{1,12},? ){0,2}wir (?:nehmen|bleiben (?:\\S{1,20} )?bei|setzen auf|gehen mit|machen (?:es|das) (?:mit|so)|steigen (?:\\S{1,20} )?um|wechseln (?:auf|zu))",
      "^(?:\\S{1,12},? ){0,2}lass(?:t|en sie)? uns (?:\\S{1,30} ){0,6}(?:nehmen|verwenden|nutzen|benutzen|machen|bleiben|behalten)",
      "^(?:\\S{1,12},? ){0,2}(?:für|bei|zu[mr]|beim|im|in|als) (?:\\S{1,30} ){1,4}(?:nehmen|verwenden|nutzen|benutzen) wir|^(?:\\S{1,12},? ){0,2}wir behalten",
      "(?:sind|bin|haben) (?:\\S{1,30} ){0,6}übereingekommen|entschluss (?:steht|gefasst)|(?:es|das) ist (?:jetzt |nun |also |damit )?(?:abgemacht|ausgemacht|beschlossen|entschieden|vereinbart)|(?:ausgemacht|abgemacht|vereinbart)[.!]?$",
      "^(?:gut|ok(?:ay)?|schön|prima|also),? dann (?:also |eben )?(?:de[rnm]|die|das|eine?n?) (?:\\S{1,30} ?){1,4}$",
      "es bleibt (?:\\S{1,12} )?(?:bei|beim)|bleiben wir (?:\\S{1,20} )?bei",
    ),
    except: joinPhrases(
      "nicht (?:\\S{1,30} ){0,4}(?:entschieden|beschlossen|vereinbart|ausgemacht|festgelegt|gewählt|geeinigt|einig)|niemand|nichts (?:entschieden|beschlossen|vereinbart)|ob|wer|noch kein\\p{L}{0,2}|falls|sobald|bevor",
    ),
  },
  open: {
    cues: joinPhrases(
      "(?:habe|haben|hab) (?:ich |wir )?noch nicht (?:bekommen|erhalten|zurückbekommen)",
      "bleib(?:t|en) (?:noch )?(?:\\S{1,30} ){1,6}zu \\p{L}+en|(?:steht|stehen) (?:noch |uns )?bevor",
      "noch (?:\\S{1,30} ){0,3}werden (?:muss|müssen)|(?:tritt|treten|besteht|bestehen|passiert) (?:weiterhin|immer noch|noch immer)",
      "(?:muss|müssen|müsste|müssten|sollte|sollten) (?:\\S{1,30} ){0,4}noch(?! nie)",
      "(?:ist|sind|wurde|wurden) (?:\\S{1,30} ){0,4}noch nicht (?:\\S{1,20} )?(?:fertig|erledigt|behoben|bereit|\\p{L}*ge\\p{L}+(?:t|en)|\\p{L}+(?:iert|tzt|ellt|üft|egt))",
      "(?:fehlt|fehlen) (?:\\S{1,20} )?noch|(?:steht|stehen) noch aus|(?:ist|sind|bleibt|bleiben) noch (?:\\S{1,30} ){0,3}(?:offen|zu \\p{L}+en)|noch offen|offen (?:ist|sind|bleibt|bleiben)",
      "(?:schlägt|schlagen) (?:\\S{1,20} ){0,4}noch (?:\\S{1,20} ){0,2}fehl|noch (?:immer |nicht )?(?:kaputt|rot|fehlerhaft|behoben)|geht (?:immer )?noch nicht",
      "hab(?:e|en)? (?:ich |wir )?(?:\\S{1,20} ){0,4}noch nicht (?:ge(?:schrieben|macht|prüft|testet|bucht|klärt|zahlt|schickt|sendet|löst|plant|baut|ändert)|erledigt|bestellt|bezahlt|beantwortet|verschickt|fertig\\p{L}*|angerufen|(?:ein|ab|über|vor|aus)\\p{L}+|\\p{L}{3,}iert)",
      "(?:habe|haben|hat|gibt|ist|sind|fehlt) (?:\\S{1,20} ){0,4}noch kein\\p{L}{0,2}",
      "^übrig (?:ist|sind|bleibt|bleiben)|(?:bleibt|bleiben|ist|sind) (?:noch )?(?:\\S{1,20} ){0,3}übrig",
      `(?:ich|wir) (?:muss|müssen|sollten?) (?:\\S{1,20} ){0,3}(?:${DAY})|(?:${DAY}) (?:muss|müssen|sollten?) (?:ich|wir)`,
      "als nächstes (?:muss|müssen|kommt|steht|ist|sollten?|will|wollen)|(?:der )?nächste schritt|(?:steht|stehen) (?:noch )?aus",
    ),
    except: joinPhrases("ent(?:schieden|scheiden|scheidung)|geeinigt|beschlossen|ahnung|idee|lust"),
  },
  done: {
    cues: joinPhrases(
      "(?:ich|wir) hab(?:e|en)? (?:\\S{1,30} ){0,10}(?:behoben|erledigt|implementiert|hinzugefügt|entfernt|umbenannt|gemerge?d|gemerge?t|deploye?d|deployt|ausgerollt|ausgeliefert|veröffentlicht|gelöst|aktualisiert|migriert|umgezogen|erstellt|angelegt|eingebaut|umgesetzt|fertiggestellt|gefixt|korrigiert|repariert|gelöscht|angepasst|umgestellt|eingerichtet|abgeschlossen)",
      "(?:ist|sind) (?:jetzt |nun |bereits |schon |alle |damit ){0,2}(?:fertig|erledigt|behoben|entfernt|gelöst|gemerged|gemergt|deployed|online|umgesetzt|live|abgeschlossen|implementiert|ausgerollt|veröffentlicht|repariert|gelöscht|umbenannt|aktualisiert|eingerichtet)",
      "alle (?:\\d+ )?tests (?:laufen (?:jetzt |wieder )?durch|sind (?:jetzt |wieder )?grün|bestehen)",
    ),
    except: joinPhrases("nicht|noch|wenn|sobald|falls|bis|bevor|muss|müssen|soll|sollte|nie|ob|werden"),
  },
  withdrawal: {
    cues: joinPhrases(
      "^(?:\\S{1,12},? ){0,2}(?:vergiss|vergesst|streich|streicht|verwirf)(?! nicht)",
      "(?:wir|ich) (?:\\S{1,30} ){1,6}(?:doch nicht|nicht mehr|nun doch)",
      "(?:nicht mehr|doch nicht) (?:nötig|gebraucht|gewünscht|geplant|benötigt)",
    ),
    except: joinPhrases("weiß|kann|können|konnte\\p{L}*|finde\\p{L}*|versteh\\p{L}*"),
  },
  replacement: {
    cues: joinPhrases(
      "stattdessen|statt|anstatt|anstelle|doch lieber|lieber doch|nehmen wir doch|wechseln wir (?:auf|zu)",
    ),
    except: joinPhrases("f[iaä]nde?t?(?:en)? (?:\\S{1,30} ){0,5}statt"),
  },
  newDecision: {
    cues: joinPhrases(
      "anders überlegt|umentschieden|mein\\p{L}* meinung geändert|unser\\p{L}* meinung geändert|neue entscheidung|planänderung|kommando zurück",
    ),
  },
};
