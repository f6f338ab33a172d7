/**
 * Logs of agents at work, written for the quality score. `U` is the user, `A` the assistant, `C tool input` a call, `R`
 * its result and `E` a failed result; `\\n` is a line break. Content that a summary should keep is marked as in
 * talks.ts.
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
A: The voucher code calls the old helper. Good catch with old vouchers.
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
A: Thank you. I have read it.\\n# Parts of the ticket machine
A: - [fact a state machine for the payment]
A: - a driver for the coin box
A: - a screen in three languages
U: Start with the coins. [words the change must never be rounded].
C glob {"pattern":"src/**/*.rs"}
R src/main.rs\\nsrc/coins.rs\\nsrc/screen.rs\\nsrc/card.rs
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
E error[E0425]: [fact cannot find function greedy in this scope]\\nexit code 101
C edit_file {"path":"src/coins.rs","old":"pub fn change","new":"fn greedy(mut cents: u32) -> Vec<u32> { vec![cents] }\\npub fn change"}
R ok
C bash {"command":"cargo test coins"}
E test coins::gives_least_coins ... FAILED\\n[fact assertion left == right failed: left: 1, right: 3]\\nexit code 101
A: The loop is missing. Sorry, my mistake.
C edit_file {"path":"src/coins.rs","old":"vec![cents]","new":"coins_for(cents)"}
R ok
C bash {"command":"cargo test coins"}
R running 7 tests\\ntest result: ok. 7 passed; 0 failed
A: Perfect result for greedy coins.
A: All 7 tests of the coins pass.
U: Decided: [fact the card terminal is a Verifone P400]. It arrives [date on 3 June].
A: Then I leave card.rs until then. Next, I will write the screen texts in [name locales/uk.toml].
C web_fetch {"url":"https://docs.tram.example/p400"}
R The P400 needs firmware 7.2 or later.\\nWarning: firmware 7.1 failed with a timeout after 30 seconds.\\nThe serial port is /dev/ttyACM0.\\nSee also the safety sheet.
A: [fact The P400 needs firmware 7.2].
U: ok
A: Nice idea with sealed codes.
U: The operator code for tests is [name 004417], and [fact locking after wrong codes comes in the second release].
A: Noted. Still to do: the Ukrainian texts need to be checked by [name Oksana].`,

  "prices of flats": `
