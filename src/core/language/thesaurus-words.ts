/** The words of the thesaurus, collected by hand. */
import { listLines, listPhrases } from "./list-words.ts";

/** Groups of synonyms in questions and answers: English, Chinese, Japanese, German, Spanish, French and Portuguese. */
export const SYNONYMS = listPhrases(`
  cost price pay paid fee charge rent spend expense bill amount sum total rate worth value, cheap inexpensive
  affordable low, expensive costly dear pricey, budget funding grant money fund finance subsidy sponsor, invoice bill
  billed receipt, loan credit mortgage borrow lend debt, buy purchase bought acquire order, sell sold sale seller
  sales, salary wage earn income, fine penalty fee overdue late, deposit downpayment advance, inherit will heir left
  bequeath legacy, insure insurance cover policy, contract agreement lease deal, expire expiry valid end run lapse,
  begin start open opening commence launch kick, end finish close stop conclude over, depart leave departure sail,
  arrive land reach arrival come deliver, deadline due before latest limit by, date day schedule appointment, postpone
  delay move shift reschedule push defer, cancel call drop abandon scrap, meeting review call session conference
  workshop appointment, duration long minutes hours take last, daily day, weekly week, monthly month, yearly annual
  year anniversary, hour time clock, early soon, often frequency times twice once every, now currently moved new
  today, notice advance warning tell inform, keep retain store deleted delete retention, fetch pick collect get bring,
  repair fix mend service maintain restore engineer heating, damage break broken crack smash ruin harm, clean cleaner
  wash tidy cleaning shower bath, cook chef bake prepare, resign quit leave fire dismiss, hire employ recruit appoint
  engage, job profession occupation work career teach become employed, boss manager lead head chief director
  supervisor, colleague coworker teammate, study degree learn university college school graduate major course thesis,
  research study thesis paper investigate writing, teacher professor tutor instructor lecturer, doctor physician
  surgeon medic, child kid son daughter baby, wife husband spouse partner, friend buddy pal mate, guest visitor guests
  visitors people attendee, live reside residence move moved home lives, hometown village grew raised birthplace
  native, born birthday birth birthplace old age, age old year, name call called named title, responsible charge owner
  handle care duty, speech talk lecture speak speaker present presentation address, vote ballot election poll, promise
  agree commit vow, allow permit may permission, forbid ban prohibit never nobody must disallow, decide agree choose
  settle pick select opt choice vote rule verdict conclude, suggest propose recommend advise idea, complain object
  criticise, like prefer love enjoy favourite fond, hate dislike detest, want wish dream hope plan, gift present,
  hobby collect pastime interest leisure, luck lucky fortune, judge court ruling rule, boat ship ferry vessel canoe,
  car vehicle van auto lorry truck, gas petrol fuel, lorry truck, bus coach, road street lane route, parking park
  carpark lot, race marathon run competition, hike walk trek, top summit peak, trip travel journey holiday vacation
  visit, hotel inn hostel accommodation, house home flat apartment, room space hall chamber floor sleep, venue place
  location hall site, ill sick disease unwell allergic allergy flu, pill tablet medicine drug medication, operation
  surgery, swallow take, glass spectacle glasses spectacles, picture photo image painting photograph, display show
  exhibit exhibition, song music tune, practise practice rehearse train rehearsal, film movie, food eat meal dish
  diet, sheet paper page, document file paper, size large big format, spare extra backup reserve, copy backup
  duplicate, wifi network wlan wireless internet, password code pin passphrase key secret, alarm siren, hint remind
  clue, email mail post letter send, url address link site domain website, memory ram, server machine host, retry
  attempt again try, version release, support supported, bug error fault defect problem issue wrong trouble, leak
  cause reason source, crash fail failure break down, test check verify trial exam, pass succeed success, fail failed
  reject, error exception message warning, library package dependency module, feature function capability, delete
  remove erase drop, add create insert, change modify alter update edit, limit maximum most cap most no, minimum
  least, temperature warm degree heat hot cold, height tall high, depth deep, width wide broad, distance far away
  kilometre mile metre, weight heavy kilo pound, number count quantity amount many, digit number figure, fast speed
  quick rapid, slow sluggish latency, tool instrument device, store shop market, product item article goods seller,
  supplier vendor manufacturer maker workshop provider, client customer buyer, company firm business, plant seed
  seedling flower crop, bee hive honey, wash stream shower, miss lose lost disappear gone, replace instead swap
  substitute exchange, outdoor outside, indoor inside, ground floor storey level, result outcome score, shut close
  closed, print printed brochure printer, station stop stop, switch turn toggle disable enable, borrow lend use,
  return back again, reserve book reservation, cut trim mow prune, use utilise employ apply, inside in within, plan
  intend goal aim, task todo work item, language speak,
  kosten kostet preis teuer miete zahlen bezahlen betrag beträgt euro angebot gebühr, wohnen wohnt leben lebt
  umgezogen gezogen stadt ort, monatlich monat, abfahrt abfahren fährt abfährt ab starten, ankunft ankommen kommt,
  termin datum verschoben verlegt tag, reparieren reparatur repariert richten warten wartet wartung kümmert, heißt heissen name
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
  中, 名前 呼 名, 仕事 職業, 買 購入, 原因 理由 問題, 締切 期限 まで, 廃止 中止 取, 点検 修理 直 修, 截止 期限 之前, 去掉 删除 移除 取消,
  proben probt probe chorprobe, entfernt rausgeworfen entfernen gestrichen raus, frist abgabe abgeben spätestens,
  passwort kennwort, reparar arregla arreglar reparación revisa mantenimiento, quitar quitamos eliminar retirar, ensayar
  ensaya ensayo ensayos, plazo vence vencimiento límite, contraseña clave, pedir pedimos pedí encargar,
  coûter coûte prix payer paie paye loyer montant euros tarif frais cher, habiter habite vivre vit ville déménagé,
  départ partir quitte, arrivée arrive arriver, reporté repoussé déplacé, réparer répare réparation entretien dépanner
  dépannage, appelle appelé nom nommé, décidé décider décision choisi choisir retenu convenu, allergie allergique
  allergies intolérant, ranger rangé accroché garde, travail travaille métier emploi poste, médecin docteur, voiture
  véhicule, téléphone portable numéro, acheter acheté achat commander commandé, commence commencer début démarre, finit
  finir terminer, erreur problème panne cause raison, chef responsable directeur, supprimer supprimé retirer retiré
  enlever enlevé, délai échéance rendre limite, répéter répète répétition répétitions,
  custar custa preço pagar pagamos paga aluguel aluguer valor reais taxa caro, morar mora viver vive cidade mudou
  mudei, partida sai sair, chegada chega chegar, adiado adiar prazo, consertar conserta conserto manutenção reparar
  arrumar técnico, chama chamado nome, decidir decidimos decisão escolher escolhemos escolhido combinamos, alergia
  alérgico alérgica alergias intolerante, guardar guardado pendurada pendurado fica, trabalho trabalha profissão
  emprego, médico médica doutor, carro veículo, telefone celular telemóvel número, comprar comprei compra encomendar,
  começar começa início, terminar termina fim acaba, erro falha problema causa motivo, chefe responsável gerente,
  remover removemos tirar tiramos retirar apagar, ensaiar ensaia ensaio ensaios, roda rodar escuta funciona
`);

