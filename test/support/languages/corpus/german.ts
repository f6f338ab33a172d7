/** Sentences of people who talk to assistants and coding agents in German. */
export const german = {
  built: `
constraint: Freitags wird nie deployed.
constraint: Bitte fass den Ordner migrations nicht an, der gehört einem anderen Team.
constraint: Die Antwortzeit muss unter 200 ms bleiben.
constraint: Lass vor jedem Commit immer den Linter laufen.
constraint: Verwende ausschließlich Pakete, die schon in der package.json stehen.
constraint: Auf keinen Fall dürfen Kundendaten in den Logs landen.
constraint: Ändere nichts an der öffentlichen Schnittstelle.
constraint: Schreib Commit-Nachrichten ab jetzt auf Englisch.
none: Ich mochte Montage noch nie.
none: Das muss eine lange Nacht gewesen sein.
none: Benutzt du immer Tabs?
none: Auf meinem Laptop dauert der Build ungefähr vier Minuten.
decision: Wir haben uns für Postgres entschieden.
decision: Dann nehmen wir das blaue Layout.
decision: Wir haben vereinbart, uns jeden zweiten Donnerstag zu treffen.
decision: Wir bleiben bei der monatlichen Abrechnung.
decision: Ich habe beschlossen, das Abo zu kündigen.
decision: Okay, wir machen es mit Vitest.
none: Wir haben uns noch nicht auf einen Namen geeinigt.
none: Sollen wir Redis oder Memcached nehmen?
open: Wir müssen noch die Release Notes schreiben.
open: Der Export für große Tabellen ist noch nicht umgesetzt.
open: TODO: den Bucket für Staging umbenennen.
open: Der Login-Test schlägt unter Windows immer noch fehl.
open: Die Rechnungen vom März müssen noch geprüft werden.
done: Ich habe das Speicherleck im Worker behoben.
done: Die neue Startseite ist fertig und online.
none: Die Liste war ziemlich lang.
date 2024-03-06 = 5 March 2024: Ich habe gestern die Masterarbeit abgegeben.
date 2024-03-06 = 8 March 2024: Übermorgen kommt der Klempner.
date 2024-03-06 = 1 March 2024: Letzten Freitag ist im Serverraum der Strom ausgefallen.
date 2024-03-06 = the week after 6 March 2024: Nächste Woche besuchen uns meine Eltern.
date 2024-05-20 = 17 May 2024: Vor drei Tagen haben wir den Vertrag unterschrieben.
date 2024-05-20 = June 2024: Der Kurs fängt nächsten Monat an.
date 2024-11-09 = 2022: Vor zwei Jahren bin ich nach Kassel gezogen.
recall: Wo liegt der Ersatzschlüssel? => Der Ersatzschlüssel hängt im Keller hinter dem Wasserzähler.
recall: Wie hoch ist die Miete fürs Atelier? => Für das Atelier in Plagwitz zahlen wir 640 Euro im Monat.
recall: Auf welchem Port läuft die Staging-Datenbank? => Die Datenbank von Staging lauscht auf Port 5544.
recall: Wann kommt Claras Zug an? => Clara kommt um 18:42 auf Gleis neun an.
recall: Wogegen bin ich allergisch? => Walnüsse vertrage ich nicht, da bekomme ich eine Allergie.
recall: Wer kümmert sich um die Heizung? => Herr Okafor von Brandwerk wartet die Heizung jeden Herbst.
recall: Warum haben wir die Queue rausgeworfen? => RabbitMQ ist raus, weil die Queue nachts niemand betreuen konnte.
idle: Hallo!
idle: Vielen Dank!
idle: ok, mach weiter
idle: Super, leg los.
idle: Guten Morgen, wie geht's?
idle: Klingt gut.
idle: Bis morgen!`,
  heldOut: `
constraint: Push niemals direkt auf main.
constraint: In der Tabelle orders darf keine Spalte umbenannt werden.
constraint: Achte darauf, dass jeder Endpunkt eine Anmeldung verlangt.
constraint: Das Budget liegt bei höchstens 3.000 Euro.
constraint: Bitte keine globalen Variablen in den neuen Modulen.
constraint: Wir dürfen nur Schriften vom eigenen Server laden.
constraint: Im Bericht sollen nie Namen von Kunden stehen.
constraint: Die alten URLs müssen erhalten bleiben.
none: Hier muss es doch irgendwo einen besseren Bäcker geben.
none: Ich weiß nicht, warum der Lüfter so laut ist.
none: Meine Schwester ruft immer sonntags an.
none: Mach dir wegen des Tippfehlers keine Sorgen.
decision: Nach langem Hin und Her haben wir den kleineren Saal gewählt.
decision: Wir nehmen Variante B.
decision: Wir haben uns auf 1.200 Euro geeinigt.
decision: Es bleibt also beim Termin am Donnerstag.
decision: Ich hab mich entschieden, den Parser in Rust neu zu schreiben.
decision: Das Team hat beschlossen, den Start auf Juni zu verschieben.
none: Ich weiß nicht, ob wir das schon entschieden haben.
none: Bisher hat niemand etwas entschieden.
open: Die Übersetzung der Hilfeseiten fehlt noch.
open: Als Nächstes muss der Zahlungsanbieter angebunden werden.
open: Wir sollten noch den Vermieter anrufen.
open: Die Wiederholungslogik ist noch nicht fertig.
open: Offen ist noch die Verlängerung der Zertifikate.
done: Wir haben alle Tabellen auf den neuen Cluster umgezogen.
done: Das ungenutzte Stylesheet ist entfernt.
none: Ihr Vortrag war für alle offen.
date 2024-03-06 = 7 March 2024: Morgen habe ich einen Termin beim Zahnarzt.
date 2024-03-06 = 4 March 2024: Vorgestern wurde mein Fahrrad geklaut.
date 2024-03-06 = the week before 6 March 2024: Letzte Woche haben wir die neuen Sensoren getestet.
date 2024-03-06 = 11 March 2024: Der Workshop ist kommenden Montag.
date 2024-05-20 = around 6 May 2024: Vor zwei Wochen ging der Drucker kaputt.
date 2024-05-20 = April 2024: Letzten Monat sind wir mit dem Dach fertig geworden.
date 2024-11-09 = 2025: Nächstes Jahr macht Ben Abitur.
recall: Wie heißt die neue Steuerberaterin? => Unsere neue Steuerberaterin ist Frau Raman.
recall: Wie viele Stühle haben wir bestellt? => Für die Feier habe ich 36 Klappstühle bestellt.
recall: In welchem Branch ist der Hotfix? => Der Hotfix liegt auf release-2.8 und nicht auf main.
recall: Wo probt der Chor? => Die Chorprobe ist in der alten Feuerwache am Mühlweg.
recall: Bis wann muss die Steuererklärung abgegeben werden? => Das Finanzamt will die Steuererklärung bis zum 31. Juli haben.
recall: Welche Farbe bekommt das Bad? => Fürs Bad haben wir uns ein Salbeigrün ausgesucht.
recall: Wer kennt das Passwort vom Router? => Jonas hat das Passwort des Routers geändert und in sein Heft geschrieben.
idle: Hallo nochmal
idle: Danke dir!
idle: ja, bitte weitermachen
idle: Perfekt, weiter so.
idle: Guten Abend
idle: alles klar
idle: Tschüss!`,
};