@2025-05-05T08:10Z
U: Write a script that watches the rent of flats in Utrecht. [words never ask a site more than once a minute]. The prices go into [name data/flats.sqlite].
A: I start with the two sites that allow it, Pandhuis and Woonkracht, and I keep every listing that has a price, an address and at least two rooms, because the others are parking lots, storage boxes or rooms in shared houses which nobody in your list of friends wants to see, and because a small table stays fast enough to be opened on a phone in the train between Amersfoort and Utrecht every morning.
C write_file {"path":"watch/fetch-pages.ts","content":"export async function fetchPages() {}"}
R ok
C write_file {"path":"watch/read-listing.ts","content":"export function readListing(html: string) {}"}
R ok
C bash {"command":"node watch/run.ts --site pandhuis --pages 3"}
E Error: [fact status 403, the site wants a contact address in the user agent]\\nexit code 1
U: Use [name flats@kanaalkade.example].
C edit_file {"path":"watch/fetch-pages.ts","old":"fetch(url)","new":"fetch(url, { headers })"}
R ok
C bash {"command":"node watch/run.ts --site pandhuis --pages 3"}
R 61 listings read\\n58 with rent\\n3 without prices\\nwritten to data/flats.sqlite
A: [fact The median rent is 1,465 euros for 62 square metres].
A: Pass p7 on u14 took 41: rooms, area, floor, labels, photos, gardens, heating, lifts.
U: That is a lot of money. How were prices last year?
C bash {"command":"sqlite3 data/flats.sqlite 'select avg(price) from archive where year = 2024'"}
R 1388.4
A: [fact In 2024 the mean was 1,388 euros, so rent rose by about five percent].
U: I have money for [fact 1,300 at most], with heating.
A: Then 9 of 58 flats are left. The cheapest is in Zuilen, and the prices there fall since March.
C bash {"command":"node watch/report.ts --max 1300"}
R Zuilen 4 flats, from 1,090\\nOvervecht 3 flats, from 1,120\\nLunetten 2 flats, from 1,275
A: Pass p8 on u22 took 57: rooms, area, floor, labels, photos, gardens, heating, lifts.
U: [fact No flat on the ground floor, my bike was stolen twice].
A: The floor stands in the text of a listing and not in a field, so I read it with a pattern for Dutch and for English, I count the basement as the ground floor, and where no floor is named at all I keep the flat and mark it with a question mark, because one listing in four says nothing about its floor and losing a quarter of all flats would be worse than reading six lines too many on a Sunday morning.
C edit_file {"path":"watch/read-listing.ts","old":"rooms","new":"rooms, floor"}
R ok
C bash {"command":"npx vitest run watch"}
E FAIL watch/read-listing.test.ts\\nAssertionError: [fact expected floor 0 for souterrain, found undefined]
C edit_file {"path":"watch/read-listing.ts","old":"begane grond","new":"begane grond|souterrain"}
R ok
C bash {"command":"npx vitest run watch"}
R Tests 14 passed
A: Fixed the floor of listings. All 14 tests pass.
A: ## Guarantee letter 2,930 euros, IBAN NL91-4471, notary Hoogeveen\\n- [fact the agency wants the deposit three days before the key is handed over]\\n- [fact the contract runs for two years and cannot be ended in the first one]\\n## Insurance policy Univé H-2207, flood zone\\n- the water of the Vecht stood in the cellar in 2021, so that the policy costs twice as much
A: Viewings: [fact Amsterdamsestraatweg 512 on the second floor, 1,240 euros].
A: Pass p9 on u35 took 66: rooms, area, floor, labels, photos, gardens, heating, lifts.
U: Book it [date for Saturday 17 May at 10:30].
A: Done, the agent is called [name Femke Dijkstra].
U: Next: send me the prices [date every Friday at 18:00].
A: TODO: [fact a cron entry on the server kanaal-2 that mails the report].`,

  "a tidy shop": `
U: Our shop has grown for six years. List which modules nobody imports any more. [words move nothing before I have seen the list].
A: I list the files first, then who imports them.
C bash {"command":"git ls-files shop"}
R ${listFiles("shop/pages", "about account address basket brand cancel career category checkout compare confirm contact cookie coupon delivery faq gift help home imprint")}\\n${listFiles("shop/parts", "accordion avatar badge banner breadcrumb button card carousel chip combobox counter drawer dropdown footer gallery header icon input modal pager")}\\n${listFiles("shop/hooks", "use-address use-basket use-brand use-cart use-city use-coupon use-debounce use-focus use-gift use-image use-login use-media use-order use-page use-price use-query use-scroll use-sort use-stock use-theme")}\\n${listFiles("shop/server", "accounts adyen baskets brands carriers cities coupons exports feeds gifts imports invoices kiosk labels mails orders parcels prices refunds stocks")}
A: [fact 80 modules, 20 of them on the server].
C bash {"command":"node tools/unused.mjs --folder shop"}
R unused: shop/server/[name kiosk.ts]\\nunused: shop/hooks/[name use-gift.ts]\\nunused: shop/parts/carousel.tsx\\nwarning: shop/server/feeds.ts is loaded by name
C bash {"command":"git log --stat -3"}
R shop/tests/basket.test.ts | 14 +-\\nshop/tests/[name coupon.test.ts] | 8 +-\\nshop/fixtures/eu.json | 2 +-\\nshop/fixtures/[name vat-rates.json] | 31 +++\\nshop/docs/[name refund-flow.md] | 5 +-
A: [fact Four candidates, and feeds.ts is loaded by name and must stay].
C grep {"pattern":"feeds","path":"tools"}
R tools/nightly.mjs:12: await import("../shop/server/" + name)
U: The kiosk was sold [date in 2022]. Delete it. [fact The carousel comes back at Christmas].
C bash {"command":"git rm shop/server/kiosk.ts shop/hooks/use-gift.ts"}
R rm 'shop/server/kiosk.ts'\\nrm 'shop/hooks/use-gift.ts'
C bash {"command":"npm run build --workspace shop"}
E error TS2307: [fact cannot find module './kiosk.ts' in shop/server/exports.ts]\\nexit code 2
A: exports.ts still names it.
C edit_file {"path":"shop/server/exports.ts","old":"export * from './kiosk.ts';","new":""}
R ok
C bash {"command":"npm run build --workspace shop"}
R built in 8.4 s
A: The build works. Removed kiosk.ts and use-gift.ts, [fact 412 lines fewer].
U: Good. Still open: [fact who owns the parcels module since Imke left]?
A: I will ask in [name the channel shop-core] and write the answer into shop/README.md.`,

  "a costume store": `
