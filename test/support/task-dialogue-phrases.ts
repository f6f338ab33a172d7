/**
 * Phrases of callers and clerks in generated task dialogues, by topic: openings, answers, further pairs and endings.
 * `{name}` is a value that stays the same in a dialogue. All of it is invented.
 */

export interface TaskTopic {
  readonly name: string;
  readonly values: Readonly<Record<string, readonly string[]>>;
  /** A caller's first words and the clerk's answer. */
  readonly openings: readonly string[];
  readonly answers: readonly string[];
  /** Further pairs of a caller's words and the clerk's answer. */
  readonly exchanges: readonly (readonly [string, string])[];
  /** Phrases that either speaker may add to any turn to repeat the topic. */
  readonly mentions: readonly string[];
}

const DAY = ["monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday", "tomorrow", "next week"];
const TIME = ["5pm", "11:30", "9 am", "7 o'clock", "14:15", "noon", "18:45", "10 am", "half past six"];
const PEOPLE = ["2", "3", "four", "5", "six", "8", "two", "just me"];

const RESTAURANT: TaskTopic = {
  name: "restaurant",
  values: {
    food: ["thai", "italian", "turkish", "vegetarian", "korean", "seafood", "french", "mexican", "lebanese"],
    area: ["north", "south", "centre", "east side", "west", "old town"],
    price: ["cheap", "moderately priced", "expensive", "mid range"],
    place: ["the Copper Pot", "Lemon Tree", "Bella Notte", "Sesame House", "the Anchor Grill", "Blue Olive"],
    day: DAY,
    time: TIME,
    people: PEOPLE,
    code: ["QX71B", "7HT2K", "LM0P4", "ZZ81C"],
  },
  openings: [
    "I am looking for a {price} restaurant in the {area}.",
    "Can you recommend a place to eat that serves {food} food?",
    "Hi, I'd like to find somewhere {price} to have dinner in the {area} of town.",
    "I need a table at a {food} restaurant on {day}.",
    "We are hungry. Is there any {food} food around here?",
    "Do you know a restaurant called {place}?",
    "i want {food} cuisine , preferably {price}",
    "Please book {place} for {people} people at {time}.",
  ],
  answers: [
    "{place} is a {price} {food} restaurant in the {area}. Shall I reserve a table?",
    "There are several {food} restaurants. Do you have a price range in mind?",
    "I have four places to eat in the {area}. What kind of food would you like?",
    "{place} serves {food} food and is {price}. Would you like the address?",
    "I'm sorry, there are no {food} restaurants in the {area}. Would another cuisine do?",
  ],
  exchanges: [
    ["Yes, a table for {people} at {time} on {day} please.", "Your table is booked. The reference number is {code}."],
    ["What is the address and phone number?", "{place} is at 14 Mill Lane, and the phone number is 01223 400{code}."],
    ["It does not matter, as long as it is {price}.", "Then I recommend {place}. It is {price} and well liked."],
    ["Does it serve {food} dishes?", "Yes, {place} serves {food} dishes, and the menu changes every week."],
    ["How about {food} food instead?", "{place} offers {food} food in the {area}."],
    ["Is it in the {area}?", "It is, right in the {area}, near the market."],
    ["{people} people.", "And what time would you like to eat?"],
    ["{time} is fine.", "I have booked it. Your reference is {code}."],
  ],
  mentions: ["at {place}", "for the {food} restaurant", "in the {area}", "for your table", "with {food} food"],
};

