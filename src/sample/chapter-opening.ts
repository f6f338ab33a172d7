/** The last weeks: recordings, signs that may not be fixed to walls, the opening. */

import type { ScriptTurn } from "./sample-script.ts";
import { buildLog, shortTour } from "./sample-tools.ts";

export const OPENING: readonly ScriptTurn[] = [
  {
    at: "2026-05-09T18:45",
    who: "Tomasz",
    asks: "Both speakers are done, what a day. 24 takes each. Please build Danish and English.",
    rounds: [
      {
        calls: [
          {
            tool: "run_script",
            input: { command: "node build-audio.mjs --language da" },
            output: buildLog({ stations: shortTour(), language: "da" }),
          },
        ],
      },
      {
        calls: [
          {
            tool: "run_script",
            input: { command: "node build-audio.mjs --language en" },
            output: buildLog({ stations: shortTour(), language: "en" }),
          },
        ],
      },
    ],
    answer: "Danish and English are built: 24 files each, all at -16.0 LUFS, no take was left open.",
  },
  {
    at: "2026-05-11T09:12",
    who: "Nora",
    asks: "I listened to everything. In English stop 15 says 'lighthouse lens of 1980'. It has to be 1908.",
    answer:
      "Stop 15 in English has to say 1908. One correction per text is included in the price of Studio Korpen, so this one is free.",
  },
  {
    at: "2026-05-11T09:20",
    who: "Nora",
    asks: "And the furnace? Do all three languages have the right date?",
    rounds: [
      {
        calls: [
          {
            tool: "read_file",
            input: { path: "texts/sv/07.md" },
            output:
              "# 7 Degelugnen\n\nDu står där det aldrig var kallt. Den 4 oktober 1878 tändes degelugnen för första gången.\n",
          },
          {
            tool: "read_file",
            input: { path: "texts/da/07.md" },
            output:
              "# 7 Digelovnen\n\nDu står, hvor der aldrig var koldt. Den 4. oktober 1878 blev digelovnen tændt for første gang.\n",
          },
          {
            tool: "read_file",
            input: { path: "texts/en/07.md" },
            output:
              "# 7 Pot furnace\n\nYou are standing where it was never cold. On 4 October 1878 the pot furnace was lit for the first time.\n",
          },
        ],
      },
    ],
    answer: "All three say 4 October 1878. Only the old sign beside the furnace still says 1887.",
  },
  {
    at: "2026-05-12T13:40",
    who: "Tomasz",
    asks: "The signs: 24 number plates of ten by ten centimetres. The printer suggests strong adhesive pads, they hold on brick for years. Shall I order them for all rooms?",
    answer:
      "Not for all rooms. On 2 March Nora said that nothing may be drilled, screwed or glued to the walls of the furnace hall and the cellar, because they are listed and the county would close the house. That concerns six plates: stops 7, 8, 10 and 11 in the furnace hall, 23 and 24 in the cellar. For the other eighteen pads are fine.",
  },
  {
    at: "2026-05-12T13:52",
    who: "Tomasz",
    asks: "Good that you remember. Then six feet of sheet steel that stand on the floor. What would that leave us?",
    answer: "Plan B has 142 euros left under the limit. So six steel feet may cost 23 euros each at the most.",
  },
  {
    at: "2026-05-13T10:26",
    who: "Tomasz",
    asks: "The smith in Hamnskär makes them for 19 euros a piece, ready on 29 May.",
    answer: "Six feet at 19 euros are 114 euros, so 28 euros remain of the 4,800. Ready on 29 May.",
  },
  {
    at: "2026-05-13T10:31",
    who: "Ifeoma",
    asks: "Approved. And please, nobody finds anything else that costs money.",
    answer: "Approved: six steel feet for 114 euros. The plan stands at 4,772 euros.",
  },
  {
    at: "2026-05-29T16:10",
    who: "Nora",
    asks: "The feet are beautiful. I want a test with real people before the opening. Maj's choir, fourteen of them, on 4 June at six in the evening.",
    answer: "Test with Maj's choir: fourteen people, Thursday, 4 June, 18:00.",
  },
  {
    at: "2026-06-04T20:35",
    who: "Tomasz",
    asks: "Test done. Everything played. Three things: the keypad's zero is too close to the edge, two people did not find stop 37, and in the annex it is too quiet because of the fan.",
    answer:
      "Three points from the test: move the keypad's zero away from the edge, a better place for the plate of stop 37 (the whistle, in the gatehouse), and more loudness or less fan in the annex for stops 33 to 35.",
  },
  {
    at: "2026-06-08T09:00",
    who: "Tomasz",
    asks: "Zero moved, plate 37 hangs at the window now, and Nora switches the fan off while visitors are in the annex. What is still open?",
    answer:
      "Open is the old sign at the furnace that says 1887, and the correction of stop 15 in English, of which nobody has said that it arrived.",
  },
  {
    at: "2026-06-09T11:18",
    who: "Nora",
    asks: "The correction of stop 15 came on 20 May, Tomasz built it in. And I took the old sign down this morning: it hung on a nail that was already there, so I broke no rule.",
    answer: "Then nothing is open. Stop 15 says 1908 in English, and the sign with 1887 is gone.",
  },
  {
    at: "2026-06-13T19:05",
    who: "Nora",
    asks: "We had 212 visitors today, and 140 of them used the guide. Maj signed autographs. Thank you all. What did we learn, for next year's application to the county?",
    answer:
      "For the county in 2027: 4,772 of 4,800 euros spent, 24 stops in Swedish, Danish and English, 140 of 212 visitors on the first day used the guide on a phone, ten phones to lend, and nothing touched a listed wall. The reference of this year's application was KM-2026-0419.",
  },
];