@2025-09-01T16:00Z
U: Sort the table of our costume store. [name data/costumes.csv] has one row for each coat, dress and hat.
C read_file {"path":"data/costumes.csv"}
R number,kind,color\\n1,coat,red\\n2,hat,green
A: The table has 1,180 rows, and the kind is empty in 46 of them.
U: [fact The coats from the opera of 1987 hang in the attic], beside the old piano and the boxes with the lamps.
A: The prices of 212 coats are in guilders, and those of the hats are in euros.
U: [words my aunt sewed the green ones], so they have a small leaf in the collar and no number at all.
C run {"command":"node sort.mjs --by kind"}
R sorted 1,180 rows
A: Sorted by kind, then by color, then by the size that the label shows.
A: The theater in Lund pays a rent of 15 kronor for a hat.
U: Visitors from Lund come [date on 14 September] and would love to see the masks from the carnival.
A: Masks are in three cabinets, and the keys hang behind the door of the workshop.
A: No money came for the seven dresses that the school borrowed in spring.
U: The school will bring them back, the teacher called me twice and was very sorry about the torn sleeves.
A: Torn sleeves: dresses 604, 605 and 611, each on the left side below the elbow.
U: [fact Moths were in the cabinet with the wool], which is why everything in there smells of cedar now.
A: The rows of the wool cabinet have the word cedar in the last column.
U: My daughter takes pictures of all hats on Sundays, so every hat gets a picture before the winter.
A: Pictures have the number of the hat as their name, such as hat-17.jpg.
A: All prices, the rent and other money of 2024 are in the sheet that the treasurer keeps at home.
U: The treasurer is [name Sigrid Malm], she prefers letters over mails and reads them on the train.`,
};

const PACKAGES =
  "billing carts catalog claims coupons feeds fraud gifts invoices labels ledger loans mails orders parcels";
const MODULES =
  "adapter audit build cache client codec config decode encode errors events export filter format guard handler import index";

/** A repository with some hundreds of modules, for a summary that has more names than it can list. */
export const MONOREPO = `
U: Which modules does the monorepo have? [words do not open them, only list them].
C bash {"command":"git ls-files packages"}
R ${PACKAGES.split(" ")
  .map((name) => listFiles(`packages/${name}/src`, MODULES))
  .join("\\n")}
A: [fact The monorepo has 15 packages and 270 modules]. The newest is [name packages/fraud].`;

/** Returns the paths of files with these names, one on each line as `git ls-files` prints them. */
function listFiles(folder: string, names: string): string {
  return names
    .split(" ")
    .map((name) => `${folder}/${name}.${folder.endsWith("parts") ? "tsx" : "ts"}`)
    .join("\\n");
}