const HOTEL: TaskTopic = {
  name: "hotel",
  values: {
    place: ["Rosebank Guesthouse", "the Station Lodge", "Hill View", "Garden Inn", "Old Mill Hotel"],
    area: ["north", "south", "centre", "east", "west"],
    stars: ["2", "3", "four", "5"],
    nights: ["two", "3", "one", "five"],
    day: DAY,
    people: PEOPLE,
    code: ["RT55A", "8UYQ1", "PO93M"],
  },
  openings: [
    "I need a place to stay with free wifi.",
    "I'm looking for a hotel in the {area} with parking.",
    "can you find me a guesthouse that has {stars} stars",
    "Hello, I want to book a room at {place}.",
    "Which hotels are there in the {area} part of town?",
    "Could you help me with lodging for {people} from {day}?",
    "I am trying to find somewhere cheap to sleep for {nights} nights.",
  ],
  answers: [
    "{place} is a {stars} star hotel in the {area} with free parking and wifi. Shall I book a room?",
    "I found three guesthouses. Do you need parking?",
    "Sure, for how many nights and how many guests?",
    "There is {place}, which has {stars} stars. Does that sound good?",
    "No hotel matches that. Would you try another part of town?",
  ],
  exchanges: [
    [
      "Yes, for {people} people and {nights} nights from {day}.",
      "The room is booked, your reference number is {code}.",
    ],
    ["Does it include internet?", "Yes, {place} has free internet in every room."],
    ["I don't need parking, but wifi is a must.", "{place} has wifi. Would you like me to book it?"],
    ["What is the postcode?", "The postcode of {place} is CB{stars} 1DE."],
    ["Could we stay {nights} nights instead?", "That works. Your stay is booked under {code}."],
    ["It should have {stars} stars.", "{place} has {stars} stars and lies in the {area}."],
    ["How much is the room per night?", "A double room at {place} costs 85 pounds a night, breakfast included."],
  ],
  mentions: ["at {place}", "for the hotel", "for {nights} nights", "in the {area}", "for the room"],
};

const TRAIN: TaskTopic = {
  name: "train",
  values: {
    from: ["Ely", "Norwich", "London", "Leeds", "Stevenage", "Bristol"],
    to: ["Cambridge", "Peterborough", "Oxford", "the airport", "York"],
    day: DAY,
    time: TIME,
    people: PEOPLE,
    train: ["TR4821", "TR0093", "TR7715", "TR3360"],
    price: ["23.60", "10.10", "17.90", "75.10"],
    code: ["WX2P0", "B7Y1L", "KK4D8"],
  },
  openings: [
    "I need a train from {from} to {to}.",
    "What trains leave {from} on {day} after {time}?",
    "hi , i am travelling to {to} on {day} and need a train ticket",
    "Can you look up train times to {to} for me?",
    "I'd like to arrive in {to} by {time}, departing from {from}.",
    "Is there a train to {to} that leaves on {day}?",
    "Please help me get a train ticket from {from}.",
  ],
  answers: [
    "There are many trains from {from} to {to}. What day would you like to travel?",
    "{train} leaves {from} at {time} and arrives in {to} an hour later.",
    "Where will you be departing from?",
    "When would you like to arrive?",
    "I have a train at {time} for {price} pounds. Shall I book it?",
  ],
  exchanges: [
    ["I will leave on {day} after {time}.", "{train} leaves at {time}. How many tickets do you need?"],
    ["Book {people} seats please.", "Done, the total fee is {price} pounds payable at the station. Reference: {code}."],
    ["How long is the ride?", "The journey takes 50 minutes."],
    ["What does a ticket cost?", "It costs {price} pounds each."],
    ["From {from}, going to {to}.", "I have ten trains on that line. Do you prefer a departure time?"],
    ["What is the arrival time?", "{train} arrives in {to} at {time}."],
    ["On {day}, please.", "The first train of that day leaves {from} at {time}."],
  ],
  mentions: ["to {to}", "from {from}", "for the train", "on {train}", "on {day}"],
};

const TAXI: TaskTopic = {
  name: "taxi",
  values: {
    from: ["the museum", "King Street college", "the swimming pool", "my hotel", "the night club"],
    to: ["the railway station", "the theatre", "Bella Notte", "the hospital", "the church"],
    time: TIME,
    car: ["a red toyota", "a grey skoda", "a black audi", "a white tesla"],
    phone: ["07700 900461", "07700 118274", "07512 334455"],
  },
  openings: [
    "I need a taxi to {to}.",
    "Can I get a cab from {from} to {to}?",
    "Please send a taxi, I have to leave {from} by {time}.",
    "i would like to book a taxi to take me to {to}",
    "I want to be picked up at {from}.",
    "Could you order a car for me for {time}?",
  ],
  answers: [
    "Where shall the taxi pick you up?",
    "What time would you like to leave {from}?",
    "I booked {car} for you. The contact number is {phone}.",
    "Sure, when do you need to arrive at {to}?",
  ],
  exchanges: [
    ["I'd like to leave after {time}.", "Your taxi is {car}, contact number {phone}."],
    ["From {from}, please.", "And what is your destination?"],
    ["I am going to {to}.", "OK. {car} will be waiting for you at {time}."],
    ["What kind of car is it?", "It will be {car}."],
    ["Can I have the driver's number?", "The number of the driver is {phone}."],
    ["I have to be at {to} by {time}.", "The booking is complete: {car}, {phone}."],
  ],
  mentions: ["for the taxi", "to {to}", "from {from}", "with {car}", "at {time}"],
};

