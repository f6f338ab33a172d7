/** Portuguese cues, for the forms of Brazil and of Portugal. */
import { joinPhrases, type LanguageCues } from "./cue-patterns.ts";

const LEAD = "^(?:(?:e|mas|por favor|ok|beleza|então|além disso)[, ]+){0,2}";
const DAY =
  "hoje|amanhã|depois de amanhã|(?:na|esta) (?:próxima )?semana(?: que vem)?|na (?:segunda|terça|quarta|quinta|sexta)(?:-feira)?|no (?:sábado|domingo)";
const FORMS =
  "(?:fa[çz]a|mexa|toque|use|utilize|altere|mude|apague|delete|remova|adicione|envie|publique|escreva|crie|rode|execute|instale|coloque|inclua|mencione|suba|quebre|renomeie|edite|modifique|commite|exclua|cite|deixe|responda|invente|suponha|assuma|mostre|troque|mova|gaste|compre|reserve|chame|mande|ponha|corte|reescreva|duplique|salve|guarde|rode|confira|verifique|revise|teste|valide|documente|formate|pergunte|avise|confirme|mantenha|traduza|respeite|passe|arredonde|feche|abra|reinicie)s?";

export const portuguese: LanguageCues = {
  demand: {
    cues: joinPhrases(
      "não (?:pode|podem|deve|devem) (?:de modo algum|de forma alguma|nunca|em caso algum)",
      "não (?:cabem?|pode haver) mais (?:de|do que) (?:\\d+|duas|dois|três|quatro|cinco|seis|sete|oito|nove|dez|doze|quinze|vinte|trinta|quarenta|cinquenta|cem)",
      "(?:nunca|jamais) (?:ficam?|vão|vai)",
      "^cada \\p{L}+ (?:tem|têm) (?:de|que)",
      "^sem .{3,40} não .{2,20} nada",
      `(?:não|nunca|jamais) (?:(?:me|te|se|o|a|os|as|lhe) )?${FORMS}`,
      `${LEAD}(?:${FORMS} sempre|sempre ${FORMS})`,
      `${LEAD}${FORMS} (?:apenas|somente|só|unicamente)|(?:só|somente|apenas) (?:${FORMS}|pode|podem|se pode)`,
      "(?:deve|devem|deves|tem que|têm que|tem de|têm de) (?:\\S{1,20} ){0,2}?\\p{L}{2,20}(?:ar|er|ir|or)",
      "(?:nunca|jamais) (?:deve|devem|pode|podem)|não (?:se )?(?:pode|podem|podemos|deve|devem) (?:\\S{1,20} ){0,2}?\\p{L}+(?:ar|er|ir|or)",
      "(?:sou|somos|é|são) (?:muito )?alérgic[oa]s? (?:a|à|ao|aos|às)|não (?:como|comemos|bebo|bebemos) \\p{L}+",
      "ninguém (?:além d[eoa]s? \\S{1,20} |exceto \\S{1,20} |a não ser \\S{1,20} )?(?:pode|deve)|não (?:deve|devem) ter (?:mais|menos)",
      "não (?:tem|tens|têm) permissão|não é permitid[oa]",
      "nenhuma? (?:\\S{1,20} ){1,6}(?:pode|deve|podem|devem)",
      "de jeito nenhum|de forma (?:alguma|nenhuma)|em hipótese alguma|sob nenhuma hipótese|em (?:nenhum caso|caso algum)|é proibido|proibido|no máximo|não mais (?:de|do) que \\d",
      "a partir de agora(?! (?:eu|vou|estou))|de agora em diante|daqui (?:para|pra) (?:a )?frente|certifique-se|certifica-te|assegure-se|garanta que|garante que|tome cuidado para não",
      `${LEAD}evit[ea](?:r|m)?|sem (?:mudar|alterar|quebrar|mexer|usar|tocar|apagar) \\p{L}+|(?:como|tal como) (?:está|estão)[.!]?$`,
      `${LEAD}nada de (?!nada)\\p{L}+(?: \\p{L}+){0,4}[.!]?$`,
    ),
    except: joinPhrases(
      "preocup[ea]\\p{L}*|(?<!não )deve(?:m)? (?:ter|haver)|deve ser (?:tão |muito )?(?:bo[ma]|ótim[oa]|difícil|legal|lind[oa]|bonit[oa]|gostoso|incrível)|ainda|(?:eu|a gente|nós) (?:tem|temos|deve)|próximo passo|não sei",
    ),
  },
  decision: {
    cues: joinPhrases(
      "(?:já )?(?:está|ficou) confirmad[oa]",
      "^(?:\\S{1,12},? ){0,2}(?:abdicamos d|prescindimos d|desistimos d)[eoa]s?",
      "vamos (?:usar|utilizar|mudar para|passar para)",
      "(?:escolha|decisão) recaiu",
      "^afinal,? (?:fico|ficamos|escolho|prefiro)",
      "decidimos|decidi|decidiu|decidiram|escolhemos|escolhi|optamos|optei|combinamos (?:de|que)|concord[aá]mos|concordou com|concordaram com|acord[aá]mos|ficamos com|ficámos com|fech[aá]mos (?:com|em)|resolv(?:i|emos) \\p{L}+(?:ar|er|ir)",
      "^(?:\\S{1,12},? ){0,2}(?:usaremos|utilizaremos|mantemos|continuamos com)|fech(?:ou|aram|amos|ámos) (?:no|na|em|com)|(?:minha|nossa) decisão (?:é|está)",
      "^(?:bom|bem|ok(?:ay)?|certo|beleza),? então (?:os?|as?|uma?) (?:\\S{1,30} ?){1,4}$|^(?:\\S{1,12},? ){0,2}ficamos com",
      "ficou (?:decidido|combinado|definido|acertado)|(?:foi|está) decidido",
      "^(?:\\S{1,12},? ){0,2}vamos (?:com|usar|ficar com|manter|adotar|de)",
    ),
    except: joinPhrases(
      "não (?:\\p{L}{1,3} )?(?:decid|escolh|combin|acord|concord|resolv|fech)\\p{L}+|não sei|ainda não|ninguém|se (?:a gente|nós)",
    ),
  },
  open: {
    cues: joinPhrases(
      "continua(?:m)? a (?:aparecer|acontecer|surgir|dar)",
      "ainda (?:\\S{1,20} ){0,2}(?:temos|tenho|tem|há|falta|faltam|preciso|precisa|precisam|precisamos|falha|falham)|ainda não (?:está|estão|foi|foram|funciona|passa)",
      "^(?:só |ainda )?faltam? (?:\\p{L}+(?:ar|er|ir)|[oa]s? \\p{L}+)|(?:está|estão|ficou|ficaram|segue|continua) pendentes?|pendentes? de",
      "ainda não (?!vi|li|ouvi|decid|escolh|sei|tenho|fui|estive)\\p{L}+(?:ei|i|ou|amos|emos|imos|z)(?!\\p{L})|^(?:a|por) fazer ?:",
      `(?:${DAY}),? (?:eu |nós |a gente )?(?:tenho|temos|tem) (?:que|de)|(?:tenho|temos|tem) (?:que|de) (?:\\S{1,20} ){1,8}(?:${DAY})`,
      "continua(?:m)? (?:falhando|a falhar|quebrad[oa]s?|dando|com erro|sem)|(?:o )?próximo passo|por fazer|resta(?:m)? \\p{L}+",
    ),
    except: joinPhrases("decidi\\p{L}*|falta de"),
  },
  done: {
    cues: joinPhrases(
      "^(?:já |eu |nós |a gente ){0,2}(?:corrigi|corrigimos|terminei|terminamos|implementei|implementamos|adicionei|adicionamos|removi|removemos|renomeei|publiquei|publicamos|resolvi|resolvemos|atualizei|atualizamos|migrei|migramos|criei|criamos|consertei|consertamos|arrumei|finalizei|finalizamos|concluí|concluímos|apaguei|apagamos|deletei)",
      "já (?:está|estão|foi|foram) (?:\\p{L}+[aei]d[oa]s?|pront[oa]s?|feit[oa]s?|no ar|em produção)|(?:está|estão|ficou|ficaram) (?:pront|feit|concluíd|resolvid|corrigid|publicad)[oa]s?",
      "todos os testes (?:passam|passaram|estão passando)",
    ),
    except: joinPhrases("não|ainda|quando|se|até que|falta|faltam|antes de"),
  },
  withdrawal: {
    cues: joinPhrases(
      "^(?:\\S{1,12}, )?(?:esquece|esqueça|esqueçam|descarta|descarte|deixa (?:pra|para) lá)",
      "não (?:vamos|quero|queremos|precisamos|usamos|usaremos) (?:\\S{1,20} ){0,2}?mais|já não (?:queremos|quero|precisamos|usamos|vamos)",
      "(?:afinal|no fim|melhor),? não",
    ),
  },
  replacement: {
    cues: joinPhrases(
      "em (?:vez|lugar) d[eoa]s?|no lugar d[eoa]s?|em vez disso|melhor (?:usar|usarmos|irmos)|afinal,? (?:vamos|usamos|usaremos|ficamos)",
    ),
  },
  newDecision: {
    cues: joinPhrases(
      "mud(?:ei|amos|ámos) de (?:ideias?|opinião)|pensando (?:melhor|bem)|nova decisão|mudança de planos?",
    ),
  },
};
