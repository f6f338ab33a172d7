/**
 * English words that belong to one field of talk, so that "dog" and "kitten" or "platform" and "train" count as being
 * about the same although they share no letter. Written by hand, everyday talk and errands first; a word may stand in
 * several fields. What is in no field is judged by its letters alone, so other languages lose nothing.
 */
import { termsOf } from "./topic-terms.ts";

const FIELDS: Readonly<Record<string, string>> = {
  pets: "dog dogs cat cats puppy kitten pet pets animal animals hamster parrot bird breed bark fur vet leash fish turtle rabbit bunny horse horses pony snake lizard poodle retriever bulldog shepherd aquarium zoo",
  farm: "farm farmer cow cows chicken chickens pig goat sheep barn crops field tractor ranch cattle harvest",
  music:
    "music song songs band bands concert guitar piano sing singer singing drum drums album rock country jazz rap hip hop violin listen radio playlist lyrics musician metal pop genre orchestra melody dj karaoke spotify",
  dance: "dance dancing dancer ballet salsa tango choreography",
  film: "movie movies film films watch watched cinema actor actress netflix tv television show shows series episode comedy horror comic marvel superhero anime cartoon theater theatre director star wars disney",
  books:
    "book books read reading reader novel novels author library write writing writer poem poetry fiction story stories chapter fantasy magazine potter",
  games:
    "game games gaming video xbox playstation nintendo console player chess poker cards board puzzle minecraft pokemon gamer",
  sports:
    "sport sports football soccer basketball baseball hockey tennis golf team teams coach league olympics medal play player match season athlete cheer volleyball softball rugby score field",
  exercise:
    "gym exercise workout run running jog jogging marathon yoga fit fitness weights lift lifting muscle train training swim swimming bike biking cycling hike hiking walk treadmill shape climb climbing",
  outdoors:
    "outdoors outside nature camping camp tent hike hiking fishing fish hunt hunting mountain mountains lake river forest woods park trail beach ocean sea surf surfing sand kayak boat sail sailing water wave snowboard ski skiing",
  garden:
    "garden gardening flower flowers plant plants tree trees grow rose roses vegetables lawn seeds soil tomato tomatoes",
  food: "food eat eating ate dinner lunch breakfast meal meals pizza pasta burger burgers sushi taco tacos steak chicken meat vegan vegetarian vegetable vegetables fruit salad cheese bread sandwich soup rice snack hungry taste delicious cuisine dish dishes diet spicy sauce bacon egg eggs potato potatoes fries shrimp seafood",
  cooking:
    "cook cooking cooks chef recipe recipes bake baking baker kitchen oven grill bbq barbecue restaurant cuisine ingredients",
  sweets:
    "chocolate candy cake cakes cookie cookies ice cream dessert sweet sweets sugar pie vanilla strawberry cupcake donut",
  drinks:
    "coffee tea drink drinks drinking beer wine alcohol bar soda juice cocktail vodka whiskey latte starbucks milk brew brewery pub",
  work: "work works working job jobs career office boss company business employer employee hire hired manager coworker coworkers salary retired retire profession living occupation shift position interview promotion freelance",
  professions:
    "teacher nurse doctor lawyer engineer accountant programmer cashier waitress waiter chef artist police officer firefighter mechanic plumber carpenter electrician librarian secretary dentist scientist pilot driver soldier army military navy veteran salesman contractor model realtor",
  school:
    "school college university student students study studying class classes degree major teacher teach teaching grade grades graduate graduated homework exam education professor math science biology chemistry history course campus elementary kindergarten learn",
  family:
    "family mom mother dad father parents brother brothers sister sisters sibling siblings son daughter kid kids child children baby grandma grandmother grandpa grandfather grandparents uncle aunt cousin cousins twins nephew niece raised",
  marriage:
    "married marry wife husband wedding divorce divorced single girlfriend boyfriend dating date relationship engaged fiance love romantic romance partner",
  friends: "friend friends friendship party parties social buddy hang club roommate neighbor lonely",
  places:
    "live lives living city town state country california texas florida york chicago ohio canada england london paris europe america usa michigan seattle boston alaska hawaii germany italy mexico japan china australia france spain originally born grew moved hometown raised village farm south north east west",
  housing:
    "house home apartment rent mortgage room bedroom bathroom kitchen furniture move moving neighborhood condo roof yard basement landlord",
  travel:
    "travel traveling travelling trip trips vacation visit visited visiting abroad passport tour tourist tourism world countries cruise backpack hotel flight airport plane explore destination journey holiday",
  cars: "car cars truck drive driving drove drives vehicle motorcycle ford honda toyota tesla engine mechanic garage license wheel mustang bmw jeep corvette race racing",
  clothes:
    "clothes clothing dress dresses shoes shoe wear wearing fashion shirt pants jeans hat hats jacket style makeup hair haircut outfit skirt boots nails tattoo tattoos piercing beard blonde brunette",
  colors: "color colors colour blue red green purple pink yellow black white orange eyes",
  shopping:
    "shop shopping store stores mall buy bought purchase sell sale sales price cheap expensive discount amazon brand",
  art: "art artist paint painting paintings draw drawing sketch sculpture museum gallery creative craft crafts photography photo photos camera picture pictures design knit knitting sew sewing pottery",
  computers:
    "computer computers internet online website software app apps phone phones laptop programming coding technology facebook youtube instagram twitter social media blog email texting",
  health:
    "health healthy sick doctor hospital medicine disease cancer surgery pain allergy allergic allergies diabetes therapy therapist injury injured headache flu virus weight blood broke broken asthma disability nurse clinic appointment pills medical emergency ambulance department",
  feelings:
    "happy sad angry afraid scared fear depressed depression stress stressed anxiety nervous cry emotional mood excited bored",
  age: "age old older young younger birthday born years teenager teen adult turning",
  faith:
    "god church religion religious christian catholic jewish bible pray prayer faith spiritual buddhist muslim temple atheist mosque",
  season:
    "weather rain raining rainy snow snowing snowy sun sunny hot cold warm cool winter summer spring fall autumn season storm wind windy cloudy humid temperature degrees forecast fog foggy hail thunderstorm drizzle overcast umbrella climate frost blizzard celsius fahrenheit",
  holidays: "christmas halloween thanksgiving easter holiday holidays santa costume presents gift gifts",
  money:
    "money rich poor pay paid bills debt bank invest investment stock stocks tax taxes income afford lottery dollars savings loan credit budget million",
  languages:
    "language languages speak spanish french german english chinese japanese italian fluent accent bilingual translate",
  politics:
    "politics political government president election vote law laws democrat republican senate rights congress policy parliament minister",
  sleep: "sleep sleeping slept bed nap dream dreams awake insomnia tired morning night",
  space: "space moon planet planets stars alien aliens astronomy nasa rocket telescope universe",
  charity: "volunteer volunteering charity homeless shelter donate donation helping community",
  dining:
    "restaurant restaurants table reserve reservation cuisine dine dining menu food eat serves italian chinese indian thai french mexican korean turkish seafood vegetarian moderately priced diner cafe bistro dinner lunch",
  lodging:
    "hotel hotels guesthouse hostel lodge lodging inn room rooms stay staying night nights star stars wifi parking internet bed breakfast check guests accommodation motel suite",
  rail: "train trains station railway platform ticket tickets depart departs departing departure departures arrive arrives arriving arrival leave leaves leaving travel seats fare platform ride bus coach journey",
  taxi: "taxi cab car pick picked pickup driver ride contact destination drop uber leave arrive",
  sights:
    "museum museums attraction attractions park theatre gallery college cinema pool nightclub club entrance fee admission sightseeing visit architecture boat castle church tour entertainment concert hall",
  calendar:
    "calendar schedule scheduled appointment appointments meeting meetings reminder remind event events agenda conference invite attendees attending party dinner lab doctor dentist tennis yoga swimming football activity optometrist date",
  route:
    "route routes navigate navigation directions nearest closest distance miles mile away traffic address street avenue road gas station parking garage map gps turn exit detour quickest fastest shortest block collision drive located location far home house work grocery coffee pizza shopping mall rest stop",
  flights:
    "flight flights airline airport plane depart departure arrival layover nonstop stop economy business cabin boarding gate passenger passengers baggage luggage bag bags seat seats aisle window fly flying reservation itinerary ticket insurance",
  payments:
    "pay payment paid card credit debit refund refunded charge charged cost costs price total fee fees invoice certificate gift balance paypal cash amount bill billing",
  orders:
    "order orders ordered item items delivery deliver delivered shipping shipped package return returned exchange tracking product products cart warranty",
  bookings:
    "book booked booking reservation reserve reference confirmation confirm cancel cancellation cancelled modify change upgrade people person party",
  contact: "phone number address postcode zip code contact email telephone call website",
  accounts: "account password login log user username profile id verify sign membership subscription member",
  banking: "bank account transfer deposit withdraw savings checking loan interest branch atm statement",
  code: "code function functions class method variable type types typescript javascript python rust java compile compiler build refactor module import export library package dependency",
  tests: "test tests testing failing fails passed coverage assertion fixture mock suite unit vitest jest pytest spec",
  faults:
    "bug bugs error errors exception crash crashes stack trace fault fix fixed debug debugging broken fails failure issue regression reproduce",
  data: "database sql query queries table tables column index schema migration row rows postgres sqlite record records",
  screen: "button page css style layout screen component react render color theme font ui menu form design icon",
  server:
    "server deploy deployment docker container kubernetes cloud aws endpoint api request response http proxy port host config configuration environment production staging release pipeline",
  git: "git commit branch merge rebase pull push repository repo diff conflict tag",
  prose:
    "readme docs documentation document write text paragraph section chapter draft essay letter poem article blog wording",
  meeting: "agenda minutes presentation slides project team deadline budget plan report decision discuss discussion",
};

const FIELDS_BY_TERM: ReadonlyMap<string, readonly number[]> = indexFields();

/** The numbers of the fields that a term belongs to. */
export function fieldsOf(term: string): readonly number[] {
  return FIELDS_BY_TERM.get(term) ?? [];
}

function indexFields(): ReadonlyMap<string, readonly number[]> {
  const index = new Map<string, readonly number[]>();
  Object.values(FIELDS).forEach((words, field) => {
    for (const term of new Set(termsOf(words))) index.set(term, [...(index.get(term) ?? []), field]);
  });
  return index;
}