const SIGHTS: TaskTopic = {
  name: "sights",
  values: {
    kind: ["museum", "park", "theatre", "gallery", "cinema", "college", "boat tour", "swimming pool"],
    area: ["north", "south", "centre", "east", "west"],
    place: ["Riverside Gallery", "the Clock Museum", "Wandle Park", "the Royal Playhouse", "Saint Anne's College"],
    fee: ["free", "4 pounds", "2.50", "five pounds"],
  },
  openings: [
    "What is there to see in the {area}?",
    "I am looking for a {kind} to visit.",
    "Can you tell me about attractions in town, maybe a {kind}?",
    "we'd like to do some sightseeing . any {kind} you can suggest ?",
    "Where is {place}?",
    "I want something fun to do, such as a {kind}.",
  ],
  answers: [
    "There are five attractions of that type. I suggest {place} in the {area}.",
    "{place} is a {kind} in the {area} and the entrance fee is {fee}.",
    "We have no {kind} there. Would you like a museum instead?",
    "Which area of town do you prefer to visit?",
  ],
  exchanges: [
    ["How much is the entrance?", "The entrance to {place} is {fee}."],
    ["I have no preference for the area.", "Then {place} is worth a visit, it is {fee} to enter."],
    ["What is the phone number and postcode?", "The phone number is 01223 332320 and the postcode is CB2 3PQ."],
    ["What type of attraction is it?", "{place} is a {kind}."],
    ["Are there any in the {area}?", "Yes, {place} is in the {area}."],
    ["Is it open on weekends?", "It opens at ten in the morning on weekends."],
  ],
  mentions: ["at {place}", "for the {kind}", "in the {area}", "when you visit {place}"],
};

const CALENDAR: TaskTopic = {
  name: "calendar",
  values: {
    event: [
      "dentist appointment",
      "meeting with my boss",
      "yoga class",
      "dinner",
      "football practice",
      "doctor's visit",
    ],
    who: ["my sister", "Ana", "Tom", "the whole team", "my father", "HR"],
    day: DAY,
    time: TIME,
    topic: ["the budget", "the merger", "the new office", "vacation days"],
    room: ["conference room 50", "room 100", "the large meeting room"],
  },
  openings: [
    "Schedule a {event} with {who} on {day}.",
    "When is my {event}?",
    "remind me to take my pills at {time}",
    "What do I have on my calendar for {day}?",
    "Set up a meeting with {who} to discuss {topic}.",
    "could you add a {event} to my agenda",
    "Check the date and time of my {event} and who is coming.",
  ],
  answers: [
    "What day and time should I set the {event} for?",
    "Your {event} is on {day} at {time}.",
    "I've put the {event} on your calendar for {day}.",
    "You have two: one with {who} and one with HR. Which one?",
    "Setting a reminder for {day} at {time}.",
  ],
  exchanges: [
    ["On {day} at {time}.", "Ok, your {event} is set for {day} at {time}."],
    ["Who else is attending?", "{who} will be attending with you."],
    ["Where does it take place?", "It takes place in {room}."],
    ["Invite {who} as well.", "I added {who} to the {event}."],
    ["What is the agenda?", "You will discuss {topic} in {room}."],
    ["The one with {who}.", "That one is on {day} at {time} in {room}."],
  ],
  mentions: ["for the {event}", "with {who}", "about {topic}", "on {day}"],
};

