/**
 * Conversations between people, written for the quality score. `@` starts a day, `Name:` a message. Content that a
 * summary should keep is marked in place: `[fact …]`, `[date …]`, `[name …]`, `[words …]`.
 */
export const TALKS: Readonly<Record<string, string>> = {
  "a move to another city": `
@2024-03-04T09:12Z
Inês: Good morning! How are you? Did you sleep at all?
Marco: Hey! Barely, haha. I was looking at flats until two.
Inês: And, did you find anything in [name Campo de Ourique]?
Marco: Yes! [fact a two-room flat on the third floor], no lift though.
Inês: Sounds great, congratulations!
Marco: Thanks, you are too kind.
Inês: What is the rent?
Marco: [fact 1,150 euros a month, deposit of two months].
Inês: Hm, that is a lot. My sister pays 900 near the river.
Marco: I know. But [fact the landlady lets me keep the dog].
Inês: Oh nice, how is Bolota?
Marco: She is fine. [photo: a brown dog asleep on a green sofa]
Inês: Aww, look at her.
Marco: I am signing the contract on [date 14 March].
Inês: Wow, that soon?
Marco: The movers come [date next Saturday]. [fact They want 380 euros in cash].
@2024-03-11T20:40Z
Inês: So, did you pack?
Marco: Half of it. I sold the piano yesterday, [fact to a music teacher called Rute].
Inês: You sold the piano? I thought you would never do that.
Marco: It did not fit through the stairs. I cried a little.
Inês: I am so sorry. Good luck with the rest.
Marco: One thing changed: [fact the movers postponed to Sunday], because one of them broke his foot.
Inês: Do you need help on Sunday?
Marco: Yes please. [words bring the long ladder and no wine this time].
Inês: Haha, fine. What time?
Marco: [date Eight in the morning].
@2024-04-02T18:05Z
Inês: How is the new place?
Marco: Loud, but I love the light. I started at [name the bakery on Rua Ferreira Borges] two weeks ago.
Inês: You bake now?
Marco: I knead. [fact My shift begins at four] and ends at noon.
Inês: That is insane. And the university?
Marco: I no longer study law. [fact I enrolled in marine biology for September].
Inês: Does your father know?
Marco: Not yet.
Inês: Tell him before [date his birthday on 20 April], really.
Marco: I will. [words I promised myself not to lie to him again].`,

  "a band plans its summer": `
@2023-05-08T17:30Z
Tomek: ok who is in tonight
Yusra: me, but late, I teach until seven
Bea: I am in. Did somebody feed the cat of the landlord?
Tomek: yes. so, the festival wrote back
Yusra: And?
Tomek: [fact they offer us the small stage, forty minutes], [date on 22 July]
Bea: That is amazing news!
Yusra: Well done Tomek, you are a hero.
Tomek: they pay [fact six hundred plus the van], we need an answer by [date Friday]
Bea: I would say yes. What do you think?
Yusra: Yes. But [fact I fly back from Amman only on the 21st].
Tomek: that is tight
Bea: We can rehearse without her. [words nobody plays the drums on my kit except Yusra].
Tomek: noted
@2023-05-12T21:10Z
Tomek: I said yes to them
Bea: Great.
Yusra: Great!
Tomek: they also want a photo and a text of a hundred words
Bea: I can write it. I wrote the last one too.
Yusra: Which name do we use?
Tomek: [fact we agreed on Paper Herons], no more discussion
Bea: Fine. I designed a heron yesterday. [photo: a pencil drawing of a heron with headphones]
Yusra: I love it.
Tomek: we still need a bass. [fact mine is at the repair shop in Gdynia until June]
Bea: My cousin Ola lends us hers, [fact a blue Fender from 1978].
Yusra: Does she want money for it?
Bea: No. [fact She wants two tickets].
@2023-06-30T10:02Z
Yusra: I have bad news. I broke my wrist last week.
Bea: Oh no! How did that happen?
Yusra: I fell off a horse in Wadi Rum. [fact The cast stays on until 4 August].
Tomek: I am so sorry. then we have no drummer
Yusra: [fact Ask Hanno, he knows nine of our songs].
Bea: Is he not in Leipzig?
Yusra: He moved back in April.
Tomek: I called him. [fact he wants to start one song with the trumpet], otherwise he is in
Bea: Ha. Let him.
Tomek: rehearsals then: [date every Tuesday at 19:30], in the cellar of [name Café Strzelec]
Yusra: I will come and shout at you.`,

  "a meeting about a clinic": `
@2024-09-17T13:00Z
Chair: Good afternoon everybody. Three points today: opening hours, the new scanner, and the parking.
Dr Abara: Before we start, thank you for the flowers.
Chair: You are welcome. Opening hours first. What did the survey say?
Nurse Lind: [fact 71 percent of 240 patients want one evening a week].
Dr Abara: I could do Wednesdays. I could not do Mondays because of the lab.
Chair: So, shall we say Wednesday?
Nurse Lind: Yes.
Chair: Then [fact we decided to open until eight on Wednesdays], [date from 1 November].
Mr Okafor: Reception needs one more person for that.
Chair: [fact Mr Okafor will post the job by Friday].
Mr Okafor: I will.
Chair: Second point, the scanner.
Dr Abara: We have two offers. [name Halden Medical] asks 86,000, and [name Brightscan] asks 79,500 without service.
Mr Okafor: And with service?
Dr Abara: [fact Brightscan costs 91,200 with five years of service].
Chair: I prefer the one with the shorter delivery.
Dr Abara: [fact Halden delivers in six weeks], the other one in fourteen.
Nurse Lind: The room needs a lead door first, whichever we take.
Mr Okafor: [fact The door costs 4,300 and is ordered].
Chair: Let us go with Halden then. Any objections? None. [fact We agreed on Halden Medical].
Dr Abara: [words no patient is to be scanned before the inspector has signed].
Chair: Of course. When does the inspector come?
Mr Okafor: [date On 9 December at ten].
Chair: Third point. Parking.
Nurse Lind: The neighbours complained again.
Mr Okafor: The city offers [fact twelve places behind the library for 45 a month each].
Chair: We do not know yet whether we can pay that. Open question for the next meeting.
Nurse Lind: Who asks the bank?
Chair: [fact I ask the bank about a loan of 60,000].
Dr Abara: And the flu vaccines? They came this morning.
Nurse Lind: [fact 400 doses, they expire on 30 June].
Chair: Good. Next meeting [date on 15 October], same room. Thank you all.`,

  "a lesson with a tutor": `
@2025-01-20T16:00Z
User: Hi! I have an exam on [date 12 February] and I am lost with probability.
Assistant: Hello! Happy to help. Probability becomes easier with pictures. Let us first see what you know already. A probability is a number between zero and one. Zero means never, and one means always. What is the chance of a six with one die?
User: One sixth.
Assistant: Exactly! Well done. And of two sixes with two dice?
User: One thirty-sixth?
Assistant: Right again. You multiply because the dice do not know of each other. That is called independence. Many students mix it up with exclusion, which is the opposite: two events that never happen together.
User: Then why did I fail the last test? [fact I got 11 of 40 points].
Assistant: What was it about?
User: Conditional probability. [fact My teacher is Mr Vandenberg] and he wants trees, not formulas.
Assistant: Then we draw trees. Every branch carries a probability, and the branches of a knot add up to one.
User: [words please never show me Bayes as a formula, only as a tree].
Assistant: Understood. Here is one:
Assistant: > A test finds 99 of 100 ill people. It is wrong for 5 of 100 healthy people. One of 200 people is ill.
User: So a positive result means I am ill with 99 percent.
Assistant: That is the usual mistake. Take 20,000 people. One hundred are ill, and 99 of them test positive. Of the 19,900 healthy ones 995 test positive. So [fact only 99 of 1,094 positive results are ill], about nine percent.
User: Oh. That is strange but I see it.
Assistant: Good. Try one alone: a box has three red and two green balls, you take two.
User: Both red is [fact three tenths].
Assistant: Perfect.
User: I have ten minutes a day, [date mornings before seven]. Can you make a plan?
Assistant: Yes. Week one trees, week two tables, week three old exams.
User: [fact The old exams are on the shelf of my brother Emre].
Assistant: Then ask him for the ones since 2021.
User: OK. Also [fact calculators are not allowed].
Assistant: Good to know. Then we practise fractions too.`,

  "eine Reise (German)": `
@2024-06-03T08:00Z
Jule: Guten Morgen! Hast du die Fähre gebucht?
Arne: Ja, gestern. [fact Die Fähre nach Bornholm geht um 11:50 Uhr].
Jule: Super. Und was kostet das?
Arne: [fact 214 Euro mit dem Auto und zwei Kabinen].
Jule: Das geht ja. Ich habe das Ferienhaus bezahlt.
Arne: Welches ist es nun geworden?
Jule: [name Das gelbe Haus in Svaneke], mit dem Kamin.
Arne: Toll.
Jule: Wir haben beschlossen, [fact dass Oma Käthe auch mitkommt].
Arne: Oh. Passt das mit den Betten?
Jule: Ja, [fact sie bekommt das Zimmer im Erdgeschoss].
Arne: Gut, dann muss der Hund ins Auto.
Jule: [words auf keinen Fall darf der Hund auf das Sofa].
Arne: Versprochen.
Jule: Wann fahren wir los?
Arne: [date Am 19. Juli um fünf Uhr früh].
Jule: So früh? Na gut.
Arne: Auf der Fähre gibt es Frühstück.
Jule: Vergiss die Tabletten für Oma nicht. [fact Sie braucht Ramipril 5 mg].
Arne: Ich schreibe es auf.
Jule: Und der Schlüssel?
Arne: [fact Der Schlüssel liegt unter dem Blumentopf beim Nachbarn Mikkelsen].
Jule: Alles klar. Bis [date Donnerstag]!`,

  "una panadería (Spanish)": `
@2024-02-12T10:00Z
Lucía: Hola, ¿cómo va la panadería?
Raúl: Bien, pero el horno viejo se rompió ayer.
Lucía: ¡Qué mala suerte! ¿Y ahora?
Raúl: [fact El técnico viene el jueves y cobra 180 euros].
Lucía: ¿No sería mejor comprar uno nuevo?
Raúl: Decidimos [fact comprar un horno Salva de segunda mano], cuesta 2.400.
Lucía: ¿Quién lo vende?
Raúl: [name Un panadero de Zarautz que se jubila].
Lucía: ¿Y cuándo lo recogéis?
Raúl: [date El 24 de febrero], con la furgoneta de mi tío.
Lucía: Yo puedo ayudar.
Raúl: Gracias. [words nunca más horneo pan de molde los lunes].
Lucía: Jaja, ¿por qué?
Raúl: Porque nadie lo compra. [fact El lunes tiramos treinta panes].
Lucía: Vaya. ¿Y la chica nueva?
Raúl: [fact Maite empieza el 1 de marzo, de cuatro a once].
Lucía: Me alegro mucho.
Raúl: Tengo que pedir harina: [fact doce sacos de trigo y tres de centeno].`,
  "two neighbours and a fence": `
@2024-05-06T07:45Z
Gerda: Morning. Is that your ladder in my roses?
Piet: Oh! Sorry. The wind.
Gerda: Hm.
Piet: Did the fence man call you?
Gerda: Yes.
Piet: And does he want to start this week?
Gerda: No.
Piet: Why not?
Gerda: Wood. [fact The larch boards arrive only on 23 May].
Piet: Is the price still the same?
Gerda: No.
Piet: How much?
Gerda: [fact 3,120 instead of 2,800].
Piet: We need three things: a permit, a date, and somebody who digs.
Gerda: [words I do not dig, my back is ruined].
Piet: I noted: the permit number is [name ZA-5507-B].
Gerda: My surveyor says "the border runs along the old pear tree and not along the hedge".
Piet: Really?
Gerda: Really. [fact The fence moves forty centimetres to your side].
Piet: Then I want half of the pears.
Gerda: Ha. Fine. You get half.
Piet: Are you coming to the street party?
Gerda: [date On Saturday the 18th]?
Piet: Yes.
Gerda: I bring potato salad. [fact My grandson Luuk plays the accordion].
Piet: You are a treasure, your salad won last year.
Gerda: You always say that to everybody on this street.
Piet: Can Luuk play at my wedding too?
Gerda: Your what?
Piet: [fact I am marrying Sanne in October].
Gerda: At your age! Congratulations.`,

  "an interview with a lighthouse keeper": `
@2023-11-14T15:20Z
Reporter: Thank you for having me, Mr Halvorsen. How long have you lived on the island?
Halvorsen: [fact Since the spring of 1979, when the old keeper drowned and the coast authority in Ålesund could find no other man who was willing to climb two hundred and eleven steps every single evening, to clean the lens, to wind the clockwork and to write the weather into a book] that nobody ever read.
Reporter: Is the clockwork still there?
Halvorsen: Yes.
Reporter: Does the lamp still burn oil?
Halvorsen: No.
Reporter: Can visitors climb the tower?
Halvorsen: No.
Reporter: What changed when the light became electric?
Halvorsen: Everything changed, because [fact the diesel generator arrived on a barge in August 1986 together with four engineers from Trondheim, a crate of spare bulbs and a manual in German], and because from that night on I could hear the sea again, which I had not heard for seven years over the ticking of the clockwork beside my bed.
Reporter: Were you ever afraid?
Halvorsen: Once. [date On New Year's Eve 1991] the wind took the roof of the boathouse and the radio mast.
Reporter: Did anyone come to help?
Halvorsen: Not yet.
Reporter: I mean, that night.
Halvorsen: [fact My daughter Ragnhild rowed over from the mainland with a lantern and a thermos of soup, although the harbour master had forbidden every boat to leave, and she has never let me forget it since].
Reporter: Is she here today?
Halvorsen: Yes.
Reporter: Do you keep the weather books?
Halvorsen: [fact Forty-four of them stand in the cellar of the museum in Molde], and the last one is on this table.
Reporter: May I photograph it?
Halvorsen: [words You may photograph the cover, never the pages, they are private].
Reporter: Of course. What happens to the tower now?
Halvorsen: The authority wants three things from whoever takes over the tower, and none of them is romantic:
Halvorsen: A diver's certificate, a clean driving licence, and a signature for ten years.
Reporter: Has anyone applied?
Halvorsen: Nope.
Reporter: Will you stay until somebody does?
Halvorsen: Absolutely. [date Until the end of 2026], the doctor says no longer.
Reporter: Do you have a wish?
Halvorsen: [name A new winch from Brødrene Sunde], the old one eats my fingers.`,

  "vecinos en junta (Spanish)": `
@2024-10-08T18:30Z
Presidenta: Buenas tardes a todos. Empezamos con el ascensor.
Don Anselmo: El ascensor lleva tres semanas parado y yo tengo ochenta y un años.
Presidenta: Lo sé. Hemos decidido [fact cambiar el motor con la empresa Orbea Elevadores].
Merche: ¿Cuánto cuesta eso?
Presidenta: [fact 11.750 euros, en cuatro plazos].
Merche: Es mucho dinero para los que vivimos en el bajo.
Presidenta: Por eso acordamos que [fact los bajos pagan solo la mitad de la derrama].
Don Anselmo: Me parece justo.
Merche: Gracias. ¿Y la humedad del garaje?
Iker: Hemos acordado [fact poner dos bombas nuevas antes de las lluvias].
Presidenta: Decidimos también [fact cerrar el garaje del 4 al 9 de noviembre].
Merche: ¿Dónde aparco yo esa semana?
Iker: En el solar de la calle Tejera. [fact El ayuntamiento lo presta gratis].
Don Anselmo: ¿Y el perro del tercero?
Iker: El perro es mío, Anselmo. Se llama Trufa y no ladra.
Don Anselmo: Ladra desde las seis.
Presidenta: Quedamos en que [fact Trufa no se queda sola en el balcón].
Iker: De acuerdo.
Merche: Falta la limpieza de la escalera. [fact Queda por firmar el contrato con Loli].
Presidenta: Hemos decidido [fact pagar la limpieza cada dos semanas].
Don Anselmo: Yo quiero decir una cosa. [words nunca más se vota sin avisar por carta].
Presidenta: Tiene razón, fue culpa mía.
Iker: ¿Quién lleva las llaves del cuarto de contadores?
Presidenta: Decidimos que [name la llave la guarda Merche en el bajo B].
Merche: Está bien. ¿Próxima junta?
Presidenta: [date El 14 de enero a las siete].`,

  "a garden plan": `
User: I have a garden of nine by fourteen metres in Ghent and no idea. [fact The soil is heavy clay and half of it lies in the shade of a walnut tree].
Assistant: Lovely, clay is better than its reputation. Before you plant anything, look at three things. Water stands on clay in winter and cracks it in summer, so the beds should be a little higher than the paths. A walnut is a difficult neighbour, because its roots and leaves give off a substance that many plants dislike; tomatoes, apples and rhododendrons suffer most, while currants, hazels, ferns, hellebores and most bulbs hardly notice. And the light matters more than the soil: put whatever you want to eat on the sunny side, at least four metres away from the trunk. If you tell me how much time you have each week, I can make the plan fit. Many people begin with too many beds and give up in June, which would be a pity. A bed of one by three metres feeds two people with salad from April to October.
User: [fact Two hours on Sundays, and my knees do not like digging].
Assistant: ## What that means
Assistant: Two hours are enough for three beds and a strip of shrubs if you never dig. Cover the ground with cardboard and a hand of compost, wait for a winter, and plant straight through it. The worms do the rest.
Assistant: ### Plants that forgive a missed Sunday and a long journey
Assistant: Chard, leeks, courgettes, chives, sorrel and rhubarb forgive nearly everything. Carrots do not, in clay they grow legs. Beans are easy once they climb. For the shade I would take ferns, hellebores and a hazel, and under the walnut a carpet of snowdrops and winter aconites, which are finished before the leaves come.
User: [words nothing that has to be watered every day, I travel].
Assistant: Then a mulch of straw is worth more than a hose. Collect rain in a barrel of three hundred litres, it lasts for two dry weeks. A clay pot that is buried up to its neck and filled once a week keeps a courgette alive without you.
User: What does all that cost?
Assistant: Roughly, without tools:
Assistant: Compost for three beds is about 90 euros a year at first and nothing later, when your own heap is ripe. Shrubs cost between 8 and 15 each if you buy them with bare roots in November. Seeds are 30 euros. [fact Count on 240 euros for the first year].
User: Good. [fact My neighbour Wout gives me forty metres of old roof tiles] for the edges.
Assistant: Excellent, they warm the soil and keep slugs out better than any powder. Lay them on their long side, half buried.
User: When do I start?
Assistant: [date In the last week of October], with the cardboard. [date The shrubs go in around 25 November], St Catherine's day, when everything takes root.
User: And the walnut, may I cut it? [name Branch over the shed of Mrs Peeters].
Assistant: A walnut bleeds in spring. Cut it only in August or September, and never more than a wrist thick. For a branch over a shed ask somebody with a rope and an insurance.`,
};
