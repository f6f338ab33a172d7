/** Spanish cues. */
import { joinPhrases, type LanguageCues } from "./cue-patterns.ts";

const LEAD = "^(?:(?:y|pero|por favor|ok|vale|entonces|además)[, ]+){0,2}";
const FORBIDDEN =
  "(?:cambi|toqu|us|borr|modifiqu|elimin|publiqu|enví|añad|hag|pong|despliegu|sub|ejecut|instal|escrib|cre|guard|mand|mencion|incluy|muestr|muev|renombr|dej|romp|reescrib|dupliqu|abr|cierr|invent|supong|asum|respond|contest|traduzc|commite|merge[e]?|pushe|hardcode|loguee|quit|agregu|utilic|edit|llam|compr|reserv|pid|cit|repit|emple|met|saqu|acept|reinici|detengas?|deteng|formate|import|exportes?|export)(?:es|as|e|a|éis|áis|en|an)";
const ORDER =
  "(?:usa|utiliza|pasa|ejecuta|corre|lanza|haz|pon|escribe|añade|agrega|incluye|mantén|deja|guarda|comprueba|revisa|verifica|responde|contesta|pregunta|crea|documenta|prueba|valida|formatea|muestra|cita|traduce|respeta|edita|modifica|toca|cambia|trabaja|emplea|pide|avisa|confirma|redondea|cierra|use|utilice|ejecute|haga|ponga|escriba|incluya|mantenga|revise|compruebe|responda|usen|usad|ejecutad|escribid)";
const DAY =
  "hoy|mañana|pasado mañana|(?:la|esta) (?:próxima )?semana(?: que viene)?|el (?:lunes|martes|miércoles|jueves|viernes|sábado|domingo)";
const LIMITED =
  "(?:pasar|superar|exceder|cambiar|modificar|renombrar|tocar|usar|utilizar|borrar|eliminar|gastar|salir|aparecer|llevar|durar|costar|haber|tener|bajar|subir|depender|quedar|romper|llegar|ser (?:más|menos|mayor|menor))";

