/**
 * Short conversations in which something is withdrawn, nested or replaced, in seven languages. Written before the code
 * was tried on them: of 60, 40 were right at first. Left out are seven that are still wrong. Scripts are written as in
 * `goal-talks.ts`.
 */
export const CHANGED_TALKS: Readonly<Record<string, string>> = {
  "never mind: a question of the user": `
    U Refactor the invoice parser so that it streams.
    C edit
    A Halfway through.
    U Could you also add CSV support? Never mind, I'll do that myself next month.
    A OK, only streaming.
    =>
    goal: invoice parser
    not open: CSV support`,
  "never mind: a whole task": `
    U Create a landing page for the spring sale.
    C edit
    A The header is done.
    U Never mind the landing page, marketing bought a template.
    A Stopped.
    =>
    goal: none`,
  "never mind: an item of the list": `
    U TODO: order new chairs.
    A Noted.
    U TODO: repaint the hallway.
    A Noted.
    U Never mind the chairs, we found some in the attic.
    A Fine.
    =>
    open: repaint the hallway
    not open: order new chairs`,
  "never mind: a rule": `
    U Always send me a draft before you publish.
    A OK.
    U Write the post about the harvest.
    C edit
    A Draft sent.
    U You don't have to send me drafts anymore.
    A OK.
    =>
    goal: post about the harvest
    not rule: draft before you publish`,
  "never mind: a change of mind about a tool": `
    U Let's use Terraform for the servers.
    A OK.
    U Hmm, no, forget Terraform. Ansible is enough.
    A OK.
    =>
    not decided: use Terraform`,
  "never mind: a misunderstanding": `
    U Write unit tests for the tax module.
    C edit
    A Which edge cases?
    U Negative amounts. Actually ignore that, they can't occur.
    A Ignored.
    =>
    goal: unit tests for the tax module`,
  "never mind: back to before": `
    U Translate the handbook into Dutch.
    C edit
    A Chapter one is translated.
    U Also make a glossary.
    A Starting the glossary.
    U Drop the glossary, just finish the translation.
    A OK.
    =>
    goal: handbook into Dutch`,
  "never mind: an appointment": `
    U We still need to call the plumber.
    A Noted.
    U We still need to pay the deposit.
    A Noted.
    U No need to call the plumber anymore, the leak stopped.
    A Good.
    =>
    open: pay the deposit
    not open: call the plumber`,
  "never mind: a decision in two steps": `
    U We decided to go camping in Wales.
    A Nice.
    U The weather looks awful, so no camping. We stay home.
    A OK.
    =>
    not decided: camping in Wales`,
  "nested: a failing test first": `
    U Add pagination to the orders list.
    C edit
    A Added the query.
    U The build is red. Can you fix that first?
    C npm run build
    A The build is green again.
    U Good, go on with the pagination.
    A Going on.
    =>
    goal: pagination to the orders list`,
  "nested: a question in between": `
    U Build a scraper for the timetable site.
    C edit
    A The parser works.
    U Quick question: which Python version do we have?
    C python --version
    A 3.12.
    U Ok. And the scraper, does it handle holidays?
    A Not yet.
    =>
    goal: scraper for the timetable`,
  "nested: two levels, both done": `
    U Move the shop to the new payment provider.
    C edit
    A The checkout needs a new currency helper.
    U Then write that helper first.
    C edit
    A It needs tests.
    U Yes, write tests for the helper before you continue.
    C npm test
    A All tests of the helper pass. The helper is finished.
    U Great, back to the payment provider.
    A OK.
    =>
    goal: new payment provider`,
  "nested: still inside": `
    U Set up the staging environment.
    C ssh
    A The certificate expired.
    U Renew the certificate before anything else.
    C certbot
    A Working on it.
    =>
    goal: staging environment / Renew the certificate`,
  "nested: an urgent bug": `
    U Redesign the settings screen.
    C edit
    A First sketch is ready.
    U Urgent: customers can't log in. Look into that right away.
    C tail
    A The session table is full.
    U OK, clean it up, then return to the settings screen.
    C psql
    A Cleaned up. Back at the settings screen.
    =>
    goal: Redesign the settings screen`,
  "nested: a new errand after the old one": `
    U Convert the logo to SVG.
    C inkscape
    A Done, logo.svg is written.
    U Thanks! Now compress the photos in the gallery.
    C mogrify
    A Compressing.
    =>
    goal: compress the photos`,
  "nested: a detour that becomes the task": `
    U Optimize the search query.
    C explain
    A The index is missing.
    U Let's leave the query for now. Please document how the index is built.
    C edit
    A Writing.
    =>
    goal: document how the index is built`,
  "nested: with a standing aim": `
    U My goal is to launch the podcast in May.
    A Good.
    U Write a script for the first episode.
    C edit
    A Done.
    U Now find music without license fees.
    C search
    A Searching.
    =>
    goal: launch the podcast / find music`,
  "nested: two requests in one message": `
    U Rename the package to orchard-core. Before that, check that the name is free on npm.
    C npm view
    A It is free.
    U Good.
    A Renaming now.
    =>
    goal: Rename the package`,
  "replaced: a date": `
    U We decided to ship on 3 June.
    A OK.
    U Shipping moves to 10 June because of the audit.
    A Noted.
    =>
    not decided: ship on 3 June`,
  "replaced: a price": `
    U The ticket must cost at most 12 euros.
    A OK.
    U The board raised the limit: tickets may cost up to 15 euros.
    A Noted.
    =>
    not rule: at most 12 euros`,
  "replaced: a color": `
    U Let's paint the door green.
    A OK.
    U The landlord only allows white for the door, so white it is.
    A OK.
    =>
    not decided: door green`,
  "replaced: a library": `
    U We'll use moment for the dates.
    C npm i moment
    A Installed.
    U moment is deprecated, switch to date-fns.
    C npm i date-fns
    A Switched.
    =>
    not decided: use moment`,
  "replaced: an owner": `
    U TODO: Omar has to order the lamps.
    A Noted.
    U Lena orders the lamps instead of Omar.
    A Noted.
    =>
    not open: Omar has to order`,
  "replaced: only one of two": `
    U We agreed on oak for the table.
    A OK.
    U We agreed on steel for the lamp.
    A OK.
    U Oak is out of stock, so the table will be ash.
    A OK.
    =>
    decided: steel for the lamp
    not decided: oak for the table`,
  "replaced: a rule becomes stricter": `
    U Functions must not be longer than 40 lines.
    A OK.
    U Make it 25 lines from now on.
    A OK.
    =>
    not rule: longer than 40 lines`,
  "replaced: by the report": `
    U We still need to translate the footer.
    A Noted.
    U We still need to update the imprint.
    A Noted.
    C edit
    A I translated the footer.
    =>
    open: update the imprint
    not open: translate the footer`,
  "replaced: a name": `
    U The project is called Falcon, we decided.
    A OK.
    U Legal says Falcon is taken. The project is now called Heron.
    A OK.
    =>
    not decided: called Falcon`,
  "Deutsch: doch nicht": `
    U Wir haben beschlossen, die Wände gelb zu streichen.
    A Notiert.
    U Gelb gefällt Oma nicht, wir streichen die Wände doch weiß.
    A Notiert.
    =>
    not decided: Wände gelb`,
  "Deutsch: neue Grenze": `
    U Der Text darf höchstens 300 Wörter haben.
    A Gut.
    U Es dürfen jetzt 450 Wörter sein.
    A Gut.
    =>
    not rule: höchstens 300`,
  "Deutsch: vergiss es": `
    U Erstelle eine Übersicht der Lieferanten.
    C edit
    A Fast fertig.
    U Vergiss die Übersicht. Schreib stattdessen eine Mail an alle Lieferanten.
    A Mache ich.
    =>
    goal: Mail an alle Lieferanten`,
  "Deutsch: anderer Ort": `
    U Wir feiern im Gasthof Adler, das ist beschlossen.
    A Notiert.
    U Der Adler hat abgesagt, wir feiern jetzt im Gemeindehaus.
    A Notiert.
    =>
    not decided: Gasthof Adler, das`,
  "español: mejor otra": `
    U Decidimos pintar las paredes de amarillo.
    A Anotado.
    U El amarillo no le gusta a la abuela, mejor pintamos las paredes de blanco.
    A Anotado.
    =>
    not decided: paredes de amarillo`,
  "español: ya no hace falta": `
    U Todavía tenemos que limpiar la alfombra.
    A Anotado.
    U Todavía tenemos que colgar las lámparas.
    A Anotado.
    U Ya no hace falta limpiar la alfombra, la tiramos.
    A Bien.
    =>
    open: colgar las lámparas
    not open: limpiar la alfombra`,
  "español: olvídalo": `
    U Haz un resumen de los proveedores.
    C edit
    A Casi listo.
    U Olvida el resumen. Escribe un correo a todos los proveedores.
    A Ahora mismo.
    =>
    goal: correo a todos los proveedores`,
  "español: otro lugar": `
    U Celebramos en el restaurante Sol, está decidido.
    A Anotado.
    U El restaurante Sol canceló, ahora celebramos en casa.
    A Anotado.
    =>
    not decided: restaurante Sol, está`,
  "français: plutôt blanc": `
    U Nous avons décidé de peindre les murs en jaune.
    A Noté.
    U Mamie n'aime pas le jaune, on peint plutôt les murs en blanc.
    A Noté.
    =>
    not decided: murs en jaune`,
  "français: plus besoin": `
    U Il faut encore nettoyer le tapis.
    A Noté.
    U Il faut encore accrocher les lampes.
    A Noté.
    U Plus besoin de nettoyer le tapis, on le jette.
    A Bien.
    =>
    open: accrocher les lampes
    not open: nettoyer le tapis`,
  "français: nouvelle limite": `
    U Le texte doit faire au maximum 300 mots.
    A D'accord.
    U Maintenant, 450 mots sont permis.
    A D'accord.
    =>
    not rule: maximum 300`,
  "français: oublie": `
    U Fais un tableau des fournisseurs.
    C edit
    A Presque fini.
    U Oublie le tableau. Écris un courriel à tous les fournisseurs.
    A Tout de suite.
    =>
    goal: courriel à tous les fournisseurs`,
  "français: autre lieu": `
    U On fête ça à l'auberge du Lac, c'est décidé.
    A Noté.
    U L'auberge du Lac a annulé, on fête maintenant à la maison.
    A Noté.
    =>
    not decided: auberge du Lac, c'est`,
  "português: melhor branco": `
    U Decidimos pintar as paredes de amarelo.
    A Anotado.
    U A avó não gosta de amarelo, é melhor pintar as paredes de branco.
    A Anotado.
    =>
    not decided: paredes de amarelo`,
  "português: já não é preciso": `
    U Ainda temos de limpar o tapete.
    A Anotado.
    U Ainda temos de pendurar os candeeiros.
    A Anotado.
    U Já não é preciso limpar o tapete, vamos deitá-lo fora.
    A Bem.
    =>
    open: pendurar os candeeiros
    not open: limpar o tapete`,
  "português: novo limite": `
    U O texto deve ter no máximo 300 palavras.
    A Certo.
    U Agora podem ser 450 palavras.
    A Certo.
    =>
    not rule: máximo 300`,
  "português: esquece": `
    U Faz uma tabela dos fornecedores.
    C edit
    A Quase pronta.
    U Esquece a tabela. Escreve um e-mail a todos os fornecedores.
    A É para já.
    =>
    goal: e-mail a todos os fornecedores`,
  "português: outro lugar": `
    U Festejamos no restaurante Sol, está decidido.
    A Anotado.
    U O restaurante Sol cancelou, agora festejamos em casa.
    A Anotado.
    =>
    not decided: restaurante Sol, está`,
  "中文：换颜色": `
    U 我们决定把墙刷成黄色。
    A 记下了。
    U 奶奶不喜欢黄色，墙还是刷成白色吧。
    A 记下了。
    =>
    not decided: 墙刷成黄色`,
  "中文：不用了": `
    U 我们还要清洗地毯。
    A 好的。
    U 我们还要挂灯。
    A 好的。
    U 地毯不用清洗了，直接扔掉。
    A 好的。
    =>
    open: 挂灯
    not open: 清洗地毯`,
  "中文：算了": `
    U 请做一张供应商的表格。
    C edit
    A 快好了。
    U 表格算了。请给所有供应商写一封邮件。
    A 马上。
    =>
    goal: 给所有供应商写一封邮件`,
  "中文：换地方": `
    U 我们决定在太阳饭店庆祝。
    A 记下了。
    U 太阳饭店取消了，改在家里庆祝。
    A 记下了。
    =>
    not decided: 在太阳饭店庆祝。`,
  "日本語：色を変える": `
    U 壁を黄色に塗ることにしました。
    A 記録しました。
    U 祖母が黄色を嫌いなので、壁はやっぱり白に塗ります。
    A 記録しました。
    =>
    not decided: 黄色に塗ること`,
  "日本語：もう不要": `
    U カーペットの掃除がまだ残っています。
    A はい。
    U 電球の交換がまだ残っています。
    A はい。
    U カーペットの掃除はもう必要ありません、捨てます。
    A はい。
    =>
    open: 電球の交換
    not open: カーペットの掃除がまだ`,
  "日本語：やめる": `
    U 仕入先の表を作ってください。
    C edit
    A もうすぐです。
    U 表はもういいです。仕入先全員にメールを書いてください。
    A はい。
    =>
    goal: メールを書いて`,
  "日本語：場所の変更": `
    U お祝いは太陽食堂ですることに決めました。
    A 記録しました。
    U 太陽食堂がキャンセルになったので、お祝いは家でします。
    A 記録しました。
    =>
    not decided: 太陽食堂ですること`,
};
