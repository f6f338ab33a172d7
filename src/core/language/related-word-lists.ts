/** English words that stand for each other in questions and answers, and kinds with what is of them. */

import { listLines, listPhrases } from "./list-words.ts";

export const SWAPS = listPhrases(`
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
  intend goal aim, task todo work item, language speak
`);

export const KINDS = listLines(`
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
  pastime hobby: collect paint knit read garden cook run swim climb dance sing chess photography pottery
  currency money: euro dollar pound crown franc yen
`);