export const spanish: LanguageCues = {
  demand: {
    cues: joinPhrases(
      "no (?:caben?|entran?|puede haber) más de (?:\\d+|dos|tres|cuatro|cinco|seis|siete|ocho|nueve|diez|doce|quince|veinte|treinta|cuarenta|cincuenta|cien)",
      "no (?:va|van|debe|deben|puede|pueden) nunca",
      "^(?:por favor,? )?no (?!tienes|eres|puedes|quieres|sabes|haces|estás|conoces|crees|ves|vienes|dices|entiendes|recuerdas)\\p{L}{2,12}[ae]s (?:el|la|los|las|ning\\p{L}+|nada)",
      `(?:no|nunca|jamás) (?:(?:me|te|se|lo|la|le|los|las|les|nos) )?${FORBIDDEN}`,
      `${LEAD}(?:${ORDER} siempre|siempre ${ORDER})`,
      `${LEAD}${ORDER} (?:solo|sólo|solamente|únicamente|exclusivamente)|(?:solo|sólo|solamente|únicamente) (?:${ORDER}|se (?:puede|pueden|debe|deben))`,
      "(?:debe|deben|debes|tiene que|tienen que|tienes que) (?:\\S{1,30} )?\\p{L}{2,20}(?:ar|er|ir|se|rse|lo|la)",
      `no (?:se )?(?:puede|pueden|podemos|debemos) (?:\\S{1,20} )?${LIMITED}`,
      "(?:soy|somos|es|son) (?:muy )?alérgic[oa]s? al?|no (?:como|comemos|bebo|bebemos) \\p{L}+",
      "no (?:tienes?|tenéis|tienen) permiso|no (?:se permite|está permitid[oa])|no (?:puedes|podéis|debes|debéis) (?:\\S{1,20} )?\\p{L}+(?:ar|er|ir)",
      "nadie (?:más que \\S{1,20} |salvo \\S{1,20} |excepto \\S{1,20} )?(?:puede|debe)|^(?:deja|mantén)\\p{L}* (?:\\S{1,20} ){1,5}(?:como está|igual|sin cambios)",
      "hay que (?:mantener|respetar|conservar|evitar|garantizar|cumplir|dejar|usar siempre)",
      "bajo ningún (?:concepto|motivo)|en ningún caso|(?:está|queda) prohibido|prohibido|como máximo|como mucho \\d|no más de \\d",
      "asegúrate de|asegúrese de|asegúrense de|procura que|evita(?:d|r)?(?= (?:el|la|los|las|un|una|usar|que|todo|toda|\\p{L}+r))|a partir de ahora(?! (?:voy|iré|tengo|estoy))|de ahora en adelante|desde ahora",
      "sin (?:cambiar|tocar|romper|modificar|usar|añadir|borrar) \\p{L}+|tal (?:como|y como|cual) está",
      `${LEAD}nada de (?!nada)\\p{L}+(?: \\p{L}+){0,4}[.!]?$`,
    ),
    except: joinPhrases(
      "no te preocupes|no se preocupe|no pasa nada|(?:debe|deben)(?: de)? haber|debe(?:n)? de|tiene que haber|(?:todavía|aún) (?:\\S{1,20} ){0,2}(?:tiene|tienen|tenemos|hay)|siguiente paso",
    ),
  },
  decision: {
    cues: joinPhrases(
      "(?:ya )?(?:está|queda) confirmad[oa]",
      "^(?:\\S{1,12},? ){0,2}(?:renunciamos a|prescindimos de|descartamos|nos pasamos a|nos cambiamos a)",
      "(?:elección|decisión) recayó",
      "(?:me|nos) qued(?:o|amos) con",
      "^nos pasamos al",
      "(?:hemos|he|han|ha|habíamos) (?:\\p{L}+ )?(?:decidido|acordado|elegido|optado|escogido|quedado en)",
      "decidimos|decidí|decidió|decidieron|acordamos|acordó|acordaron|elegimos|elegí|eligieron|optamos|opté|escogimos|quedamos en|nos quedamos con|nos decantamos|apostamos por",
      "(?:usaremos|utilizaremos|iremos con)|^(?:\\S{1,12},? ){0,2}(?:quedémonos con|usemos|utilicemos|vayamos con|elijamos|tomemos|mantenemos|conservamos|seguimos con)",
      "^(?:bien|bueno|vale|ok(?:ay)?),? entonces (?:el|la|los|las|una?) (?:\\S{1,30} ?){1,4}$",
      "(?:está|queda|quedó) (?:ya )?(?:decidido|acordado|resuelto)|(?:mi|nuestra) decisión (?:es|está)|se (?:decidió|decidieron|decantó) por",
      "^(?:\\S{1,12},? ){0,2}(?:vamos|tiramos|seguimos|nos vamos) con|^(?:\\S{1,12},? ){0,2}vamos a (?:usar|utilizar|quedarnos)",
    ),
    except: joinPhrases(
      "(?:no|nunca) (?:\\p{L}{1,3} )?(?:hemos|he|han|ha|habíamos|decid\\p{L}+|acord\\p{L}+|elegi\\p{L}+)|no (?:sé|sabemos)|nadie|si (?:ya )?(?:lo )?(?:decid|hemos)\\p{L}*|(?:todavía|aún) no",
    ),
  },
  open: {
    cues: joinPhrases(
      "no (?:olvides|olvidéis|olvidemos|olvide) que (?:\\S{1,20} ){0,3}(?:hay|falta|faltan|tenemos|tengo)",
      "(?:todavía|aún) (?:\\S{1,20} ){0,2}(?:tenemos|tengo|hay|falta|faltan|queda|quedan|debemos|debo|falla|fallan)|(?:tenemos|tengo|hay) que \\p{L}+ (?:todavía|aún)",
      "(?:todavía|aún) no (?:está|están|se ha|se han|funciona|pasa)|no (?:está|están) (?:todavía|aún)",
      "(?:falta|faltan) (?:por )?\\p{L}+(?:ar|er|ir)(?:l[oa]s?)?|(?:falta|faltan) por|(?:queda|quedan) (?:por|pendientes?)|(?:está|están|sigue|siguen) pendientes?|pendientes? de",
      "^(?:solo |todavía |aún )?faltan? (?:l[oa]s?|el|una?|dos|tres|\\d+)|(?:todavía|aún) no (?:he|hemos|ha|han) (?!visto|oído|leído|probado|estado|decid)\\p{L}+(?:ado|ido|ito|cho|rto|sto)|^(?:por hacer|pendientes?) ?:",
      `(?:${DAY}),? (?:tengo|tenemos|hay) que|(?:tengo|tenemos) que (?:\\S{1,20} ){1,8}(?:${DAY})`,
      "(?:sigue|siguen) (?:fallando|sin|rot[oa]s?|dando|apareciendo)|(?:el )?(?:siguiente|próximo) paso",
    ),
    except: joinPhrases("decidi\\p{L}*|falta de|ya no (?:hace|hay|falta)"),
  },
  done: {
    cues: joinPhrases(
      "(?:he|hemos|ha|han) (?:corregido|arreglado|terminado|acabado|implementado|añadido|agregado|eliminado|quitado|borrado|renombrado|fusionado|desplegado|publicado|resuelto|actualizado|refactorizado|migrado|escrito|creado|solucionado|completado|movido|reparado)",
      "^(?:ya )?(?:corregí|arreglé|terminé|acabé|implementé|añadí|agregué|eliminé|quité|borré|renombré|desplegué|publiqué|resolví|actualicé|migré|creé|solucioné|completé|corregimos|arreglamos|terminamos|implementamos|añadimos|eliminamos|migramos|desplegamos|publicamos|resolvimos|actualizamos)",
      "ya (?:está|están) (?:\\p{L}+[aei]d[oa]s?|list[oa]s?|hech[oa]s?|resuelt[oa]s?|en producción|en línea)|(?:está|están|quedó|quedaron|ha quedado) (?:ya )?(?:list|hech|resuelt|terminad|corregid|desplegad|publicad|arreglad|solucionad)[oa]s?",
      "tod[oa]s l[oa]s (?:tests|pruebas) pasan",
    ),
    except: joinPhrases("no|todavía|aún|cuando|si|hasta que|falta|faltan|antes de"),
  },
  withdrawal: {
    cues: joinPhrases(
      "^(?:\\S{1,12}, )?(?:olvida|olvidad|olvídate de|olvidaos de|descarta|descartad)",
      "ya no (?:\\S{1,20} ){0,2}(?:quiero|queremos|necesit\\p{L}+|us\\p{L}+|hace falta|vamos)",
      "(?:al final|finalmente|mejor) no",
    ),
  },
  replacement: {
    cues: joinPhrases(
      "en (?:lugar|vez) de|en su lugar|mejor (?:usemos|usamos|vamos con)|al final (?:usamos|usaremos|vamos|elegimos|nos quedamos)|(?:cambiamos|cambiemos|pasamos|pasemos) a",
    ),
  },
  newDecision: {
    cues: joinPhrases(
      "cambi(?:é|ado|amos) de (?:idea|opinión|parecer)|pensándolo (?:bien|mejor)|nueva decisión|cambio de planes?",
    ),
  },
};
