/**
 * Conversations in seven languages in which the user changes course, each part written before the code was tried on it:
 * `fresh` after the rules had been mended with the other two. Scripts are written as in `goal-talks.ts`.
 */
export const COURSE_TALKS: Readonly<Record<"built" | "heldOut" | "fresh", Readonly<Record<string, string>>>> = {
  built: {
    "a provider that turns out to be unsuitable": `
      U We need to send invoices by mail from the booking tool. Wire it up.
      C npm i mailer
      A Which provider should send them?
      U Take Mailjet.
      C edit
      A Mailjet is configured.
      U Mailjet blocks attachments over 3 MB, so scrap that and use Postmark.
      C edit
      A Postmark is configured.
      =>
      goal: invoices by mail
      not decided: Take Mailjet`,
    "a bug in the middle of a feature": `
      U Implement saved searches for the catalog page.
      C ls
      A I added the table.
      U Wait, the catalog page throws a 500 right now. Fix that before you go on.
      C tail log
      A Fixed: a column was missing in the query.
      U Thanks. Now continue with the saved searches.
      C edit
      A Adding the form.
      =>
      goal: saved searches`,
    "a wish that is withdrawn in the same breath": `
      U Prepare the slides for Thursday's board meeting.
      A Which topics?
      U Add a slide about the parking lot. Oh, never mind, the board knows about the parking lot.
      A Left out.
      =>
      goal: slides for Thursday`,
    "two decisions, one of them reversed later": `
      U Let's settle the details of the summer camp.
      A Where shall it be?
      U We decided to camp at Lake Orta.
      A Noted.
      U We also decided that each child pays 120 euros.
      A Noted.
      U Lake Orta is fully booked, so we'll camp at Lake Mergozzo.
      A Noted.
      =>
      decided: 120 euros
      not decided: camp at Lake Orta`,
    "three nested tasks": `
      U Migrate the newsletter from the old server to the new one.
      C ssh
      A The new server has no disk space left.
      U Then clean up the disk of the new server first.
      C du
      A The logs take 80 percent.
      U Before you delete anything, back up the logs to the archive.
      C tar
      A The logs are in the archive.
      U OK, delete them.
      C rm
      A Deleted; the disk of the new server has 60 GB free.
      U Then go ahead with the newsletter.
      C rsync
      A Copying.
      =>
      goal: Migrate the newsletter`,
    "an item that somebody else did": `
      U Collect what is left before the exhibition opens.
      A OK.
      U We still need to print the labels.
      A Noted.
      U We still need to hang the spotlights.
      A Noted.
      U Greta printed the labels this morning.
      A Great.
      =>
      open: hang the spotlights
      not open: print the labels`,
    "a rule that the user relaxes": `
      U Do not touch the files under legacy.
      C ls
      A Understood.
      U Rename the helper everywhere else.
      C sed
      A One use is left, in legacy/report.php.
      U Fine, you may change the files under legacy.
      C sed
      A Changed.
      =>
      not rule: touch the files under legacy`,
    "a question changes nothing": `
      U Write a parser for the sensor protocol.
      C ls
      A Started with the header.
      U How many bytes does the header have?
      A Twelve.
      U Is the checksum part of it?
      A Yes, the last two bytes.
      =>
      goal: parser for the sensor protocol`,
    "eine Entscheidung wird umgestoßen": `
      U Hilf mir, die Küche zu planen.
      A Gern.
      U Wir haben uns für die Arbeitsplatte aus Eiche entschieden.
      A Notiert.
      U Die Arbeitsplatte aus Eiche ist doch zu teuer, wir nehmen Linoleum.
      A Notiert.
      =>
      not decided: Arbeitsplatte aus Eiche entschieden`,
    "ein neuer Auftrag nach einem erledigten": `
      U Bitte korrigiere die Rechtschreibung im Vereinsbrief.
      A Erledigt, ich habe elf Fehler korrigiert.
      U Danke! Schreib jetzt bitte eine Einladung zum Sommerfest.
      A Hier ist ein Entwurf.
      =>
      goal: Einladung zum Sommerfest`,
    olvídalo: `
      U Necesito un plan de comidas para la semana.
      A ¿Cuántas personas?
      U Busca también una receta de paella.
      A Aquí tienes una.
      U Olvida la paella, a mi hija no le gusta el arroz.
      A De acuerdo.
      =>
      goal: plan de comidas`,
    "une tâche abandonnée": `
      U Aide-moi à organiser le déménagement de l'association.
      A D'accord.
      U Il faut encore réserver une camionnette.
      A Noté.
      U Il faut encore prévenir le propriétaire.
      A Noté.
      U La camionnette est réservée.
      A Parfait.
      =>
      open: prévenir le propriétaire
      not open: réserver une camionnette`,
    "uma decisão trocada": `
      U Vamos organizar a festa da escola.
      A Certo.
      U Decidimos fazer a festa no ginásio.
      A Anotado.
      U Mudança de planos: a festa vai ser no jardim, não no ginásio.
      A Anotado.
      =>
      not decided: Decidimos fazer a festa no ginásio`,
    "中文：换了任务": `
      U 请帮我把用户手册翻译成英文。
      A 已经翻译完了。
      U 谢谢。现在请写一份发布说明。
      A 正在写。
      =>
      goal: 发布说明`,
    "日本語：決定の変更": `
      U 合宿の計画を手伝ってください。
      A はい。
      U 宿は山田旅館に決めました。
      A わかりました。
      U やっぱり山田旅館はやめて、湖畔ホテルにします。
      A わかりました。
      =>
      not decided: 宿は山田旅館に決めました`,
    "a constraint that becomes stricter": `
      U Write the text for the museum flyer.
      A A draft.
      U It must not be longer than 200 words.
      A Shortened.
      U Make that 120 words at most.
      A Shortened again.
      =>
      goal: museum flyer
      rule: 120 words`,
    "a plan of the assistant that the user rejects": `
      U The nightly report takes four hours. Make it faster.
      C explain
      A I will add an index on orders.created_at and move the report to a materialized view.
      U No materialized view please, only the index.
      C psql
      A The index is there; the report takes 20 minutes.
      =>
      not decided: move the report to a materialized view`,
    "thanks that end everything": `
      U Find out why the sitemap lists deleted pages.
      C grep sitemap
      A It reads a cached list; I removed the cache, and the sitemap is right now.
      U Wonderful, that was all for today.
      =>
      goal: none`,
  },
  heldOut: {
    "a library that is replaced": `
      U Build the export of the members' list.
      C ls
      A As which kind of file?
      U Excel, with the library exceljs.
      C npm i exceljs
      A Installed.
      U exceljs is unmaintained, drop it and write plain CSV.
      C npm rm exceljs
      A The export writes CSV.
      =>
      goal: export of the members' list
      not decided: with the library exceljs`,
    "an interruption by an outage": `
      U Translate the settings page into Polish.
      C edit
      A Half of the strings are translated.
      U Sorry to interrupt: customers cannot log in. Please look into it immediately.
      C curl
      A The certificate expired; I renewed it and the login works.
      U Phew. OK, go on with the Polish translation.
      C edit
      A Continuing.
      =>
      goal: settings page into Polish`,
    "an interruption that is still going on": `
      U Translate the settings page into Polish.
      C edit
      A Half of the strings are translated.
      U Sorry to interrupt: please find out first why customers cannot log in.
      C curl
      A Looking at the certificate.
      =>
      goal: settings page into Polish / customers cannot log in`,
    "an idea that is dropped": `
      U I'm writing a crime novel set in Trieste.
      A Lovely.
      U Could you outline a chapter in which the inspector visits Venice?
      A Here is an outline.
      U I don't like the Venice chapter, let's drop it.
      A Dropped.
      =>
      goal: crime novel`,
    "a vote that is repeated": `
      U These are the minutes of the allotment club.
      A OK.
      U We voted to raise the fee to 30 euros.
      A Noted.
      U We voted to buy a shared shredder.
      A Noted.
      U The vote on the fee was repeated, it stays at 25 euros.
      A Noted.
      =>
      decided: shared shredder
      not decided: raise the fee to 30`,
    "an item that is no longer needed": `
      U Keep a list of what is missing for the audit.
      A Sure.
      U We still have to scan the contracts of 2019.
      A Noted.
      U We still have to ask the bank for the balance.
      A Noted.
      U The auditor does not need the contracts of 2019 anymore.
      A Good.
      =>
      open: ask the bank
      not open: scan the contracts of 2019`,
    "a rule that is withdrawn": `
      U Never merge without a second review.
      C git
      A Understood.
      U Open a pull request for the color fix.
      C gh
      A Opened.
      U The rule about the second review no longer applies.
      C gh
      A OK.
      =>
      not rule: merge without a second review`,
    "the answer to a question of the assistant": `
      U Set up monitoring for the print server.
      C ls
      A Shall I alert by mail or by text message?
      U By mail. And only during office hours.
      C edit
      A Configured.
      U How often does it check?
      A Every five minutes.
      =>
      goal: monitoring for the print server`,
    "a second project beside the first": `
      U I want to learn enough Swedish to read the news by autumn.
      A Great.
      U Make me a list of the 50 most common verbs.
      A Here it is.
      U Super. Next, write ten easy sentences with them.
      A Writing.
      =>
      goal: learn enough Swedish / ten easy sentences`,
    "zurück zur Hauptaufgabe": `
      U Baue eine Suche für die Rezeptseite.
      C ls
      A Ich habe den Index angelegt.
      U Moment, repariere zuerst den kaputten Build.
      C npm
      A Der Build läuft wieder.
      U Gut, dann weiter mit der Suche.
      C edit
      A Ich mache weiter.
      =>
      goal: Suche für die Rezeptseite`,
    "vergiss es": `
      U Wir wollen bis Mai eine neue Website für den Chor.
      A Gern.
      U Erstelle bitte ein Quiz für die Startseite.
      A Ein Entwurf.
      U Vergiss das Quiz, das braucht niemand.
      A In Ordnung.
      =>
      goal: Website für den Chor`,
    "cambio de decisión": `
      U Ayúdame a elegir el color de la fachada.
      A Claro.
      U Decidimos pintar la fachada de amarillo.
      A Anotado.
      U Al final no la pintamos de amarillo, la fachada será blanca.
      A Anotado.
      =>
      not decided: Decidimos pintar la fachada de amarillo`,
    "une nouvelle demande": `
      U Corrige les fautes dans la lettre au maire, s'il te plaît.
      A C'est fait, j'ai corrigé sept fautes.
      U Merci ! Maintenant, rédige un résumé de la réunion.
      A Voici une première version.
      =>
      goal: résumé de la réunion`,
    "tarefa concluída": `
      U Ainda precisamos de comprar as tintas.
      A Anotado.
      U Ainda precisamos de reservar o salão.
      A Anotado.
      U As tintas já foram compradas.
      A Ótimo.
      =>
      open: reservar o salão
      not open: comprar as tintas`,
    "中文：决定被推翻": `
      U 我们来讨论一下年会。
      A 好的。
      U 我们决定在香格里拉酒店办年会。
      A 记下了。
      U 香格里拉酒店太贵了，改在公司食堂办年会。
      A 记下了。
      =>
      not decided: 决定在香格里拉酒店`,
    "日本語：次の依頼": `
      U 議事録を英語に翻訳してください。
      A 翻訳しました。
      U ありがとう。次は、来週の予定表を作ってください。
      A 作成中です。
      =>
      goal: 予定表を作って`,
    "a target that changes": `
      U The landing page must load in under three seconds.
      C lighthouse
      A It takes five.
      U The requirement is now two seconds, marketing insists.
      C edit
      A OK.
      =>
      not rule: under three seconds`,
    "a request that the user takes over": `
      U Help me with the paperwork of the new apartment.
      A Sure.
      U TODO: register with the electricity company.
      A Noted.
      U TODO: terminate the old internet contract.
      A Noted.
      U I'll leave the internet contract as it is, my sister takes it over.
      A OK.
      =>
      open: electricity company
      not open: terminate the old internet contract`,
  },
  fresh: {
    "a cheaper offer": `
      U Help me organize the street party.
      A Sure.
      U We decided to rent the tables from Kessler.
      A Noted.
      U We decided to start at 4 pm.
      A Noted.
      U Kessler raised the price, so the tables come from the fire brigade.
      A Noted.
      =>
      decided: start at 4 pm
      not decided: rent the tables from Kessler`,
    "a side task that is done": `
      U Write the user guide for the label printer.
      C ls
      A Chapter one is written.
      U By the way, can you check whether the download link works?
      C curl
      A It works.
      U Great. Let's get on with the user guide.
      C edit
      A Writing chapter two.
      =>
      goal: user guide for the label printer`,
    "a colleague takes an item": `
      U Let's list what the release still needs.
      A OK.
      U We still need to write the changelog.
      A Noted.
      U We still need to sign the installer.
      A Noted.
      U Pavel wrote the changelog over lunch.
      A Nice.
      =>
      open: sign the installer
      not open: write the changelog`,
    "a looser limit": `
      U Design a poster for the flea market.
      A OK.
      U Use at most 3 colors.
      A OK.
      U Actually 5 colors are fine.
      A OK.
      =>
      goal: poster for the flea market
      not rule: at most 3 colors`,
    "the end of the day": `
      U Please look up when the tax office is open.
      A From 8 to 12.
      U Thank you, that's everything for today.
      A Bye.
      =>
      goal: none`,
    "eine Notiz ist überholt": `
      U Wir planen den Ausflug der Klasse.
      A Gern.
      U Wir haben beschlossen, mit dem Zug zu fahren.
      A Notiert.
      U Der Zug fällt aus, wir fahren mit dem Bus.
      A Notiert.
      =>
      not decided: mit dem Zug zu fahren`,
    "noch offen und erledigt": `
      U Wir müssen noch die Getränke bestellen.
      A Notiert.
      U Wir müssen noch den Saal schmücken.
      A Notiert.
      U Die Getränke sind bestellt.
      A Gut.
      =>
      open: Saal schmücken
      not open: Getränke bestellen`,
    "otra tarea": `
      U Por favor, traduce el menú al inglés.
      A Hecho, está traducido.
      U Perfecto, gracias. Ahora prepara una lista de alérgenos.
      A Preparando.
      =>
      goal: lista de alérgenos`,
    "retour à la tâche": `
      U Écris un guide pour les bénévoles du festival.
      C edit
      A Premier chapitre écrit.
      U Attends, vérifie d'abord la date du concert.
      C cat
      A Le 12 juillet.
      U Merci. Revenons au guide des bénévoles.
      C edit
      A Je continue.
      =>
      goal: guide pour les bénévoles`,
    esquece: `
      U Quero organizar uma exposição de fotografia em setembro.
      A Ótimo.
      U Escreve um poema para o convite.
      A Aqui está.
      U Esquece o poema, fica melhor sem.
      A Certo.
      =>
      goal: exposição de fotografia`,
    "中文：待办完成": `
      U 我们还要订酒店。
      A 好的。
      U 我们还要买门票。
      A 好的。
      U 酒店已经订好了。
      A 好的。
      =>
      open: 买门票
      not open: 订酒店`,
    "日本語：話を戻す": `
      U 新しいホームページを作ってください。
      C edit
      A トップページを作りました。
      U 先にログインの不具合を調べてください。
      C curl
      A 直りました。
      U ありがとう。ホームページの続きをお願いします。
      C edit
      A 続けます。
      =>
      goal: 新しいホームページ`,
    "a choice of the group": `
      U We are four people and look for a board game evening.
      A OK.
      U The group picked Catan.
      A Noted.
      U Two of us know Catan by heart, so we play Azul instead.
      A Noted.
      =>
      not decided: picked Catan`,
  },
};
