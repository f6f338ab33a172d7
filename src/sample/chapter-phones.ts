/** The county says no, and the decision for rented players is changed. */

import type { ScriptTurn } from "./sample-script.ts";
import { budgetSheet, shortTour, signalTable } from "./sample-tools.ts";

export const PHONES: readonly ScriptTurn[] = [
  {
    at: "2026-04-24T15:22",
    who: "Ifeoma",
    asks: "Bad news. The county's answer to KM-2026-0419: no money this year, the fund is empty. We may apply again in 2027.",
    answer:
      "Then the condition for the players is not met: on 6 March the board decided to rent them provided that the county pays. Without it plan A is 1,986 euros over the 4,800.",
  },
  {
    at: "2026-04-24T15:40",
    who: "Tomasz",
    asks: "So phones after all. A small computer with an access point in the lamp room serves the guide as a web page. No app, nothing to install, no internet needed. I would like to measure the signal before we promise anything.",
    rounds: [{ calls: [{ tool: "read_sensors", input: { kind: "wifi" }, output: signalTable(shortTour()) }] }],
    answer:
      "With one access point in the lamp room every stop works except the two in the cellar, the flood line (23) and the coal tunnel (24): there no page loads, at -89 and -86 dBm.",
  },
  {
    at: "2026-04-24T15:58",
    who: "Tomasz",
    asks: "The page could load the cellar's two files in advance, while people are still upstairs. Then it does not matter that there is no signal down there.",
    answer:
      "That works as long as the page is opened upstairs first. The two files are about 960 kB together in one language, so loading them in advance costs nobody anything.",
  },
  {
    at: "2026-04-27T10:05",
    who: "Ifeoma",
    asks: "And what does it cost? Please read me plan B.",
    rounds: [
      {
        calls: [
          {
            tool: "read_sheet",
            input: { name: "plan-b-phones" },
            output: budgetSheet(
              [
                { item: "Speaker Danish, 42 min at 35", euros: 1470, note: "Studio Korpen, 9 May" },
                { item: "Speaker English, 42 min at 35", euros: 1470, note: "Studio Korpen, 9 May" },
                { item: "Cutting, 84 min at 6", euros: 504, note: "Swedish is cut by our script" },
                { item: "Small computer with case", euros: 145, note: "" },
                { item: "Access point", euros: 119, note: "" },
                { item: "Ten used phones to lend", euros: 600, note: "for visitors without one" },
                { item: "Ten pairs of headphones", euros: 90, note: "" },
                { item: "Signs with numbers and codes", euros: 260, note: "24 pieces and the entrance" },
              ],
              4_800,
            ),
          },
        ],
      },
    ],
    answer:
      "Plan B comes to 4,658 euros, 142 under the limit, with ten used phones to lend for visitors who have none.",
  },
  {
    at: "2026-04-27T10:21",
    who: "Nora",
    asks: "I did not like it, but I understand it. New decision of the board: no rented players. Visitors use their own phones, and we lend ten. Please cancel with Lydia.",
    answer:
      "Changed on 27 April: visitors use their own phones, ten are lent, and the rented players are off. The offer of Lydia Rentals was never accepted and runs out on 30 April, so a short note is enough.",
  },
  {
    at: "2026-04-27T10:30",
    who: "Nora",
    asks: "And the old people who like buttons?",
    answer:
      "The page can show one large keypad instead of a list: type the number, hear the stop. On the lent phones it can be all there is on the screen.",
  },
  {
    at: "2026-04-28T08:15",
    who: "Tomasz",
    asks: "Keypad page is up. Can you read through the service worker? It should keep stops 23 and 24 for the cellar.",
    rounds: [
      {
        calls: [
          {
            tool: "read_file",
            input: { path: "page/service-worker.js" },
            output: [
              'const CACHE = "guide-3";',
              'const CELLAR = [22, 23].map((number) => ["", language, number].join("/") + ".opus");',
              "",
              'self.addEventListener("install", (event) => {',
              "  event.waitUntil(caches.open(CACHE).then((cache) => cache.addAll(CELLAR)));",
              "});",
              "",
              'self.addEventListener("fetch", (event) => {',
              "  event.respondWith(caches.match(event.request).then((hit) => hit ?? fetch(event.request)));",
              "});",
            ].join("\n"),
          },
        ],
      },
    ],
    answer:
      "Two faults. It keeps stops 22 and 23, but the cellar's stops are 23 and 24; 22, the ice store, is no longer part of the tour. And `language` is not defined there: the worker has to learn it from the page, for example from its own address.",
  },
  {
    at: "2026-04-28T08:33",
    who: "Tomasz",
    asks: "Embarrassing, fixed both. The language is now a parameter of the worker's address. Tested in the cellar with flight mode: 23 and 24 play.",
    answer: "Good: stops 23 and 24 play in the cellar without a signal.",
  },
  {
    at: "2026-04-30T17:02",
    who: "Nora",
    asks: "The archive is at 52 percent, the negatives are back on their shelf. One worry less.",
    answer: "The negatives are back on shelf N2, and the archive is dry at 52 percent.",
  },
];