/** Categories, each with its members. */
export const CATEGORIES = listLines(`
  colour: red green blue yellow white black grey gray brown pink purple orange violet beige turquoise crimson teal
  pet animal: dog cat hamster rabbit parrot bird fish horse goat puppy kitten turtle snake cow pig sheep hen guinea
  instrument: oboe violin piano guitar cello flute drum trumpet clarinet saxophone harp viola bass ukulele banjo organ
  language: english german french spanish dutch polish korean chinese japanese italian russian portuguese arabic turkish swedish typescript python rust java
  wood timber: oak walnut pine birch ash maple beech cherry teak spruce
  tree: linden oak beech birch maple pine elm willow chestnut
  drink: tea coffee water juice beer wine milk cocoa lemonade
  food diet: vegetarian vegan meat fish bread hazelnut nut peanut almond cheese egg pasta rice soup sandwich gluten milk shellfish fruit
  illness disease: flu cold fever asthma diabetes cough allergy migraine
  job profession occupation: teach teacher pilot nurse doctor engineer lawyer baker gardener programmer accountant chef driver architect carpenter plumber electrician librarian designer
  family relative: sister brother mum dad aunt uncle cousin grandma grandpa son daughter niece nephew
  database: postgres sqlite mysql redis mongodb oracle
  sport: football tennis swim run basketball cycling yoga climbing hockey golf rugby volleyball
  season: spring summer autumn winter
  furniture: chair table shelf sofa bed desk wardrobe lamp
  vehicle: car van lorry bus bike train boat tram
  weather: rain snow storm sun wind frost fog cloud
  material: wood steel glass concrete brick plastic paper leather wool cotton
  room: kitchen bedroom bathroom cellar attic hall pantry nursery garage office floor
  pastime hobby activity: collect paint knit read garden cook run swim climb dance sing chess photography pottery camp hike bake
  outdoor: hike camp climb fish canoe kayak sail ski surf picnic mountaineer trail beach
  martial: karate judo boxing kickboxing taekwondo aikido wrestling fencing
  exercise workout: gym run yoga pilates swim jog lift weights stretch cycling
  country nation abroad: england france spain italy germany portugal greece sweden norway poland ireland scotland japan china india brazil canada mexico australia
  european europe: england france spain italy germany portugal greece sweden norway poland ireland austria
  holiday festival: christmas easter thanksgiving halloween hanukkah ramadan diwali independence
  dessert sweet: cake pie cookie chocolate pudding brownie muffin icecream
  subject: math history physics chemistry biology geography psychology economics philosophy
  career field: counseling psychology engineering medicine law education nursing design research
  feeling emotion: happy sad angry proud afraid anxious grateful excited nervous lonely relieved
  injury injured: broke sprain wound fracture hurt ankle wrist knee
  marital relationship: single married divorced widow engaged breakup boyfriend girlfriend
  belief religion faith: church god pray bible mosque temple
  politics political: vote election campaign liberal conservative democrat republican mayor senator
  currency money: euro dollar pound crown franc yen
  farbe: grün grünen rot blau gelb weiß schwarz grau braun rosa lila orange
  nüsse: erdnüsse haselnüsse walnüsse mandeln cashew
  color: azul rojo verde amarillo blanco negro gris marrón rosa morado
  mascota animal: gata gato perro perra pájaro
  couleur: rouge vert bleu jaune blanc noir gris marron rose violet
  cor: azul vermelho verde amarelo branco preto cinza marrom rosa roxo
  颜色 色: 绿 红 蓝 黄 白 黑 灰 紫 粉 橙
  食物: 花生 牛奶 鸡蛋 海鲜 虾
  色: 緑 赤 青 黄 白 黒 灰 紫
  食: 蕎麦 卵 牛乳 海老 蟹
`);

