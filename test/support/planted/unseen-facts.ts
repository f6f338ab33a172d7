/**
 * Facts and questions that were written after word lists, weights and limits were fixed, and measured once: 38 of 40
 * were cited. Do not tune the retrieval for them.
 */
import type { PlantedFact } from "./english-facts.ts";

export const UNSEEN_FACTS: Readonly<Record<string, readonly PlantedFact[]>> = {
  English: [
    ["My dentist retired, so I go to Dr. Quint on Elm Square now.", "Which dentist treats me these days?"],
    ["The goats escaped through the hole by the silo.", "How did the goats get out?"],
    ["Priya finished third in the regatta.", "What place did Priya take in the sailing competition?"],
    ["The theatre seats 340 people.", "How big is the audience the theatre can hold?"],
    ["We serve the cake without icing because of Jonas's diabetes.", "Why is there no frosting on the cake?"],
    ["The parcel weighs 4.2 kilos with the box.", "How heavy is the parcel?"],
    ["Ludmila grows orchids on her balcony.", "Which flowers does Ludmila keep?"],
    ["The lawyer sends her bill at the end of every quarter.", "How often do we hear from the lawyer about money?"],
    ["Our cottage has neither electricity nor running water.", "What is missing in the cottage?"],
    ["The exam covers chapters four to nine.", "Which chapters should I revise?"],
    ["Farid missed the bus and walked eight miles.", "How did Farid get home?"],
    [
      "The API key for the map service is kept in the vault under maps/prod.",
      "Where is the map service's credential stored?",
    ],
    ["The nightly job timed out after 90 minutes.", "How long did the nightly job run before it was killed?"],
    ["Beatrix owes me forty francs from the fair.", "How much money does Beatrix have to give back?"],
    ["The tiles in the hall are from Valencia.", "What is the origin of the tiles?"],
    ["Swimming is only safe until the red buoy.", "How far out may one swim?"],
    ["The twins were baptised in the chapel at Orrin.", "In which church were the twins christened?"],
    ["Mr. Hallam keeps the spare key of number 12.", "Which neighbour has a key for number 12?"],
    ["The concert was sold out within an hour.", "How quickly did the concert tickets go?"],
    ["I take my coffee with oat milk.", "How do I drink my coffee?"],
  ],
  German: [
    ["Der Vertrag mit der Putzfirma läuft am 30. Juni aus.", "Wann endet die Vereinbarung mit der Putzfirma?"],
    ["Mein Fahrrad wurde am Bahnhof gestohlen.", "Wo ist mir das Rad abhandengekommen?"],
    ["Opa hat früher als Schreiner gearbeitet.", "Welchen Beruf hatte Opa?"],
    ["Das WLAN-Passwort steht auf der Rückseite des Routers.", "Wo finde ich das Kennwort fürs Internet?"],
    ["Wegen des Sturms fiel der Ausflug nach Sylt aus.", "Warum sind wir nicht nach Sylt gefahren?"],
  ],
  Spanish: [
    ["Nuestro vecino Ramiro cuida las plantas en agosto.", "¿Quién riega las plantas durante el verano?"],
    ["El examen de inglés será el viernes a las diez.", "¿Qué día tengo la prueba de inglés?"],
    ["El gato rompió el jarrón de la abuela.", "¿Quién tiró el jarrón?"],
    ["Vendimos el coche por 3.200 euros.", "¿Cuánto nos dieron por el coche?"],
    ["La contraseña del wifi es girasol88.", "¿Cuál es la clave de internet?"],
  ],
  Chinese: [
    ["奶奶的生日是六月八号。", "奶奶哪天过生日？"],
    ["会议室改到了三楼。", "我们在几楼开会？"],
    ["小李因为感冒没来上班。", "小李为什么请假？"],
    ["新电脑花了七千五百块。", "电脑多少钱买的？"],
    ["密码写在便条背面。", "在哪里可以看到密码？"],
  ],
  Japanese: [
    ["祖母の誕生日は六月八日です。", "おばあさんはいつ生まれましたか？"],
    ["会議室は三階に変わりました。", "会議は何階でしますか？"],
    ["田中さんは風邪で休んでいます。", "田中さんはなぜ来ていないのですか？"],
    ["新しいパソコンは十五万円でした。", "パソコンはいくらでしたか？"],
    ["暗証番号はメモの裏に書いてあります。", "暗証番号はどこで見られますか？"],
  ],
};
