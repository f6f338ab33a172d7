/**
 * Logs of agents at work, written for the quality score. `U` is the user, `A` the assistant, `C tool input` a call, `R` its
 * result and `E` a failed result; `\\n` is a line break. What a summary should keep is marked as in talks.ts.
 */
export const WORK: Readonly<Record<string, string>> = {
  "a failing invoice test": `
@2024-10-01T09:00Z
U: The invoice totals are wrong for customers in Norway. Please find out why. [words do not touch the public API of the billing package].
A: I will look at the billing code first.
C bash {"command":"ls packages/billing/src"}
R index.ts\\ninvoice.ts\\nrounding.ts\\ntax-tables.ts\\nvouchers.ts
C read_file {"path":"packages/billing/src/invoice.ts"}
R 1→import { taxRate } from "./tax-tables.ts";\\n2→import { roundHalfEven } from "./rounding.ts";\\n3→export function totalOf(lines: Line[]): number {\\n4→  return lines.reduce((sum, line) => sum + roundHalfEven(line.net * (1 + taxRate(line.country))), 0);\\n5→}
A: The total rounds every line. [fact Norway rounds the sum, not the lines].
C bash {"command":"npx vitest run packages/billing"}
E FAIL packages/billing/src/invoice.test.ts\\nAssertionError: [fact expected 1249.5 to be 1249.75]\\nTests 1 failed | 41 passed
U: Yes, that is the case from ticket [name BILL-3381].
A: We decided to [fact round once per invoice in totalOf].
C edit_file {"path":"packages/billing/src/[name invoice.ts]","old":"sum + roundHalfEven(line.net * (1 + taxRate(line.country)))","new":"sum + line.net * (1 + taxRate(line.country))"}
R ok
C bash {"command":"npx vitest run packages/billing"}
E FAIL packages/billing/src/vouchers.test.ts\\nTypeError: [fact cannot read properties of undefined (reading 'percent')]
A: The voucher code calls the old helper. Good catch.
C edit_file {"path":"packages/billing/src/[name vouchers.ts]","old":"applyVoucher(line)","new":"applyVoucher(line, voucher)"}
R ok
C bash {"command":"npx vitest run packages/billing"}
R Test Files 6 passed\\nTests 42 passed
A: All 42 tests pass now. Next, I will update the changelog and bump the version to [name 4.2.1].
U: Also add a test for a credit note of [fact minus 300 kroner]. The release is [date on 7 October].
A: TODO: [fact write the credit note test in invoice.test.ts].
C grep {"pattern":"roundHalfEven","path":"packages"}
R packages/billing/src/rounding.ts:3:export function roundHalfEven\\npackages/reports/src/monthly.ts:18:roundHalfEven(total)\\npackages/reports/src/yearly.ts:22:roundHalfEven(total)
A: The reports round by themselves, so they are not affected.`,

  "a slow dashboard": `
U: The dashboard at https://status.harbour.example/overview takes nine seconds. Our limit is [fact two seconds for the first paint]. [words no new dependencies please, the bundle is at its limit].
A: Let me measure it.
C bash {"command":"node scripts/trace.mjs --page overview"}
R script 5,210 ms\\nlayout 610 ms\\nnetwork 2,840 ms\\ntotal 8,912 ms
A: [fact Scripts take 5,210 of 8,912 ms]. I suspect the chart.
C read_file {"path":"web/src/[name overview-chart.tsx]"}
R export function OverviewChart({ points }) {\\n  const smooth = points.map((p, i) => average(points.slice(0, i + 1)));\\n  return <Chart data={smooth} />;\\n}
A: The average is quadratic: every point sums all points before it. With 20,000 points that is 200 million additions.
U: Makes sense. How did this pass review?
A: It was written for 200 points. The commit is [name 9f3c2ab].
C edit_file {"path":"web/src/overview-chart.tsx","old":"average(points.slice(0, i + 1))","new":"runningAverage(i)"}
R ok
C bash {"command":"node scripts/trace.mjs --page overview"}
R script 1,020 ms\\nlayout 600 ms\\nnetwork 2,790 ms\\ntotal 4,630 ms
A: Now the network. [fact The page loads 31 requests, 24 of them avatars].
C bash {"command":"curl -sI https://status.harbour.example/avatars/17.png"}
R HTTP/2 200\\ncontent-length: 412330\\ncache-control: no-store
A: [fact Avatars are sent with no-store and 412 KB each].
U: Let us serve them at 64 pixels from [name the cdn bucket harbour-avatars-eu].
A: Done: added the resize parameter in web/src/[name avatar.tsx].
C bash {"command":"npm run build && node scripts/trace.mjs --page overview"}
E error: [fact Budget exceeded: main.js 251.3 KB, limit 250 KB]\\nexit code 1
A: The build fails because of the budget. I removed the unused legend.
C bash {"command":"npm run build && node scripts/trace.mjs --page overview"}
R main.js 246.8 KB\\nscript 1,010 ms\\nlayout 580 ms\\nnetwork 240 ms\\ntotal 1,830 ms
A: [fact The overview now paints in 1,830 ms].
U: Great. Still open: [fact the map page is slow on Safari 17]. We look at it [date on Monday].`,

  "a database migration": `
@2025-03-10T07:30Z
U: We have to move the orders table to UUID keys. You must [words never drop a column before the backup has run]. The database is [name orders-db-2 in Frankfurt].
A: The plan: 1. add a column, 2. fill it, 3. switch the readers, 4. drop the old key.
C bash {"command":"psql -c '\\\\d orders'"}
R Column | Type\\nid | bigint\\ncustomer | text\\nplaced_at | timestamptz\\nIndexes: orders_pkey, orders_customer_idx
A: [fact orders has 48 million rows].
C bash {"command":"psql -c 'select count(*) from orders'"}
R 48112907
U: Do it in batches, at night. [date The window is 01:00 to 04:30].
A: We will use [fact batches of 50,000 rows with a pause of two seconds].
C write_file {"path":"migrations/[name 0147_orders_uuid.sql]","content":"alter table orders add column uuid uuid;"}
R ok
C bash {"command":"./migrate up 0147"}
E ERROR: [fact canceling statement due to lock timeout]\\nexit code 3
A: A reader holds a lock. [fact The nightly export of the finance team locks orders until 02:15].
U: Then start at 02:20. I told [name Priyanka from finance].
C bash {"command":"./migrate up 0147"}
R 0147_orders_uuid applied in 412 ms
C bash {"command":"./backfill --table orders --batch 50000"}
R batch 1 of 963 ok\\nbatch 2 of 963 ok\\nbatch 200 of 963 ok\\nreplica lag 38 s
A: [fact The replica lags 38 seconds], so I slow it down.
U: The limit is ten seconds, otherwise the shop shows old orders.
C bash {"command":"./backfill --table orders --batch 10000 --resume"}
R batch 1204 of 4812 ok\\nreplica lag 4 s
A: The lag is 4 s now. It will end [date on 12 March at about 03:40].
U: Good. Open question: [fact who tells the warehouse about the new ids]?
A: Also still to do: the index on uuid, created concurrently.
U: And remember that [fact the mobile app before version 6.3 sends numeric ids].`,

  "a letter to the landlord": `
U: Help me write a letter. [fact The heating in flat 12 has been broken since 3 January].
A: Of course. Who is it addressed to?
U: [name Immobilien Kestrel, Mrs Dahlberg]. I pay 940 a month.
A: Do you want to reduce the rent?
U: Yes, [fact by twenty percent until it is repaired].
C search {"query":"rent reduction broken heating winter percent"}
R Courts have accepted reductions between 20 and 70 percent in winter.\\nA tenant has to report the defect first.\\nKeep the letter short and factual.
A: I found that twenty percent is at the lower end. Did you report it?
U: By phone [date on 4 January] and by mail a week later. [fact The reference is KD-2291].
A: Here is a draft:
A: > Dear Mrs Dahlberg, the heating in my flat has been out of order. I reduce the rent until it works again.
U: Too polite. Add that [fact my daughter had pneumonia].
A: Added. Shall I set a deadline?
U: [date 31 January]. [words I will not pay for their plumber].
C write_file {"path":"[name letters/heating-2.md]","content":"Dear Mrs Dahlberg"}
R saved
A: The letter is saved as letters/heating-2.md.
U: Thanks. Later I also need one about the mould in the bathroom.`,
  "a pasted specification": `
U: Read this first, it is the whole specification of the ticket machine. Title. The machine sells tickets for the tram. A traveller picks a zone and pays with coins or with a card. Zones. There are four zones, and a ticket of a zone is valid in all zones inside it. Prices: zone one costs 2.10, zone two 3.40, zone three 4.80, [fact zone four 6.00]. Coins. [fact The machine takes coins from ten cents to two euros]. It gives change as long as the change box holds coins. The following errors exist: paper empty, coin stuck, no network. Cards. A card payment takes at most twenty seconds. After that the machine cancels it and says so. Receipts. A receipt is printed only on request. Languages. [fact The screen has to offer English, Czech and Ukrainian]. Accessibility. [fact All texts need a contrast of seven to one]. Sound. Every key press has a sound that can be switched off by the operator. Maintenance. The operator opens the door with a key and a code of six digits. [fact After three wrong codes the machine locks itself for ten minutes]. Reports. [fact Every night at 02:00 the machine sends its totals]. Security. No card number is ever stored. Updates. The machine installs updates only between 01:00 and 03:00. Warranty. Five years. Notes. [fact The change box holds 180 coins]. That is all.
A: Thank you. I have read it. We need:
A: - [fact a state machine for the payment]
A: - a driver for the coin box
A: - a screen in three languages
U: Start with the coins. [words the change must never be rounded].
C glob {"pattern":"src/**/*.rs"}
R src/main.rs\nsrc/coins.rs\nsrc/screen.rs\nsrc/card.rs
C read_file {"path":"src/coins.rs"}
R pub fn change(cents: u32) -> Vec<u32> { vec![] }
C read_file {"path":"src/main.rs"}
R fn main() { println!("ticket machine"); }
C read_file {"path":"src/screen.rs"}
R pub enum Screen { Start, Zone, Pay }
C read_file {"path":"src/card.rs"}
R pub fn pay() -> Result<(), Timeout> { todo!() }
C grep {"pattern":"todo!","path":"src"}
R src/card.rs:1:todo!()
A: change() returns nothing yet. I write it greedily, from the largest coin down.
C edit_file {"path":"src/[name coins.rs]","old":"vec![]","new":"greedy(cents)"}
R ok
C bash {"command":"cargo test coins"}
E error[E0425]: [fact cannot find function greedy in this scope]\nexit code 101
C edit_file {"path":"src/coins.rs","old":"pub fn change","new":"fn greedy(mut cents: u32) -> Vec<u32> { vec![cents] }\\npub fn change"}
R ok
C bash {"command":"cargo test coins"}
E test coins::gives_least_coins ... FAILED\n[fact assertion left == right failed: left: 1, right: 3]\nexit code 101
A: The loop is missing. Sorry, my mistake.
C edit_file {"path":"src/coins.rs","old":"vec![cents]","new":"coins_for(cents)"}
R ok
C bash {"command":"cargo test coins"}
R running 7 tests\ntest result: ok. 7 passed; 0 failed
A: Perfect.
A: All 7 tests of the coins pass.
U: Decided: [fact the card terminal is a Verifone P400]. It arrives [date on 3 June].
A: Then I leave card.rs until then. Next, I will write the screen texts in [name locales/uk.toml].
C web_fetch {"url":"https://docs.tram.example/p400"}
R The P400 needs firmware 7.2 or later.\nWarning: firmware 7.1 failed with a timeout after 30 seconds.\nThe serial port is /dev/ttyACM0.\nSee also the safety sheet.
A: [fact The P400 needs firmware 7.2].
U: ok
A: Good idea.
U: The operator code for tests is [name 004417], and [fact locking after wrong codes comes in the second release].
A: Noted. Still to do: the Ukrainian texts need to be checked by [name Oksana].`,
};