/** Subject fields in English, each with its words. A word may belong to several. */
export const SUBJECT_FIELDS = listLines(`
  pets: dog dogs cat cats puppy kitten pet pets animal animals hamster parrot bird breed bark fur vet leash fish turtle rabbit bunny horse horses pony snake lizard poodle retriever bulldog shepherd aquarium zoo
  farm: farm farmer cow cows chicken chickens pig goat sheep barn crops field tractor ranch cattle harvest
  music: music song songs band bands concert guitar piano sing singer singing drum drums album rock country jazz rap hip hop violin listen radio playlist lyrics musician metal pop genre orchestra melody dj karaoke spotify
  dance: dance dancing dancer ballet salsa tango choreography
  film: movie movies film films watch watched cinema actor actress netflix tv television show shows series episode comedy horror comic marvel superhero anime cartoon theater theatre director star wars disney
  books: book books read reading reader novel novels author library write writing writer poem poetry fiction story stories chapter fantasy magazine potter
  games: game games gaming video xbox playstation nintendo console player chess poker cards board puzzle minecraft pokemon gamer
  sports: sport sports football soccer basketball baseball hockey tennis golf team teams coach league olympics medal play player match season athlete cheer volleyball softball rugby score field
  exercise: gym exercise workout run running jog jogging marathon yoga fit fitness weights lift lifting muscle train training swim swimming bike biking cycling hike hiking walk treadmill shape climb climbing
  outdoors: outdoors outside nature camping camp tent hike hiking fishing fish hunt hunting mountain mountains lake river forest woods park trail beach ocean sea surf surfing sand kayak boat sail sailing water wave snowboard ski skiing
  garden: garden gardening flower flowers plant plants tree trees grow rose roses vegetables lawn seeds soil tomato tomatoes
  food: food eat eating ate dinner lunch breakfast meal meals pizza pasta burger burgers sushi taco tacos steak chicken meat vegan vegetarian vegetable vegetables fruit salad cheese bread sandwich soup rice snack hungry taste delicious cuisine dish dishes diet spicy sauce bacon egg eggs potato potatoes fries shrimp seafood
  cooking: cook cooking cooks chef recipe recipes bake baking baker kitchen oven grill bbq barbecue restaurant cuisine ingredients
  sweets: chocolate candy cake cakes cookie cookies ice cream dessert sweet sweets sugar pie vanilla strawberry cupcake donut
  drinks: coffee tea drink drinks drinking beer wine alcohol bar soda juice cocktail vodka whiskey latte starbucks milk brew brewery pub
  work: work works working job jobs career office boss company business employer employee hire hired manager coworker coworkers salary retired retire profession living occupation shift position interview promotion freelance
  professions: teacher nurse doctor lawyer engineer accountant programmer cashier waitress waiter chef artist police officer firefighter mechanic plumber carpenter electrician librarian secretary dentist scientist pilot driver soldier army military navy veteran salesman contractor model realtor
  school: school college university student students study studying class classes degree major teacher teach teaching grade grades graduate graduated homework exam education professor math science biology chemistry history course campus elementary kindergarten learn
  family: family mom mother dad father parents brother brothers sister sisters sibling siblings son daughter kid kids child children baby grandma grandmother grandpa grandfather grandparents uncle aunt cousin cousins twins nephew niece raised
  marriage: married marry wife husband wedding divorce divorced single girlfriend boyfriend dating date relationship engaged fiance love romantic romance partner
  friends: friend friends friendship party parties social buddy hang club roommate neighbor lonely
  places: live lives living city town state country california texas florida york chicago ohio canada england london paris europe america usa michigan seattle boston alaska hawaii germany italy mexico japan china australia france spain originally born grew moved hometown raised village farm south north east west
  housing: house home apartment rent mortgage room bedroom bathroom kitchen furniture move moving neighborhood condo roof yard basement landlord
  travel: travel traveling travelling trip trips vacation visit visited visiting abroad passport tour tourist tourism world countries cruise backpack hotel flight airport plane explore destination journey holiday
  cars: car cars truck drive driving drove drives vehicle motorcycle ford honda toyota tesla engine mechanic garage license wheel mustang bmw jeep corvette race racing
  clothes: clothes clothing dress dresses shoes shoe wear wearing fashion shirt pants jeans hat hats jacket style makeup hair haircut outfit skirt boots nails tattoo tattoos piercing beard blonde brunette
  colors: color colors colour blue red green purple pink yellow black white orange eyes
  shopping: shop shopping store stores mall buy bought purchase sell sale sales price cheap expensive discount amazon brand
  art: art artist paint painting paintings draw drawing sketch sculpture museum gallery creative craft crafts photography photo photos camera picture pictures design knit knitting sew sewing pottery
  computers: computer computers internet online website software app apps phone phones laptop programming coding technology facebook youtube instagram twitter social media blog email texting
  health: health healthy sick doctor hospital medicine disease cancer surgery pain allergy allergic allergies diabetes therapy therapist injury injured headache flu virus weight blood broke broken asthma disability nurse clinic appointment pills medical emergency ambulance department
  feelings: happy sad angry afraid scared fear depressed depression stress stressed anxiety nervous cry emotional mood excited bored
  age: age old older young younger birthday born years teenager teen adult turning
  faith: god church religion religious christian catholic jewish bible pray prayer faith spiritual buddhist muslim temple atheist mosque
  season: weather rain raining rainy snow snowing snowy sun sunny hot cold warm cool winter summer spring fall autumn season storm wind windy cloudy humid temperature degrees forecast fog foggy hail thunderstorm drizzle overcast umbrella climate frost blizzard celsius fahrenheit
  holidays: christmas halloween thanksgiving easter holiday holidays santa costume presents gift gifts
  money: money rich poor pay paid bills debt bank invest investment stock stocks tax taxes income afford lottery dollars savings loan credit budget million
  languages: language languages speak spanish french german english chinese japanese italian fluent accent bilingual translate
  politics: politics political government president election vote law laws democrat republican senate rights congress policy parliament minister
  sleep: sleep sleeping slept bed nap dream dreams awake insomnia tired morning night
  space: space moon planet planets stars alien aliens astronomy nasa rocket telescope universe
  charity: volunteer volunteering charity homeless shelter donate donation helping community
  dining: restaurant restaurants table reserve reservation cuisine dine dining menu food eat serves italian chinese indian thai french mexican korean turkish seafood vegetarian moderately priced diner cafe bistro dinner lunch
  lodging: hotel hotels guesthouse hostel lodge lodging inn room rooms stay staying night nights star stars wifi parking internet bed breakfast check guests accommodation motel suite
  rail: train trains station railway platform ticket tickets depart departs departing departure departures arrive arrives arriving arrival leave leaves leaving travel seats fare platform ride bus coach journey
  taxi: taxi cab car pick picked pickup driver ride contact destination drop uber leave arrive
  sights: museum museums attraction attractions park theatre gallery college cinema pool nightclub club entrance fee admission sightseeing visit architecture boat castle church tour entertainment concert hall
  calendar: calendar schedule scheduled appointment appointments meeting meetings reminder remind event events agenda conference invite attendees attending party dinner lab doctor dentist tennis yoga swimming football activity optometrist date
  route: route routes navigate navigation directions nearest closest distance miles mile away traffic address street avenue road gas station parking garage map gps turn exit detour quickest fastest shortest block collision drive located location far home house work grocery coffee pizza shopping mall rest stop
  flights: flight flights airline airport plane depart departure arrival layover nonstop stop economy business cabin boarding gate passenger passengers baggage luggage bag bags seat seats aisle window fly flying reservation itinerary ticket insurance
  payments: pay payment paid card credit debit refund refunded charge charged cost costs price total fee fees invoice certificate gift balance paypal cash amount bill billing
  orders: order orders ordered item items delivery deliver delivered shipping shipped package return returned exchange tracking product products cart warranty
  bookings: book booked booking reservation reserve reference confirmation confirm cancel cancellation cancelled modify change upgrade people person party
  contact: phone number address postcode zip code contact email telephone call website
  accounts: account password login log user username profile id verify sign membership subscription member
  banking: bank account transfer deposit withdraw savings checking loan interest branch atm statement
  code: code function functions class method variable type types typescript javascript python rust java compile compiler build refactor module import export library package dependency
  tests: test tests testing failing fails passed coverage assertion fixture mock suite unit vitest jest pytest spec
  faults: bug bugs error errors exception crash crashes stack trace fault fix fixed debug debugging broken fails failure issue regression reproduce
  data: database sql query queries table tables column index schema migration row rows postgres sqlite record records
  screen: button page css style layout screen component react render color theme font ui menu form design icon
  server: server deploy deployment docker container kubernetes cloud aws endpoint api request response http proxy port host config configuration environment production staging release pipeline
  git: git commit branch merge rebase pull push repository repo diff conflict tag
  prose: readme docs documentation document write text paragraph section chapter draft essay letter poem article blog wording
  meeting: agenda minutes presentation slides project team deadline budget plan report decision discuss discussion
`);
