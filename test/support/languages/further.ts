/** Further sentences in six languages, written before the code was tried on them. Same format as those of `corpus`. */
export const FURTHER = {
  german: `
constraint: Die Fotos der Kinder dürfen auf keinen Fall ins Internet.
constraint: Kürze bitte keine Zitate.
constraint: Mehr als vierzig Gäste passen nicht in den Saal.
constraint: Passwörter gehören nie in die Konfigurationsdatei.
constraint: Jede Rechnung braucht eine fortlaufende Nummer.
constraint: Rühr die Datei settings.yml nicht an.
constraint: Ohne Freigabe von Frau Lindner geht nichts raus.
decision: Das Fest findet am 14. Juni statt, das ist jetzt fix.
decision: Wir verzichten auf das Feuerwerk.
decision: Als Datenbank kommt MariaDB zum Einsatz.
decision: Die Wahl fiel auf den Standort Kassel.
decision: Wir steigen auf Gas um.
decision: Ich nehme doch das größere Zimmer.
open: Das Angebot vom Dachdecker haben wir noch nicht bekommen.
open: Bleibt noch die Frage der Versicherung zu klären.
open: Ich muss mich noch um die Visa kümmern.
open: Die Migration der Benutzer steht noch bevor.
open: Vergiss nicht, dass die Leihwagen noch bestellt werden müssen.
open: Der Fehler beim Drucken tritt weiterhin auf.
none: Früher mussten wir immer zu Fuß zur Schule.
none: Kannst du mir den Unterschied zwischen TCP und UDP erklären?
none: Der Film war länger als gedacht.
none: Meine Nachbarin redet nie viel.
date 2024-03-06 = 3 March 2024: Vor drei Tagen ist die Heizung ausgefallen.
date 2024-03-06 = around 13 March 2024: In einer Woche ziehen wir um.
date 2024-03-06 = 5 March 2024: Gestern Abend habe ich Rita getroffen.
date 2024-03-06 = 9 March 2024: Am kommenden Samstag heiratet Tim.
date 2024-03-06 = February 2024: Im letzten Monat waren wir in Graz.
recall: Wem gehört der Schlüssel zum Gartenhaus? => Den Schlüssel vom Gartenhaus hat Frau Brandt aus dem zweiten Stock.
recall: Welches Mehl verträgt Opa nicht? => Opa verträgt kein Weizenmehl, nur Dinkel.
recall: Was kostet der Stellplatz? => Für den Stellplatz zahlen wir 45 Euro im Monat.
recall: Warum haben wir den Anbieter gewechselt? => Beim alten Anbieter fiel dauernd das Telefon aus, deshalb der Wechsel.
recall: Wo steht die Bohrmaschine? => Die Bohrmaschine steht im Regal neben der Waschmaschine.`,
  spanish: `
constraint: Las fotos de los niños no pueden salir en internet bajo ningún concepto.
constraint: No recortes las citas, por favor.
constraint: En la sala no caben más de cuarenta personas.
constraint: Las contraseñas no van nunca en el fichero de configuración.
constraint: Cada factura tiene que llevar un número correlativo.
constraint: No toques el archivo settings.yml.
constraint: Sin el visto bueno de la señora Lara no se envía nada.
decision: La fiesta será el 14 de junio, ya está confirmado.
decision: Renunciamos a los fuegos artificiales.
decision: Como base de datos usaremos MariaDB.
decision: La elección recayó en la sede de Zaragoza.
decision: Nos pasamos al gas.
decision: Al final me quedo con la habitación grande.
open: Todavía no hemos recibido el presupuesto del techador.
open: Queda por aclarar el tema del seguro.
open: Aún tengo que ocuparme de los visados.
open: La migración de los usuarios está pendiente.
open: No olvides que hay que reservar los coches de alquiler.
open: El error al imprimir sigue apareciendo.
none: Antes teníamos que ir andando al colegio.
none: ¿Me puedes explicar la diferencia entre TCP y UDP?
none: La película fue más larga de lo que pensaba.
none: Mi vecina nunca habla mucho.
date 2024-03-06 = 3 March 2024: Hace tres días se estropeó la calefacción.
date 2024-03-06 = around 13 March 2024: Dentro de una semana nos mudamos.
date 2024-03-06 = 5 March 2024: Anoche me encontré con Rita.
date 2024-03-06 = 9 March 2024: El próximo sábado se casa Tim.
date 2024-03-06 = February 2024: El mes pasado estuvimos en Granada.
recall: ¿Quién tiene la llave del cobertizo? => La llave del cobertizo la guarda la señora Brandt del segundo piso.
recall: ¿Qué harina le sienta mal al abuelo? => Al abuelo le sienta mal la harina de trigo, solo tolera la espelta.
recall: ¿Cuánto cuesta la plaza de garaje? => Por la plaza de garaje pagamos 45 euros al mes.
recall: ¿Por qué cambiamos de proveedor? => Con el proveedor anterior se cortaba siempre el teléfono, por eso cambiamos.
recall: ¿Dónde está el taladro? => El taladro está en el estante al lado de la lavadora.`,
  french: `
constraint: Les photos des enfants ne doivent en aucun cas se retrouver sur internet.
constraint: Ne raccourcis pas les citations, s'il te plaît.
constraint: La salle ne peut pas accueillir plus de quarante personnes.
constraint: Les mots de passe ne vont jamais dans le fichier de configuration.
constraint: Chaque facture doit porter un numéro continu.
constraint: Ne touche pas au fichier settings.yml.
constraint: Sans l'accord de Mme Lefort, rien ne part.
decision: La fête aura lieu le 14 juin, c'est confirmé.
decision: Nous renonçons au feu d'artifice.
decision: Comme base de données, ce sera MariaDB.
decision: Le choix s'est porté sur le site de Nantes.
decision: On passe au gaz.
decision: Finalement je prends la grande chambre.
open: Nous n'avons pas encore reçu le devis du couvreur.
open: Il reste à régler la question de l'assurance.
open: Je dois encore m'occuper des visas.
open: La migration des utilisateurs reste à faire.
open: N'oublie pas qu'il faut encore réserver les voitures de location.
open: L'erreur à l'impression se produit toujours.
none: Avant, nous devions aller à l'école à pied.
none: Tu peux m'expliquer la différence entre TCP et UDP ?
none: Le film était plus long que prévu.
none: Ma voisine ne parle jamais beaucoup.
date 2024-03-06 = 3 March 2024: Il y a trois jours, le chauffage est tombé en panne.
date 2024-03-06 = around 13 March 2024: Dans une semaine, nous déménageons.
date 2024-03-06 = 5 March 2024: Hier soir, j'ai croisé Rita.
date 2024-03-06 = 9 March 2024: Tim se marie samedi prochain.
date 2024-03-06 = February 2024: Le mois dernier, nous étions à Annecy.
recall: Qui a la clé de la cabane ? => La clé de la cabane est chez Mme Brandt, au deuxième étage.
recall: Quelle farine papi ne supporte-t-il pas ? => Papi ne supporte pas la farine de blé, seulement l'épeautre.
recall: Combien coûte la place de parking ? => Pour la place de parking, nous payons 45 euros par mois.
recall: Pourquoi avons-nous changé de fournisseur ? => Chez l'ancien fournisseur, le téléphone coupait sans arrêt, d'où le changement.
recall: Où est la perceuse ? => La perceuse est sur l'étagère à côté de la machine à laver.`,
  portuguese: `
constraint: As fotos das crianças não podem de modo algum ir para a internet.
constraint: Não cortes as citações, por favor.
constraint: Na sala não cabem mais de quarenta pessoas.
constraint: As senhas nunca ficam no ficheiro de configuração.
constraint: Cada fatura tem de ter um número sequencial.
constraint: Não mexas no ficheiro settings.yml.
constraint: Sem a aprovação da dona Helena não sai nada.
decision: A festa será no dia 14 de junho, está confirmado.
decision: Abdicamos do fogo de artifício.
decision: Como base de dados vamos usar MariaDB.
decision: A escolha recaiu sobre a sede de Braga.
decision: Vamos mudar para gás.
decision: Afinal fico com o quarto maior.
open: Ainda não recebemos o orçamento do telhador.
open: Falta esclarecer a questão do seguro.
open: Ainda tenho de tratar dos vistos.
open: A migração dos utilizadores está pendente.
open: Não te esqueças de que ainda é preciso reservar os carros de aluguer.
open: O erro na impressão continua a aparecer.
none: Antigamente tínhamos de ir a pé para a escola.
none: Podes explicar a diferença entre TCP e UDP?
none: O filme foi mais longo do que eu pensava.
none: A minha vizinha nunca fala muito.
date 2024-03-06 = 3 March 2024: Há três dias o aquecimento avariou.
date 2024-03-06 = around 13 March 2024: Daqui a uma semana mudamos de casa.
date 2024-03-06 = 5 March 2024: Ontem à noite encontrei a Rita.
date 2024-03-06 = 9 March 2024: No próximo sábado casa-se o Tim.
date 2024-03-06 = February 2024: No mês passado estivemos em Évora.
recall: Quem tem a chave do barracão? => A chave do barracão está com a dona Brandt do segundo andar.
recall: Que farinha faz mal ao avô? => Ao avô faz mal a farinha de trigo, só tolera espelta.
recall: Quanto custa o lugar de garagem? => Pelo lugar de garagem pagamos 45 euros por mês.
recall: Porque mudámos de fornecedor? => Com o fornecedor antigo o telefone caía sempre, por isso mudámos.
recall: Onde está o berbequim? => O berbequim está na prateleira ao lado da máquina de lavar.`,
  chinese: `
constraint: 孩子的照片绝对不能放到网上。
constraint: 引文不要删减。
constraint: 会场最多只能坐四十个人。
constraint: 密码永远不要写进配置文件。
constraint: 每张发票都必须有连续的编号。
constraint: 别动settings.yml这个文件。
constraint: 没有李经理的批准，什么都不能发出去。
decision: 聚会定在6月14日，已经确认了。
decision: 我们放弃放烟花。
decision: 数据库就用MariaDB。
decision: 最后选了成都的办公地点。
decision: 我们改用天然气。
decision: 我还是要那个大房间。
open: 屋顶维修的报价还没收到。
open: 保险的问题还有待解决。
open: 签证我还得去办。
open: 用户数据的迁移还没做。
open: 别忘了租车还没有预订。
open: 打印时的错误仍然出现。
none: 以前我们必须走路上学。
none: 你能解释一下TCP和UDP的区别吗？
none: 电影比我想的长。
none: 我的邻居从来不多说话。
date 2024-03-06 = 3 March 2024: 三天前暖气坏了。
date 2024-03-06 = around 13 March 2024: 一周后我们搬家。
date 2024-03-06 = 5 March 2024: 昨晚我遇到了小丽。
date 2024-03-06 = 8 March 2024: 后天小明结婚。
date 2024-03-06 = February 2024: 上个月我们去了桂林。
recall: 工具房的钥匙在谁那里？ => 工具房的钥匙在二楼的王太太手里。
recall: 爷爷不能吃什么面粉？ => 爷爷不能吃小麦面粉，只能吃荞麦。
recall: 停车位多少钱？ => 停车位我们每个月付300元。
recall: 我们为什么换了运营商？ => 原来的运营商电话总是断线，所以才换的。
recall: 电钻放在哪里？ => 电钻放在洗衣机旁边的架子上。`,
  japanese: `
constraint: 子どもの写真は絶対にネットに載せないでください。
constraint: 引用は短くしないでください。
constraint: 会場には四十人までしか入れません。
constraint: パスワードは設定ファイルに書いてはいけません。
constraint: 請求書には必ず連番を付けること。
constraint: settings.ymlには触らないでください。
constraint: 佐藤さんの承認なしでは何も送れません。
decision: パーティーは6月14日に決まりました。
decision: 花火はやめることにしました。
decision: データベースはMariaDBにします。
decision: 場所は仙台を選びました。
decision: ガスに切り替えることにした。
decision: やっぱり大きい部屋にします。
open: 屋根の見積もりがまだ届いていません。
open: 保険の件はまだ解決していません。
open: ビザの手続きをしなければなりません。
open: ユーザーの移行がまだ残っています。
open: レンタカーの予約がまだなので忘れないでください。
open: 印刷のエラーがまだ出ます。
none: 昔は学校まで歩いて行かなければならなかった。
none: TCPとUDPの違いを説明してもらえますか？
none: 映画は思ったより長かった。
none: 隣の人はあまり話しません。
date 2024-03-06 = 3 March 2024: 三日前に暖房が壊れました。
date 2024-03-06 = around 13 March 2024: 一週間後に引っ越します。
date 2024-03-06 = 5 March 2024: 昨夜、理沙に会いました。
date 2024-03-06 = 8 March 2024: 明後日、健が結婚します。
date 2024-03-06 = February 2024: 先月、金沢に行きました。
recall: 物置の鍵は誰が持っていますか？ => 物置の鍵は二階のブラントさんが持っています。
recall: おじいさんはどの粉が食べられませんか？ => おじいさんは小麦粉が食べられず、そば粉だけです。
recall: 駐車場はいくらですか？ => 駐車場には毎月8000円払っています。
recall: どうして業者を変えたのですか？ => 前の業者は電話がよく切れたので変えました。
recall: ドリルはどこにありますか？ => ドリルは洗濯機の隣の棚にあります。`,
};
