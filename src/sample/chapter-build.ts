/** The script that makes the audio files: it fails, the reason is found, it runs. */

import type { ScriptTurn } from "./sample-script.ts";
import { buildLog, shortTour } from "./sample-tools.ts";

const SCRIPT = [
  'import { readFile } from "node:fs/promises";',
  'import { measureLoudness, encodeOpus } from "./audio.mjs";',
  "",
  'const stations = JSON.parse(await readFile("stations.json", "utf8"));',
  'const language = process.argv[process.argv.indexOf("--language") + 1];',
  "for (const station of stations) {",
  '  const take = ["takes", language, fileName(station.number)].join("/");',
  "  const { loudness, duration } = await measureLoudness(take);",
  "  const gain = TARGET_LUFS - loudness;",
  "  await encodeOpus(take, { gain, seconds: duration.toFixed(1) });",
  "}",
].join("\n");

export const BUILD: readonly ScriptTurn[] = [
  {
    at: "2026-04-10T08:30",
    who: "Tomasz",
    asks: "Maj recorded the Swedish texts yesterday in my kitchen, all 24. I wrote a small script that cuts and levels them. Please run it for Swedish.",
    rounds: [
      {
        calls: [
          {
            tool: "run_script",
            input: { command: "node build-audio.mjs --language sv" },
            output: buildLog({
              stations: shortTour(),
              language: "sv",
              failsAt: {
                number: 19,
                error: [
                  "TypeError: Cannot read properties of undefined (reading 'toFixed')",
                  "    at file:///guide/build-audio.mjs:10:58",
                  "    at process.processTicksAndRejections (node:internal/process/task_queues:104:5)",
                ],
              },
            }),
            failed: true,
          },
        ],
      },
    ],
    answer:
      "It stopped at stop 19, “The dust that killed”: TypeError, cannot read properties of undefined (reading 'toFixed'), at build-audio.mjs:10. The twelve stops before it were written.",
  },
  {
    at: "2026-04-10T08:41",
    who: "Tomasz",
    asks: "Odd, the file is there. Look at the script and at what measureLoudness says about take 19.",
    rounds: [
      {
        calls: [
          { tool: "read_file", input: { path: "build-audio.mjs" }, output: SCRIPT },
          {
            tool: "run_script",
            input: { command: "node audio.mjs --measure takes/sv/19.wav" },
            output:
              "$ node audio.mjs --measure takes/sv/19.wav\nheader: RIFF, 48000 Hz, 1 channel, data chunk size 0\nwarning: the recorder was switched off before the file was closed\n{ loudness: -70, duration: undefined }\nexit code 0",
          },
        ],
      },
    ],
    answer:
      "Take 19 was never closed: its data chunk says size 0, because the recorder was switched off too early. measureLoudness then gives no duration, and line 10 of the script trips over it. The sound may still be in the file; the header only denies it.",
  },
  {
    at: "2026-04-10T08:55",
    who: "Tomasz",
    asks: "Can we repair the header instead of asking Maj to read that text again? It made her cry the first time.",
    rounds: [
      {
        calls: [
          {
            tool: "run_script",
            input: { command: "node audio.mjs --repair takes/sv/19.wav" },
            output:
              "$ node audio.mjs --repair takes/sv/19.wav\nfile size 12,384,044 bytes, data chunk set to 12,384,000\nduration 129.0 s, loudness -21.4 LUFS\nwritten: takes/sv/19.wav (the original is takes/sv/19.wav.bak)\nexit code 0",
          },
        ],
      },
    ],
    answer:
      "Repaired: take 19 is 129 seconds long at -21.4 LUFS, and nothing is missing. The original is kept as 19.wav.bak.",
  },
  {
    at: "2026-04-10T09:02",
    who: "Tomasz",
    asks: "Wonderful. Make the script refuse such a take with a clear message, and run it again.",
    rounds: [
      {
        calls: [
          {
            tool: "write_file",
            input: {
              path: "build-audio.mjs",
              content: SCRIPT.replace(
                "  const gain",
                "  if (duration === undefined) throw new Error(take + ' was not closed; try --repair');\n  const gain",
              ),
            },
            output: "written",
          },
        ],
      },
      {
        calls: [
          {
            tool: "run_script",
            input: { command: "node build-audio.mjs --language sv" },
            output: buildLog({ stations: shortTour(), language: "sv" }),
          },
        ],
      },
    ],
    answer:
      "All 24 Swedish files are in dist/sv, each at -16.0 LUFS. A take that was not closed now stops the script with its name.",
  },
  {
    at: "2026-04-10T11:30",
    who: "Ifeoma",
    asks: "The figures, please: what does plan A cost, how much do we ask for, and how many minutes of audio is that?",
    answer:
      "Plan A costs 6,786 euros; the board gives 4,800; we ask the county for 1,986 euros at least, 3,000 at most. The audio is 42 minutes in each of three languages. Visitors: 7,431 in 2025 and 6,980 in 2024. Registration number GM-802417.",
  },
  {
    at: "2026-04-15T10:12",
    who: "Ifeoma",
    asks: "Sent, two days early. Their reference is KM-2026-0419. They answer by 24 April.",
    answer: "The application is in as KM-2026-0419; the county answers by 24 April 2026.",
  },
  {
    at: "2026-04-16T13:05",
    who: "Tomasz",
    asks: "Somebody cancelled at Studio Korpen: they can have us on 9 May for Danish and English, both speakers on the same day, although that is less than four weeks ahead. Shall I book?",
    answer:
      "Saturday, 9 May leaves five weeks until the reopening, which is time enough for one correction. But they take half of the price if we cancel less than seven days before, so Nora should agree.",
  },
  {
    at: "2026-04-16T13:20",
    who: "Nora",
    asks: "Book it. 9 May, Danish and English. And ask whether Ylva lends us a recorder, so that this does not happen again.",
    answer: "Booked is: 9 May at Studio Korpen, Danish and English. Tomasz asks Ylva at the desk for a recorder.",
  },
  {
    at: "2026-04-20T09:33",
    who: "Tomasz",
    asks: "Danish texts are translated. I put them into texts/da. Could you check that all 24 are there and none is too long?",
    rounds: [
      {
        calls: [
          {
            tool: "run_script",
            input: { command: "node check-texts.mjs --language da" },
            output: [
              "$ node check-texts.mjs --language da",
              ...shortTour().map(({ number, title, seconds }) => {
                const words = Math.round(seconds * 2.3) + (number === 20 ? 61 : 0);
                const isLong = number === 20;
                return `texts/da/${String(number).padStart(2, "0")}.md  ${title}: ${words} words, about ${Math.round(words / 2.3)} s${isLong ? "  TOO LONG" : ""}`;
              }),
              "24 texts, 1 too long",
              "exit code 2",
            ].join("\n"),
            failed: true,
          },
        ],
      },
    ],
    answer: "All 24 are there. Only stop 20, the strike of the cutters, is too long: 349 words, about 152 seconds.",
  },
  {
    at: "2026-04-20T09:47",
    who: "Nora",
    asks: "Cut the paragraph about the newspaper from stop 20. The strike is about bread, not about the press.",
    answer:
      "The paragraph about the newspaper goes from stop 20 in all three languages. That brings the Danish text to 288 words.",
  },
];
