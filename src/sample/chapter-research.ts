/** The first days: the purpose of the guide, its requirements, and the archive. */

import type { ScriptTurn } from "./sample-script.ts";
import { archiveCards, stationTable } from "./sample-tools.ts";

export const RESEARCH: readonly ScriptTurn[] = [
  {
    at: "2026-03-02T09:05",
    who: "Nora",
    asks: "Good morning. We want an audio guide for the glass museum in Glimvik before the summer season. Tomasz will build it, Ifeoma keeps an eye on the money, and you help us to keep everything together.",
    answer:
      "Good morning, Nora. I will keep track of stops, texts, costs and dates. To begin with I need three things: when the guide has to be ready, what it may cost, and what the house does not allow.",
  },
  {
    at: "2026-03-02T09:11",
    who: "Nora",
    asks: "Ready means 13 June 2026, the day of the reopening. The board gave us 4,800 euros and not a cent more.",
    answer: "Noted: reopening on Saturday, 13 June 2026, and at most 4,800 euros in all.",
  },
  {
    at: "2026-03-02T09:16",
    who: "Nora",
    asks: "And one thing that must never be forgotten: the furnace hall and the cellar are listed. Nothing may be drilled, screwed or glued to their walls, not even a small sign. The county would close us.",
    answer:
      "That holds for everything we plan: nothing is drilled, screwed or glued to the walls of the furnace hall and the cellar. Signs and devices there have to stand or hang from what is not part of the building.",
  },
  {
    at: "2026-03-02T09:30",
    who: "Tomasz",
    asks: "Hi, Tomasz here. Can you show me the list of stops as it stands, so that I know how much audio we are talking about?",
    rounds: [{ calls: [{ tool: "list_stations", input: { tour: "full" }, output: stationTable() }] }],
    answer:
      "There are 38 stops and 59 minutes and 5 seconds of planned audio. The longest are the lighthouse lens (stop 15) and the voices of the village (stop 35) with two and a half minutes each.",
  },
  {
    at: "2026-03-02T09:42",
    who: "Tomasz",
    asks: "An hour of audio is a lot for a house that people leave after fifty minutes. Let us keep that in mind. Which languages?",
    answer:
      "Nobody has said so yet. The visitors' book of last year would help to choose: it asks for the home country.",
  },
  {
    at: "2026-03-02T10:02",
    who: "Nora",
    asks: "From the visitors' book: 54 percent from here, 31 percent Danish, the rest from everywhere. So Swedish and Danish, and English for everybody else. Three languages.",
    answer: "Three languages then: Swedish, Danish and English.",
  },
  {
    at: "2026-03-03T13:20",
    who: "Nora",
    asks: "For stop 7, the pot furnace, I need the facts. Our sign says it was built in 1887. Does the archive agree?",
    rounds: [
      {
        says: "I look at the catalogue cards for the pot furnace.",
        calls: [
          {
            tool: "search_archive",
            input: { query: "pot furnace" },
            output: archiveCards("pot furnace", [
              "Sign text of 1996: 'The pot furnace of 1887 held eight pots of 400 kilograms each.'",
              "Letter of the stove fitter H. Brandt about repairs to the arch, not dated.",
            ]),
          },
        ],
      },
    ],
    answer:
      "The cards repeat the sign: the pot furnace of 1887 with eight pots of 400 kilograms each. The only source is the sign text of 1996, though; card GG-301 is a letter about repairs to the arch, without a date.",
  },
  {
    at: "2026-03-03T13:31",
    who: "Nora",
    asks: "Then take 1887 for now. Write me a first text for stop 7, not longer than two minutes and twenty seconds.",
    answer:
      "Draft for stop 7: “You are standing where it was never cold. In 1887 the pot furnace was lit for the first time, and it went out only twice in ninety years. Eight clay pots stood in this ring, each with 400 kilograms of molten glass, and around it eight teams who did not speak much: the fire was too loud.” Read slowly that is about fifty seconds, so there is room for the work of a team.",
  },
  {
    at: "2026-03-03T15:02",
    who: "Tomasz",
    asks: "Who is going to read the texts? A synthetic voice would be free.",
    answer:
      "It would be free, but that is for Nora to say: for a house that lives from people's stories the voice is part of what is shown.",
  },
  {
    at: "2026-03-03T15:10",
    who: "Nora",
    asks: "No synthetic voices. My neighbour Maj worked in the loft until closing day; she reads the Swedish. Keep drafting in English, I put the texts into Swedish myself. For Danish and English we need somebody who does this for a living.",
    answer:
      "Maj reads the Swedish texts, which you make from my English drafts. For Danish and English we look for professional speakers; no synthetic voices.",
  },
  {
    at: "2026-03-04T08:55",
    who: "Tomasz",
    asks: "I asked around for speakers. Can you read the page of the studio in Korpen and tell me what they charge?",
    rounds: [
      {
        calls: [
          {
            tool: "fetch_page",
            input: { url: "https://studio-korpen.example/prices" },
            output: [
              "Studio Korpen — speakers and recording",
              "Speakers by language: Danish (2), English (3), Finnish (1), German (2), Norwegian (2).",
              "Narration for museums and exhibitions: 35 euros per finished minute, one correction included.",
              "Every further correction: 12 euros per minute.",
              "Studio with technician: 80 euros per hour, at least two hours.",
              "Cutting and loudness according to EBU R 128: 6 euros per finished minute.",
              "Rights: unlimited use inside the house; on the web 20 percent more.",
              "Booking at least four weeks ahead. Cancelled less than seven days before: half of the price.",
              "We also lend recorders and microphones to schools and associations; ask Ylva at the desk.",
            ].join("\n"),
          },
        ],
      },
    ],
    answer:
      "Studio Korpen takes 35 euros per finished minute with one correction, 12 euros for every further one, 80 euros an hour for the studio, and 6 euros a minute for cutting. Use on the web costs 20 percent more. They want to be booked four weeks ahead.",
  },
  {
    at: "2026-03-04T09:07",
    who: "Ifeoma",
    asks: "Ifeoma speaking. Two languages times 59 minutes times 35 euros is 4,130 euros before anybody has bought a single device. That does not work.",
    answer:
      "You are right: 2 × 59 × 35 is 4,130 euros, which leaves 670 of the 4,800. Either the tour gets shorter or a language goes.",
  },
];
