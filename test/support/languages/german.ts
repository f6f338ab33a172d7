/** Two people plan a year, and an assistant repairs an export, in German. */
export const german = {
  talk: `
Petra: Guten Morgen! Wie geht es dir?
Jonas: Ganz gut, danke. Und dir?
Petra: Auch gut. Ich ziehe am {3. Mai} nach {Leipzig}.
Jonas: Ach wirklich? Das ist ja toll!
Petra: Ja, es ging alles sehr schnell.
Jonas: Hast du schon eine Wohnung?
Petra: Ja, in der {Karlstraße 14}, die Miete ist {780 Euro}.
Jonas: Das klingt gut.
Petra: Finde ich auch, und es ist schön ruhig.
Jonas: Und was macht die Arbeit?
Petra: Ich fange bei {Nordlicht} als {Bauingenieurin} an.
Jonas: Herzlichen Glückwunsch!
Petra: Danke, ich freue mich sehr.
Jonas: Ich war gestern beim Arzt, er meint, ich vertrage kein {Gluten}.
Petra: Oh nein, das tut mir leid.
Jonas: Ist schon in Ordnung, man gewöhnt sich daran.
Petra: Ja, das stimmt wohl.
Jonas: Meine Schwester {Annika} hat übrigens {Zwillinge} bekommen.
Petra: Das gibt es doch nicht!
Jonas: Doch, zwei Mädchen, sie heißen {Frieda} und {Lotte}.
Petra: Wie schön, grüß sie von mir.
Jonas: Das mache ich gern.
Petra: Wann fährst du wieder zu ihr?
Jonas: Im {August}, mit dem Zug, die Fahrkarte kostete {64,90 Euro}.
Petra: Das geht ja noch.
Jonas: Ja, ich habe früh gebucht.
Petra: Spielst du noch im Orchester?
Jonas: Ja, wir geben am {12. Oktober} ein Konzert in der {Lukaskirche}.
Petra: Da komme ich bestimmt.
Jonas: Das würde mich freuen.
Petra: Was spielt ihr denn?
Jonas: {Brahms}, die zweite Sinfonie, ich spiele jetzt {Bratsche}.
Petra: Sehr schön, ich bin gespannt.
Jonas: Ich auch, wir üben viel.
Petra: Mein Auto ist kaputt, die Reparatur kostet {1350 Euro}.
Jonas: Oje, das ist viel Geld.
Petra: Ja, leider.
Jonas: Na ja, wird schon.
Petra: Genau, so ist es.
Jonas: Ich muss jetzt los.
Petra: Alles klar, mach es gut.
Jonas: Du auch, bis bald.
Petra: Bis bald, tschüss!
Jonas: Tschüss!`,
  work: `
U: Der Export der Rechnungen bricht nach {250} Zeilen ab, bitte beheben.
A: Ich sehe mir das an.
T: read_file|src/export/invoices.ts|const PAGE = 250;
A: In {src/export/invoices.ts} wird nur die erste Seite gelesen, die Schleife fehlt.
U: Das Format der Datei darf nicht geändert werden, die Spalte {Kundennummer} muss bleiben.
A: Verstanden, ich ändere nur die Schleife.
T: edit_file|src/export/invoices.ts|ok
A: Erledigt, ich starte die Tests.
T: run|npm test -- export|4 failed: heap limit 512 MB
A: Vier Tests scheitern, der Speicher von {512} MB reicht nicht.
U: Dann schreibe die Zeilen einzeln in den Strom.
A: Gute Idee, das mache ich.
T: edit_file|src/export/stream.ts|ok
A: Die Zeilen gehen jetzt einzeln durch {src/export/stream.ts}.
T: run|npm test -- export|61 passed
A: Alle {61} Tests laufen durch.
U: Sehr gut. Die Steuer ist aber falsch gerundet.
A: Ich prüfe die Rundung.
T: read_file|src/export/tax.ts|Math.floor(amount * 0.19)
A: {roundTax} rundet immer ab, deshalb fehlen bei {119,99} Euro zwei Cent.
U: Wir haben entschieden, kaufmännisch zu runden.
A: In Ordnung.
T: edit_file|src/export/tax.ts|ok
A: {roundTax} rundet jetzt kaufmännisch.
U: Der Satz muss auf {7} Prozent umstellbar sein.
A: Ich füge eine Einstellung hinzu.
T: edit_file|config/tax.json|ok
A: Der Satz steht in {config/tax.json}.
T: run|npm test|144 passed
A: Insgesamt {144} Tests sind grün.
U: Prima, bitte ausliefern.
A: Ich liefere aus.
T: run|deploy production|release 5520
A: Version {5520} läuft.
U: Ich schaue kurz nach.
A: Gern.
U: Sieht gut aus.
A: Freut mich.
U: Die Anleitung schreibt {Frau Brandt} bis Freitag.
A: Alles klar.
U: Danke dir.
A: Gern geschehen.`,
};
