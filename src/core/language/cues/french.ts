/** French cues. A sentence that begins with its verb, or with "ne", is an order, because French needs a subject. */
import { joinPhrases, type LanguageCues } from "./cue-patterns.ts";

const LEAD = "^(?:(?:et|mais|donc|alors|ok|s['’]il (?:te|vous) plaît|stp|svp|par contre)[, ]+){0,2}";
const DAY =
  "aujourd['’]hui|demain|après-demain|(?:la|cette) semaine(?: prochaine)?|lundi|mardi|mercredi|jeudi|vendredi|samedi|dimanche";
const DONE =
  "(?:corrigé|terminé|fini|implémenté|ajouté|supprimé|renommé|fusionné|déployé|publié|résolu|réglé|mis à jour|migré|écrit|créé|réparé|refait|retiré|livré|remplacé|nettoyé|enlevé)e?s?";

export const french: LanguageCues = {
  demand: {
    cues: joinPhrases(
      "ne (?:peut|peuvent) pas (?:\\S{1,20} ){0,2}plus de (?:\\d+|deux|trois|quatre|cinq|six|sept|huit|neuf|dix|douze|quinze|vingt|trente|quarante|cinquante|cent)",
      "ne (?:va|vont|doit|doivent) jamais",
      "^sans .{3,40}, (?:rien|personne|aucune?) ne",
      `${LEAD}(?:ne \\p{L}|n['’]\\p{L})\\S{1,30} (?:\\S{1,20} ){0,2}?(?:jamais|pas|plus|rien|que|surtout|aucun|aucune)`,
      "(?:merci|prière|veuillez|veille|veillez|pense|pensez|attention)(?: de| à)? (?:de )?ne (?:pas|jamais|rien|plus)",
      `${LEAD}\\p{L}+(?:e|s|ez|ds) (?:toujours|systématiquement|uniquement|seulement|exclusivement)`,
      "(?:doit|doivent|dois|devez) (?:\\S{1,20} ){0,4}?\\p{L}+(?:er|ir|re|oir)",
      "il ne faut (?:pas|jamais|plus|surtout)|il faut (?:absolument|impérativement|toujours|respecter|garder|conserver|éviter)",
      "ne (?:peut|peuvent|pouvons) (?:pas|jamais) (?:dépasser|excéder|changer|durer|coûter|être (?:modifié|renommé|changé|supprimé|utilisé|plus))\\p{L}*",
      "allergiques? (?:aux?|à)|n['’](?:as|avez|a|ont) pas le droit d(?:e|['’]\\p{L}+)|personne (?:sauf \\S{1,20} |à part \\S{1,20} )?ne (?:peut|doit)|(?:tu|vous) ne (?:dois|devez|peux|pouvez) (?:pas|jamais|plus)|(?:je|nous|on) ne (?:mange|mangeons|bois|buvons) pas",
      "en aucun cas|sous aucun prétexte|surtout pas|au maximum|au plus \\d|pas plus de|(?:est|sont) interdite?s?|interdiction|interdit de|désormais|dorénavant|à partir de maintenant",
      `${LEAD}évite(?:z|r)?|assure-toi|assurez-vous|veille(?:z)? à|fais en sorte|faites en sorte|contente-toi de`,
      "sans (?:rien )?(?:changer|toucher|casser|modifier|ajouter|utiliser|supprimer)|tels? quels?|telles? quelles?",
      `${LEAD}(?:pas|aucune?)(?: de| d['’])? ?(?!problème|souci|quoi|chance|panique|doute|idée|mal|encore|grave|besoin|du tout)\\p{L}+(?: \\p{L}+){0,4}[.!]?$`,
    ),
    except: joinPhrases(
      "inquiète|inquiétez|hésite|hésitez|t['’]en fais pas|vous en faites pas|doi(?:t|vent) bien|doit (?:y )?avoir|encore|(?:je|on|nous) (?:ne )?(?:dois|doit|devons)|ne sais pas|prochaine étape",
      "doi(?:t|vent) (?:avoir|être) \\p{L}+é|(?:ça|ce|cela) doit (?:être|faire) (?:\\p{L}+ )?\\p{L}+",
    ),
  },
  decision: {
    cues: joinPhrases(
      "c['’]est (?:confirmé|acté|entendu)",
      "^(?:\\S{1,12},? ){0,2}(?:nous renonçons|on renonce|nous passons|on passe) (?:à|au|aux)",
      "^(?:comme|pour) .{3,40}, ce sera",
      "(?:choix|décision) s['’]est portée? sur",
      "^finalement,? (?:je|on|nous) (?:prends?|prenons|garde|gardons|choisis|choisit)",
      "(?:on a|ont|nous avons|avons|j['’]ai|l['’]équipe a|il a|elle a|\\p{L}+ a) (?:\\p{L}+ )?(?:décidé|choisi|convenu|opté|retenu|tranché|acté|finalement choisi)",
      "^(?:\\S{1,12},? ){0,2}(?:prenons|gardons|utilisons|choisissons|optons pour|faisons (?:comme|avec))|(?:décision|choix) est (?:prise|fait)|c['’]est (?:entendu|convenu|acté)",
      "^(?:bon|bien|ok(?:ay)?|d['’]accord),? (?:alors|donc) (?:l[ea]s?|une?|l['’]\\p{L}+) (?:\\S{1,30} ?){1,4}$|^nous (?:prenons|gardons|choisissons|restons sur)",
      "s['’](?:est|étaient|sont) (?:arrêtée?s?|mise?s? d['’]accord|décidée?s?) (?:sur|pour)|me suis décidée? (?:pour|à)",
      "(?:est|sommes|sont|était) (?:mis|tombés?|convenus?) d['’]accord|c['’]est décidé",
      "^(?:\\S{1,12},? ){0,2}on (?:part sur|garde|prend|reste sur|passe (?:à|sur)|utilisera|prendra|gardera|va (?:utiliser|garder|prendre|partir|rester))|nous utiliserons|^(?:partons|restons) sur",
    ),
    except: joinPhrases(
      "pas encore|(?:n['’]a|n['’]ai|n['’]avons|n['’]ont|n['’]est) (?:\\p{L}+ )?(?:pas|rien|jamais)|personne|ne sais|rien décidé|si (?:on|nous)",
    ),
  },
  open: {
    cues: joinPhrases(
      "(?:se produit|persiste|apparaît|revient) (?:toujours|encore)",
      "(?:faut|reste|restent|manque|manquent|doit|dois|devons|faudra|faudrait) (?:\\S{1,20} )?encore|reste(?:nt)? à \\p{L}+|il (?:nous |me )?reste \\p{L}+",
      `(?:n['’]est|ne sont|n['’]a|n['’]ont) (?:toujours )?pas (?:encore )?(?:été )?(?:tout à fait )?(?:${DONE}|faite?s?|prête?s?|testée?s?|finie?s?|vérifiée?s?)`,
      "n['’](?:ai|avons|a|ont) (?:toujours )?pas encore (?!vu|lu|entendu|essayé|décid|choisi|eu)\\p{L}+(?:é|i|u|it|is|rt)(?!\\p{L})|(?:n['’](?:ai|avons|a|ont)|il n['’]y a) (?:toujours )?pas encore d(?:e|['’])|^il (?:nous |me )?manque|se (?:fait|font) (?:toujours |encore )?attendre|^(?:reste )?à faire ?:",
      `(?:${DAY}),? (?:il faut|(?:je|on|nous) (?:dois|doit|devons))|(?:je|on|nous) (?:dois|doit|devons) (?:\\S{1,20} ){1,8}(?:${DAY})`,
      "échoue(?:nt)? (?:toujours|encore)|ne (?:marche|passe|fonctionne)(?:nt)? (?:toujours pas|pas encore|encore pas)|toujours pas|(?:la )?prochaine étape|reste(?:nt)? en (?:suspens|attente)|(?:est|sont) en (?:suspens|attente)",
    ),
    except: joinPhrases("décidé|choisi|dieu merci"),
  },
  done: {
    cues: joinPhrases(
      `(?:j['’]ai|on a|nous avons) (?:\\p{L}+ )?${DONE}`,
      `(?:est|sont) (?:maintenant |désormais |bien |déjà |enfin )?(?:${DONE}|en ligne|en prod|en production|faite?s?|prête?s?)`,
      "tous les tests (?:passent|sont verts)|c['’]est (?:fait|réglé|corrigé|terminé|en ligne)",
    ),
    except: joinPhrases("pas|encore|quand|si|lorsque|avant|jusqu['’]à|doit|doivent|faut|jamais|dès que"),
  },
  withdrawal: {
    cues: joinPhrases(
      "^(?:\\S{1,12},? )?(?:oublie|oubliez|laisse tomber|laissez tomber|abandonne|abandonnons)",
      "(?:on|nous|je) n(?:e |['’])(?:veu\\p{L}+|voulons|utilis\\p{L}+|prend\\p{L}*|prenons|garde\\p{L}*|fai\\p{L}+|passe\\p{L}*|part\\p{L}*) (?:\\S{1,20} )?plus",
      "finalement,? (?:pas|non|on ne)",
    ),
  },
  replacement: {
    cues: joinPhrases(
      "à la place|au lieu d(?:e|u|es|['’]\\p{L}+)|^(?:\\S{1,12},? ){0,3}plutôt|plutôt (?:\\S{1,30} ){0,4}?qu(?:e|['’]\\p{L}+)|finalement,? (?:on|nous|prenons|partons)(?! ne)",
    ),
    except: joinPhrases("(?:est|sont|reste|restent|trouve) plutôt"),
  },
  newDecision: {
    cues: joinPhrases("changé d['’]avis|nouvelle décision|changement de plan|réflexion faite|à la réflexion"),
  },
};
