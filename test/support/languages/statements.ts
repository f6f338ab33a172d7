/** Statements in seven languages, each in the same meanings, besides those of `corpus`. Written without looking at the cues. */
export const STATEMENTS = {
  english: `
constraint: Please never send emails to customers without asking me first.
constraint: The start page must load in less than two seconds.
constraint: Don't use any external libraries.
constraint: Only write in the folder "drafts".
constraint: All amounts have to be shown in euros.
constraint: I'm allergic to nuts.
constraint: The budget may not exceed 500 euros.
constraint: Always answer in short sentences.
constraint: You are not allowed to change the database.
constraint: From now on, show me every text before you publish it.
decision: We've decided to hold the party in the garden.
decision: Let's go with the blue logo.
decision: In the end I chose the cheaper printer.
decision: We agreed to meet every second Tuesday.
decision: OK, we'll use PostgreSQL for the bookings.
decision: The team settled on the name "Nordwind".
decision: I've made up my mind: the course will take place online.
decision: We're keeping the old design.
decision: It's settled: Anna gives the talk.
decision: We opted for the train rather than the plane.
open: The invoices still have to be checked.
open: We still need to book the hall.
open: The test for the login is still failing.
open: The photos for page three are still missing.
open: The next step is the translation of the contract.
open: I haven't written the conclusion yet.
open: The answer from the insurance company is still outstanding.
open: The list of guests remains to be done.
open: We have to call the electrician tomorrow.
open: TODO: rename the columns.
none: I'm not sure whether the hall is large enough.
none: My brother never liked opera.
none: It must have been cold up there.
none: Do we have to pay for parking?
none: The weather was lovely at the weekend.
none: The meeting took longer than planned.
none: We haven't decided on a color yet.
none: Could you explain how the cache works?
none: She always sings in the car.
none: The new office is close to the station.
constraint: The report must not be longer than three pages.
constraint: Nobody except Mia may see the salaries.
constraint: Keep the headline exactly as it is.
constraint: You must never restart the server during the day.
constraint: Please use only pictures that we took ourselves.
decision: We're going with the smaller bus.
decision: I've decided to sell the boat.
decision: The board agreed on a fee of 40 euros.
decision: OK, so the green tiles it is.
decision: We have chosen the hotel by the lake.
open: The roof still has to be repaired.
open: I still have to answer the tax office.
open: We don't have a speaker for the opening yet.
open: The export isn't finished yet.
open: Still missing: the signature of the landlord.
none: I would have liked a bigger kitchen.
none: My grandmother always baked on Saturdays.
none: The road was closed because of the snow.
none: Have you ever been to Lisbon?
none: It must be nice to live by the sea.
none: The train was on time today.`,
  german: `
constraint: Schick bitte nie Mails an Kunden, ohne mich vorher zu fragen.
constraint: Die Startseite muss in weniger als zwei Sekunden geladen sein.
constraint: Benutz keine externen Bibliotheken.
constraint: Schreib nur in den Ordner "entwuerfe".
constraint: Alle Beträge müssen in Euro angezeigt werden.
constraint: Ich bin gegen Nüsse allergisch.
constraint: Das Budget darf 500 Euro nicht überschreiten.
constraint: Antworte immer in kurzen Sätzen.
constraint: Du darfst die Datenbank nicht verändern.
constraint: Zeig mir ab jetzt jeden Text, bevor du ihn veröffentlichst.
decision: Wir haben beschlossen, im Garten zu feiern.
decision: Lass uns das blaue Logo nehmen.
decision: Am Ende habe ich mich für den billigeren Drucker entschieden.
decision: Wir sind übereingekommen, uns jeden zweiten Dienstag zu treffen.
decision: Okay, für die Buchungen verwenden wir PostgreSQL.
decision: Das Team hat sich auf den Namen "Nordwind" festgelegt.
decision: Mein Entschluss steht fest: Der Kurs findet online statt.
decision: Wir behalten das alte Design.
decision: Es ist abgemacht: Anna hält den Vortrag.
decision: Wir fahren mit dem Zug statt zu fliegen, so haben wir es ausgemacht.
open: Die Rechnungen müssen noch kontrolliert werden.
open: Wir müssen noch den Saal buchen.
open: Der Test für das Login schlägt immer noch fehl.
open: Für Seite drei fehlen noch die Fotos.
open: Der nächste Schritt ist die Übersetzung des Vertrags.
open: Das Fazit habe ich noch nicht geschrieben.
open: Die Antwort der Versicherung steht noch aus.
open: Übrig ist noch die Gästeliste.
open: Wir müssen morgen den Elektriker anrufen.
open: TODO: die Spalten umbenennen.
none: Ich bin nicht sicher, ob der Saal groß genug ist.
none: Mein Bruder mochte Opern nie.
none: Dort oben muss es kalt gewesen sein.
none: Müssen wir fürs Parken bezahlen?
none: Das Wetter war am Wochenende herrlich.
none: Die Sitzung hat länger gedauert als geplant.
none: Auf eine Farbe haben wir uns noch nicht geeinigt.
none: Kannst du erklären, wie der Cache funktioniert?
none: Sie singt immer im Auto.
none: Das neue Büro liegt in der Nähe vom Bahnhof.
constraint: Der Bericht darf nicht länger als drei Seiten sein.
constraint: Außer Mia darf niemand die Gehälter sehen.
constraint: Lass die Überschrift genau so, wie sie ist.
constraint: Den Server darfst du tagsüber nie neu starten.
constraint: Verwende bitte nur Bilder, die wir selbst aufgenommen haben.
decision: Wir entscheiden uns für den kleineren Bus.
decision: Ich habe mich entschlossen, das Boot zu verkaufen.
decision: Der Vorstand hat sich auf einen Beitrag von 40 Euro geeinigt.
decision: Gut, dann also die grünen Fliesen.
decision: Wir haben das Hotel am See ausgewählt.
open: Das Dach muss noch repariert werden.
open: Ich muss dem Finanzamt noch antworten.
open: Für die Eröffnung haben wir noch keinen Redner.
open: Der Export ist noch nicht fertig.
open: Es fehlt noch die Unterschrift des Vermieters.
none: Ich hätte gern eine größere Küche gehabt.
none: Meine Großmutter hat samstags immer gebacken.
none: Die Straße war wegen des Schnees gesperrt.
none: Warst du schon einmal in Lissabon?
none: Es muss schön sein, am Meer zu wohnen.
none: Der Zug war heute pünktlich.`,
  spanish: `
constraint: Por favor, no mandes nunca correos a los clientes sin preguntarme antes.
constraint: La página de inicio tiene que cargar en menos de dos segundos.
constraint: No uses ninguna biblioteca externa.
constraint: Escribe solo en la carpeta "borradores".
constraint: Todos los importes deben mostrarse en euros.
constraint: Soy alérgico a las nueces.
constraint: El presupuesto no puede superar los 500 euros.
constraint: Contesta siempre con frases cortas.
constraint: No tienes permiso para cambiar la base de datos.
constraint: A partir de ahora, enséñame cada texto antes de publicarlo.
decision: Hemos decidido hacer la fiesta en el jardín.
decision: Quedémonos con el logo azul.
decision: Al final elegí la impresora más barata.
decision: Acordamos reunirnos un martes sí y otro no.
decision: Vale, usaremos PostgreSQL para las reservas.
decision: El equipo se decidió por el nombre "Nordwind".
decision: Está decidido: el curso será en línea.
decision: Mantenemos el diseño antiguo.
decision: Ya está acordado: Ana da la charla.
decision: Optamos por el tren en vez del avión.
open: Todavía hay que revisar las facturas.
open: Aún tenemos que reservar la sala.
open: La prueba del inicio de sesión sigue fallando.
open: Faltan las fotos de la página tres.
open: El siguiente paso es la traducción del contrato.
open: Todavía no he escrito la conclusión.
open: La respuesta del seguro sigue pendiente.
open: Queda por hacer la lista de invitados.
open: Mañana tenemos que llamar al electricista.
open: Por hacer: cambiar el nombre de las columnas.
none: No estoy seguro de que la sala sea bastante grande.
none: A mi hermano nunca le gustó la ópera.
none: Tuvo que hacer mucho frío allí arriba.
none: ¿Hay que pagar el aparcamiento?
none: El fin de semana hizo un tiempo estupendo.
none: La reunión duró más de lo previsto.
none: Todavía no hemos decidido el color.
none: ¿Puedes explicarme cómo funciona la caché?
none: Ella siempre canta en el coche.
none: La oficina nueva está cerca de la estación.
constraint: El informe no debe tener más de tres páginas.
constraint: Nadie más que Mía puede ver los sueldos.
constraint: Deja el título exactamente como está.
constraint: Nunca debes reiniciar el servidor durante el día.
constraint: Usa solo fotos que hayamos hecho nosotros.
decision: Nos quedamos con el autobús más pequeño.
decision: He decidido vender el barco.
decision: La junta acordó una cuota de 40 euros.
decision: Bien, entonces los azulejos verdes.
decision: Hemos elegido el hotel junto al lago.
open: Todavía hay que reparar el tejado.
open: Aún tengo que contestar a Hacienda.
open: Todavía no tenemos ponente para la inauguración.
open: La exportación todavía no está terminada.
open: Falta la firma del propietario.
none: Me habría gustado una cocina más grande.
none: Mi abuela siempre horneaba los sábados.
none: La carretera estaba cortada por la nieve.
none: ¿Has estado alguna vez en Lisboa?
none: Debe de ser bonito vivir junto al mar.
none: El tren llegó hoy a su hora.`,
  french: `
constraint: N'envoie jamais de mails aux clients sans me demander avant, s'il te plaît.
constraint: La page d'accueil doit se charger en moins de deux secondes.
constraint: N'utilise aucune bibliothèque externe.
constraint: Écris uniquement dans le dossier « brouillons ».
constraint: Tous les montants doivent être affichés en euros.
constraint: Je suis allergique aux noix.
constraint: Le budget ne doit pas dépasser 500 euros.
constraint: Réponds toujours avec des phrases courtes.
constraint: Tu n'as pas le droit de modifier la base de données.
constraint: À partir de maintenant, montre-moi chaque texte avant de le publier.
decision: Nous avons décidé de faire la fête dans le jardin.
decision: Prenons le logo bleu.
decision: Finalement, j'ai choisi l'imprimante la moins chère.
decision: Nous avons convenu de nous voir un mardi sur deux.
decision: D'accord, on utilisera PostgreSQL pour les réservations.
decision: L'équipe s'est arrêtée sur le nom « Nordwind ».
decision: Ma décision est prise : le cours aura lieu en ligne.
decision: On garde l'ancien design.
decision: C'est entendu : Anna fait l'exposé.
decision: Nous avons opté pour le train plutôt que l'avion.
open: Il faut encore vérifier les factures.
open: Nous devons encore réserver la salle.
open: Le test de connexion échoue toujours.
open: Il manque encore les photos de la page trois.
open: La prochaine étape est la traduction du contrat.
open: Je n'ai pas encore écrit la conclusion.
open: La réponse de l'assurance se fait toujours attendre.
open: Il reste à faire la liste des invités.
open: Demain, nous devons appeler l'électricien.
open: À faire : renommer les colonnes.
none: Je ne suis pas sûr que la salle soit assez grande.
none: Mon frère n'a jamais aimé l'opéra.
none: Il a dû faire froid là-haut.
none: Est-ce qu'il faut payer le parking ?
none: Il a fait un temps magnifique ce week-end.
none: La réunion a duré plus longtemps que prévu.
none: Nous n'avons pas encore choisi de couleur.
none: Peux-tu m'expliquer comment fonctionne le cache ?
none: Elle chante toujours dans la voiture.
none: Le nouveau bureau est près de la gare.
constraint: Le rapport ne doit pas dépasser trois pages.
constraint: Personne sauf Mia ne peut voir les salaires.
constraint: Laisse le titre exactement tel quel.
constraint: Tu ne dois jamais redémarrer le serveur pendant la journée.
constraint: Utilise uniquement des photos que nous avons prises nous-mêmes.
decision: Nous prenons le petit bus.
decision: J'ai décidé de vendre le bateau.
decision: Le comité s'est mis d'accord sur une cotisation de 40 euros.
decision: Bon, alors les carreaux verts.
decision: Nous avons choisi l'hôtel au bord du lac.
open: Il faut encore réparer le toit.
open: Je dois encore répondre aux impôts.
open: Nous n'avons pas encore d'orateur pour l'inauguration.
open: L'export n'est pas encore terminé.
open: Il manque la signature du propriétaire.
none: J'aurais aimé une cuisine plus grande.
none: Ma grand-mère faisait toujours des gâteaux le samedi.
none: La route était fermée à cause de la neige.
none: Es-tu déjà allé à Lisbonne ?
none: Ça doit être agréable de vivre au bord de la mer.
none: Le train était à l'heure aujourd'hui.`,
  portuguese: `
constraint: Por favor, nunca mande e-mails aos clientes sem me perguntar antes.
constraint: A página inicial tem que carregar em menos de dois segundos.
constraint: Não use nenhuma biblioteca externa.
constraint: Escreva só na pasta "rascunhos".
constraint: Todos os valores devem aparecer em euros.
constraint: Sou alérgico a nozes.
constraint: O orçamento não pode passar de 500 euros.
constraint: Responda sempre com frases curtas.
constraint: Você não tem permissão para mudar o banco de dados.
constraint: A partir de agora, me mostre cada texto antes de publicar.
decision: Decidimos fazer a festa no jardim.
decision: Vamos ficar com o logo azul.
decision: No fim escolhi a impressora mais barata.
decision: Combinamos de nos encontrar a cada duas terças-feiras.
decision: Certo, usaremos PostgreSQL para as reservas.
decision: A equipe fechou no nome "Nordwind".
decision: Está decidido: o curso vai ser online.
decision: Vamos manter o design antigo.
decision: Ficou acertado: a Ana dá a palestra.
decision: Optamos pelo trem em vez do avião.
open: As faturas ainda precisam ser conferidas.
open: Ainda temos que reservar o salão.
open: O teste do login continua falhando.
open: Faltam as fotos da página três.
open: O próximo passo é a tradução do contrato.
open: Ainda não escrevi a conclusão.
open: A resposta da seguradora continua pendente.
open: Falta fazer a lista de convidados.
open: Amanhã temos que ligar para o eletricista.
open: A fazer: renomear as colunas.
none: Não tenho certeza se o salão é grande o bastante.
none: Meu irmão nunca gostou de ópera.
none: Devia estar muito frio lá em cima.
none: Tem que pagar o estacionamento?
none: O tempo estava lindo no fim de semana.
none: A reunião demorou mais do que o previsto.
none: Ainda não decidimos a cor.
none: Você pode explicar como funciona o cache?
none: Ela sempre canta no carro.
none: O escritório novo fica perto da estação.
constraint: O relatório não deve ter mais de três páginas.
constraint: Ninguém além da Mia pode ver os salários.
constraint: Deixe o título exatamente como está.
constraint: Você nunca deve reiniciar o servidor durante o dia.
constraint: Use somente fotos que nós mesmos tiramos.
decision: Ficamos com o ônibus menor.
decision: Decidi vender o barco.
decision: A diretoria concordou com uma taxa de 40 euros.
decision: Bom, então os azulejos verdes.
decision: Escolhemos o hotel à beira do lago.
open: Ainda é preciso consertar o telhado.
open: Ainda tenho que responder à Receita.
open: Ainda não temos palestrante para a abertura.
open: A exportação ainda não está pronta.
open: Falta a assinatura do proprietário.
none: Eu teria gostado de uma cozinha maior.
none: Minha avó sempre assava bolos aos sábados.
none: A estrada estava fechada por causa da neve.
none: Você já esteve em Lisboa?
none: Deve ser bom morar perto do mar.
none: O trem chegou na hora hoje.`,
  chinese: `
constraint: 没有先问过我，千万不要给客户发邮件。
constraint: 首页必须在两秒内加载完。
constraint: 不要用任何外部库。
constraint: 只能写在“草稿”文件夹里。
constraint: 所有金额都要用欧元显示。
constraint: 我对坚果过敏。
constraint: 预算不能超过500欧元。
constraint: 回答一律用短句。
constraint: 你不可以改数据库。
constraint: 从现在起，每篇文章发布之前都要先给我看。
decision: 我们决定在花园里办聚会。
decision: 就用蓝色的标志吧。
decision: 最后我选了便宜的那台打印机。
decision: 我们说好每隔一周的星期二见面。
decision: 好，预订数据就用 PostgreSQL。
decision: 团队把名字定为“北风”。
decision: 我想好了：课程改成线上。
decision: 我们保留旧的设计。
decision: 已经说定了，由安娜来演讲。
decision: 我们选择坐火车，不坐飞机。
open: 发票还需要核对。
open: 我们还要订会场。
open: 登录的测试还是失败。
open: 第三页的照片还没有。
open: 下一步是翻译合同。
open: 结论我还没写。
open: 保险公司的答复还没来。
open: 剩下客人名单还没做。
open: 明天得给电工打电话。
open: 待办：重命名这些列。
none: 我不确定会场够不够大。
none: 我哥哥从来不喜欢歌剧。
none: 上面当时一定很冷。
none: 停车要付钱吗？
none: 周末的天气真好。
none: 会议比计划的时间长。
none: 颜色我们还没决定。
none: 你能解释一下缓存是怎么工作的吗？
none: 她在车里总是唱歌。
none: 新办公室离车站很近。
constraint: 报告不能超过三页。
constraint: 除了米娅，谁都不许看工资。
constraint: 标题请保持原样不变。
constraint: 白天绝对不要重启服务器。
constraint: 只能用我们自己拍的照片。
decision: 我们选小一点的那辆车。
decision: 我决定把船卖掉。
decision: 理事会商定会费为40欧元。
decision: 好，那就绿色的瓷砖。
decision: 我们选了湖边的酒店。
open: 屋顶还需要修。
open: 我还得给税务局回信。
open: 开幕式还没有找到演讲人。
open: 导出功能还没完成。
open: 还缺房东的签字。
none: 我本来想要一个大一点的厨房。
none: 我奶奶星期六总是烤蛋糕。
none: 因为下雪，那条路封了。
none: 你去过里斯本吗？
none: 住在海边一定很舒服。
none: 今天火车很准时。`,
  japanese: `
constraint: 私に聞かずにお客様へメールを送らないでください。
constraint: トップページは2秒以内に表示されなければなりません。
constraint: 外部ライブラリは使わないでください。
constraint: 「下書き」フォルダーにだけ書いてください。
constraint: 金額はすべてユーロで表示すること。
constraint: 私はナッツアレルギーです。
constraint: 予算は500ユーロを超えてはいけません。
constraint: いつも短い文で答えてください。
constraint: データベースを変更してはいけません。
constraint: これからは、公開する前に必ず文章を見せてください。
decision: パーティーは庭で開くことに決めました。
decision: 青いロゴにしましょう。
decision: 結局、安いほうのプリンターを選びました。
decision: 隔週の火曜日に会うことになりました。
decision: では、予約にはPostgreSQLを使います。
decision: チームは名前を「北風」に決定しました。
decision: 決心しました。講座はオンラインで行います。
decision: 古いデザインのままにします。
decision: 話はまとまりました。発表はアンナがします。
decision: 飛行機ではなく電車にしました。
open: 請求書をまだ確認しなければなりません。
open: まだ会場を予約する必要があります。
open: ログインのテストがまだ失敗しています。
open: 3ページの写真がまだありません。
open: 次のステップは契約書の翻訳です。
open: 結論はまだ書いていません。
open: 保険会社の返事がまだ来ていません。
open: 残りは招待客のリストです。
open: 明日、電気屋に電話しないといけません。
open: TODO: 列の名前を変える。
none: 会場が十分広いかどうかわかりません。
none: 兄はオペラが好きではありませんでした。
none: 上は寒かったにちがいない。
none: 駐車場は有料ですか？
none: 週末はいい天気でした。
none: 会議は予定より長くかかりました。
none: 色はまだ決まっていません。
none: キャッシュの仕組みを説明してもらえますか？
none: 彼女は車の中でいつも歌います。
none: 新しい事務所は駅に近いです。
constraint: 報告書は3ページを超えないこと。
constraint: ミア以外は誰も給料を見てはいけません。
constraint: 見出しはそのまま残してください。
constraint: 昼間は絶対にサーバーを再起動しないでください。
constraint: 自分たちで撮った写真だけを使ってください。
decision: 小さいほうのバスにします。
decision: 船を売ることにしました。
decision: 理事会は会費を40ユーロに決めました。
decision: では、緑のタイルでいきましょう。
decision: 湖のそばのホテルを選びました。
open: 屋根をまだ直さなければなりません。
open: 税務署にまだ返事をしていません。
open: 開会式の講演者がまだ決まっていません。
open: エクスポートはまだ終わっていません。
open: 大家さんの署名が足りません。
none: もっと大きな台所がよかったです。
none: 祖母は土曜日にいつもケーキを焼いていました。
none: 雪で道が閉まっていました。
none: リスボンに行ったことがありますか？
none: 海のそばに住むのは楽しいでしょうね。
none: 今日は電車が時間どおりでした。`,
} as const;
