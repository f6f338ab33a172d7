/** German, Spanish, Chinese and Japanese words that stand for each other, and kinds with what is of them. */

import { listLines, listPhrases } from "./list-words.ts";

export const NON_ENGLISH_SWAPS = listPhrases(`
  kosten kostet preis teuer miete zahlen bezahlen betrag beträgt euro angebot gebühr, wohnen wohnt leben lebt
  umgezogen gezogen stadt ort, monatlich monat, abfahrt abfahren fährt abfährt ab starten, ankunft ankommen kommt,
  termin datum verschoben verlegt tag, reparieren reparatur repariert richten warten kümmert, heißt heissen name
  genannt nennen, entschieden entscheiden entscheidung beschlossen gewählt wählen, allergisch allergie vertragen
  vertrage unverträglich nüsse, liegt finden finde liegen aufbewahren, arbeit beruf job stelle arbeitet, arzt ärztin
  doktor, auto wagen fahrzeug, handy telefon nummer, kaufen gekauft erwerben, beginnen beginn anfang anfangen start,
  ende enden endet schluss, fehler problem absturz ursache grund, druck druckerei drucken, hund katze tier haustier,
  chef leitung leiter verantwortlich zuständig, costar cuesta precio pagar pagamos alquiler euros pide coste caro,
  vivir vive residir reside ciudad mudó, salida sale salir parte hora, llegada llega llegar, venir viene vendrá, fecha
  día aplazó aplazar inauguración inaugurar, llaman llama nombre llamado, decidir decidimos decisión elegir elegimos
  acordamos, alergia alérgico alérgica, guardar guardamos están está dejar, trabajo trabaja profesión empleo, coche
  auto vehículo, empezar comienza empieza comenzar inicio, terminar termina fin acaba, error fallo problema causa,
  imprenta imprimir impresión, 租金 房租 付 钱 元 价格 费用 报价 花, 住 搬 搬到 住在 家, 出发 开 启程 离开, 决定 选 选了 定, 过敏 不能, 修 修理 维修, 日期 推迟 延期
  改到, 钥匙 放在 放, 叫 名字 名, 工作 职业 上班, 买 购买, 错误 问题 故障 原因, 家賃 払 円 費用 値段 料金 見積, 住 住所 引越, 出 出発 発, 決 選 決定, 修理 直 修, 延期 変更 日, 鍵 置
  中, 名前 呼 名, 仕事 職業, 買 購入, 原因 理由 問題
`);

export const NON_ENGLISH_KINDS = listLines(`
  farbe: grün grünen rot blau gelb weiß schwarz grau braun rosa lila orange
  nüsse: erdnüsse haselnüsse walnüsse mandeln cashew
  color: azul rojo verde amarillo blanco negro gris marrón rosa morado
  mascota animal: gata gato perro perra pájaro
  颜色 色: 绿 红 蓝 黄 白 黑 灰 紫 粉 橙
  食物: 花生 牛奶 鸡蛋 海鲜 虾
  色: 緑 赤 青 黄 白 黒 灰 紫
  食: 蕎麦 卵 牛乳 海老 蟹
`);