const WEATHER: TaskTopic = {
  name: "weather",
  values: {
    city: ["Fresno", "Boston", "Manhattan", "Oakland", "Corona", "Durham", "Seattle"],
    sky: ["rain", "snow", "hail", "fog", "clear skies", "thunderstorms", "overcast", "drizzle", "humid", "windy"],
    low: ["20", "40", "60", "30"],
    high: ["50", "90", "70", "100"],
    day: DAY,
  },
  openings: [
    "What is the weather like in {city}?",
    "Will it {sky} on {day}?",
    "tell me the forecast for the next two days in {city}",
    "Is it going to be cold in {city} this week?",
    "what's the temperature going to be on {day}",
    "Do I need an umbrella this weekend?",
    "Give me the weekly forecast please.",
  ],
  answers: [
    "Which city do you want the weather for?",
    "In {city} there will be {sky} on {day}, with a low of {low}F and a high of {high}F.",
    "It is not going to {sky} in {city} on {day}.",
    "There will be {sky} in {city} during the next 7 days.",
    "For what city are you asking?",
  ],
  exchanges: [
    ["{city}.", "It will be {sky} in {city} on {day}."],
    ["What about {day}?", "On {day} expect {sky} and temperatures between {low}F and {high}F."],
    ["In {city} please.", "The forecast for {city} says {sky}."],
    ["Will it be warm there?", "It will be around {high}F, so quite warm."],
    ["How high will the temperature be?", "The high will be {high}F."],
  ],
  mentions: ["in {city}", "on {day}", "in the forecast", "with {sky}"],
};

const NAVIGATION: TaskTopic = {
  name: "navigation",
  values: {
    goal: [
      "gas station",
      "parking garage",
      "coffee shop",
      "grocery store",
      "pizza place",
      "shopping mall",
      "rest stop",
    ],
    place: ["Chevron", "Teavana", "Safeway", "Midtown Parking", "Stanford Oval", "Round Table", "Valero"],
    street: ["200 Alester Ave", "783 Arcadia Place", "338 Alma Lane", "5671 Barringer Street"],
    miles: ["2", "four", "5", "1"],
    traffic: ["heavy traffic", "no traffic", "moderate traffic", "a road block", "a car collision nearby"],
    home: ["home", "my friend's house", "work"],
  },
  openings: [
    "Where's the nearest {goal}?",
    "Navigate to the closest {goal}.",
    "I'm running low on gas, find me a {goal}.",
    "give me directions to {home}",
    "How far away is {home} from here?",
    "Find the quickest route to a {goal} and avoid all traffic.",
    "Are there any {goal}s within five miles?",
  ],
  answers: [
    "The nearest {goal} is {place}, {miles} miles away with {traffic}.",
    "{place} is at {street}. Do you want directions?",
    "There is {place} {miles} miles from here.",
    "Setting the navigation to {street} now.",
    "I found two: {place} and another that is further, with {traffic}.",
  ],
  exchanges: [
    ["What is the address?", "{place} is located at {street}."],
    ["Is there a faster route?", "There is {traffic} on that route; the other one is {miles} miles longer."],
    ["Okay, take me there.", "Directions to {place} are on your screen."],
    ["How is the traffic on the way?", "There is {traffic} on the way to {place}."],
    ["How far is that?", "It is {miles} miles away."],
    ["Pick the one with the least traffic.", "Ok, I set the route to {place}, {street}."],
  ],
  mentions: ["to {place}", "at {street}", "to the {goal}", "on the way to the {goal}"],
};

export const TASK_TOPICS: readonly TaskTopic[] = [
  RESTAURANT,
  HOTEL,
  TRAIN,
  TAXI,
  SIGHTS,
  CALENDAR,
  WEATHER,
  NAVIGATION,
];

/** The last words of a caller, and of the clerk. */
export const FAREWELLS: readonly (readonly string[])[] = [
  ["Thank you, that's all I need.", "You're welcome. Have a nice day!"],
  ["thanks", "you are welcome"],
  ["No, that will be all. Goodbye.", "Thank you for calling, goodbye!"],
  ["Great, thanks for your help.", "Happy to help. Enjoy!"],
  ["Perfect.", "Is there anything else I can help you with?", "No thank you, bye.", "Have a good one."],
  ["Thank you so much!", "My pleasure."],
  ["That is everything, thanks.", "Anytime. Take care."],
  ["Ok, thanks."],
  ["Cool, thank you very much.", "No problem, drive safely!"],
  ["That's it for today.", "Glad I could help. Bye."],
];
