/**
 * Short conversations in which the user changes course, in various wordings: tasks that end, are paused, given up or
 * nested, and decisions, rules and open items that are withdrawn or replaced. One line for each message: `U` the user,
 * `A` the assistant, `C` a tool call with its result. Below `=>` are the words that a summary must have under a heading,
 * and after `not` those that it must not have.
 */
export const GOAL_TALKS: Readonly<Record<string, string>> = {
  "supersede: requirement changed": `
    U Our library needs a tool that prints shelf labels. Please build it as a command line program.
    C ls
    A I am setting up the project.
    U Make the labels 40 mm wide.
    C edit
    A The labels are 40 mm wide.
    U Hmm, no: 60 mm wide, 40 is too narrow for the long titles.
    C edit
    A Changed.
    =>
    goal: shelf labels`,
  "reversal in plain words": `
    U I'm planning the move of our office to Lyon.
    C ls
    A What is the date?
    U We'll go with the moving company Delacroix.
    C note
    A Noted.
    U Delacroix is too expensive after all, so Martin & Fils will do the move.
    C note
    A Noted.
    =>
    goal: move of our office
    not decided: go with the moving company Delacroix`,
  "reversal: not X anymore": `
    U Set up the cache for the ticket shop.
    C ls
    A Which cache?
    U Let's use Redis for the sessions.
    C redis
    A Done.
    U We won't use Redis anymore, the hosting does not offer it. Memcached then.
    C memcached
    A Switched.
    =>
    decided: Memcached
    not decided: Let's use Redis`,
  "reversal by assistant finding, user agrees": `
    U Write an importer for bank statements.
    C ls
    A Which format?
    U We decided on CSV as the input format.
    C cat
    A CSV loses the booking text.
    U OK, then let's switch to MT940 as the input format.
    C edit
    A Switched the input format to MT940.
    =>
    goal: importer for bank statements
    decided: MT940
    not decided: on CSV`,
  "never mind the first wish": `
    U Could you draft a letter to the landlord about the broken heating?
    C write
    A Here is a draft.
    U Nah, forget about the letter, he just called me. Instead, make me a list of plumbers nearby.
    C search
    A Searching.
    =>
    goal: list of plumbers`,
  "abandoned with 'not worth it'": `
    U Port the date picker to the new design system.
    C ls
    A The date picker has 14 files.
    U That's not worth the effort, let's not do it. Please fix the broken footer links.
    C grep
    A Looking at the footer.
    =>
    goal: broken footer links`,
  "thanks closes": `
    U What is wrong with the build on Windows?
    C npm run build
    A A path has backslashes; I fixed it in build.js.
    U Awesome, thank you! Now I need a release note for version 3.2.
    C git log
    A Collecting the commits.
    =>
    goal: release note for version 3.2`,
  "nested three deep": `
    U Rewrite the search page in Svelte.
    C ls
    A Starting with the form.
    U Before you go on, the tests for the router fail, have a look at them.
    C npm test
    A Two router tests fail because of a renamed export.
    U Fix that export, and tell me when the router tests pass.
    C edit
    A All router tests pass now.
    U Great. Let's continue with the search page.
    C edit
    A Continuing with the result list.
    =>
    goal: search page in Svelte`,
  "side question does not replace": `
    U Convert our invoices from Word templates to HTML.
    C ls
    A There are six templates.
    U What does the flag --strict do, by the way?
    A It refuses unknown fields.
    U I see. Go on.
    C convert
    A Converted the second template.
    =>
    goal: invoices from Word templates`,
  "standing plus current": `
    U My objective is to get the community garden's website online before April.
    C ls
    A What is there?
    U Start with the page about opening hours.
    C edit
    A The page has a table.
    U Next, the member list: import it from members.xlsx.
    C import
    A Importing.
    =>
    goal: community garden / member list`,
  "objective changes": `
    U I want to learn Spanish grammar for my trip in May.
    A Let's start.
    U Can you make exercises about the subjunctive?
    A Here are five exercises.
    U My plans changed: the trip is to Italy now, so I want to learn Italian instead.
    A Then let's start with greetings.
    =>
    goal: Italian`,
  "open item resolved in other words": `
    U Prepare the spring newsletter.
    C ls
    A TODO: add the photo of the new greenhouse.
    C edit
    A The draft has three articles.
    U I've added the greenhouse photo myself.
    C ls
    A Good.
    =>
    goal: spring newsletter
    not open: photo of the new greenhouse`,
  "open item postponed stays": `
    U Clean up the repository before the handover.
    C ls
    A TODO: delete the old branches.
    A TODO: document the deploy script.
    U Leave the old branches for now, we will look at them next week.
    C ls
    A OK.
    =>
    open: document the deploy script`,
  "open item cancelled": `
    U Get the summer festival app ready for the store.
    C ls
    A TODO: translate the app into Polish.
    A TODO: shrink the images of the stages.
    U We don't need the Polish translation.
    C ls
    A OK.
    =>
    open: shrink the images
    not open: Polish`,
  "rule withdrawn": `
    U Tidy the CSS of the shop. Do not touch the checkout page.
    C ls
    A I leave the checkout alone.
    U You may change the checkout page now, the freeze is over.
    C ls
    A OK.
    =>
    goal: Tidy the CSS
    not rule: Do not touch the checkout`,
  "rule stays": `
    U Update the dependencies. Never upgrade React beyond 18.
    C npm outdated
    A 14 are outdated.
    U Start with the test tools.
    C npm i
    A Done with the test tools.
    =>
    rule: Never upgrade React`,
  "decision among options by letter": `
    U Which layout should the poster have?
    A Option A: photo on top. Option B: text only.
    U Option B please.
    C edit
    A Text only.
    U Hmm, I changed my mind, take option A.
    C edit
    A Photo on top.
    =>
    not decided: Option B please`,
  "decision confirmed again stays": `
    U Help us choose a school for the project week.
    C ls
    A Two answered.
    U We agreed on the school in Bergedorf.
    C note
    A Noted.
    U Yes, Bergedorf is definitely what we agreed on.
    C note
    A Good.
    =>
    decided: Bergedorf`,
  "decision on other subject": `
    U Plan the database schema of the clinic.
    C ls
    A Ready.
    U We use UUIDs for patients, not integers.
    C note
    A Noted.
    U Let's use integers for the rooms.
    C note
    A Noted.
    =>
    decided: UUIDs
    decided: integers for the rooms`,
  "return to the first of two tasks": `
    U Implement the export to PDF.
    C ls
    A Working on fonts.
    U Something urgent came up: the login page shows a blank screen, please fix it first.
    C grep
    A Fixed the blank login page, a script was missing.
    U Cool, now back to the PDF export.
    C edit
    A Continuing with fonts.
    =>
    goal: export to PDF`,
  "user says done in own words": `
    U Find out why the newsletter was sent twice.
    C grep
    A The cron job ran on two servers.
    U I disabled it on one of the servers, problem solved.
    C ls
    A Great.
    U Then please write a short incident report for the board.
    C write
    A Writing.
    =>
    goal: incident report`,
  "correction of a number": `
    U Book a table for our team dinner in the tool. We are 12 people.
    C book
    A Booked for 12.
    U Correction, we are 14 people.
    C book
    A Booked for 14.
    =>
    goal: table for our team dinner`,
  "polite indirect request": `
    U It would be great if the importer could skip empty lines.
    C ls
    A I see.
    U Also, I was wondering whether you could speed up the nightly report.
    C ls
    A Measuring the report.
    =>
    goal: nightly report`,
  "bug report as task": `
    U The map shows the wrong city when I zoom in.
    C grep
    A Let me look.
    C edit
    A Fixed the zoom: the map shows the right city.
    U Works. There's another problem: the legend overlaps the scale bar.
    C grep
    A Looking.
    =>
    goal: legend overlaps the scale bar`,
  "decision undone by 'go back to'": `
    U Improve the startup time of the app.
    C ls
    A It takes 4 s.
    U Let's go with lazy loading for the plugins.
    C edit
    A Done, 2 s.
    U Lazy loading breaks the menu. Go back to loading the plugins at startup.
    C git revert
    A Reverted.
    =>
    goal: startup time
    not decided: go with lazy loading`,
  "decision replaced: 'make that'": `
    U Plan the printing of the yearbook.
    C ls
    A Ready.
    U We decided to print 300 copies at Hofmann's.
    C note
    A Noted.
    U Change of plans, make that 400 copies, and at Steiner's.
    C note
    A Noted.
    =>
    goal: printing of the yearbook
    not decided: 300 copies at Hofmann`,
  "scrap an idea": `
    U Help me organize the school concert.
    A Sure.
    U I'd say we do it outdoors, on the sports field.
    A Noted.
    U Scrap the outdoor idea, rain is forecast. We do it in the gym.
    A OK.
    =>
    goal: school concert`,
  "the decision of yesterday no longer stands": `
    U Draft the terms for the bike rental.
    C ls
    A Draft is ready.
    U We settled on a deposit of 50 euros.
    C edit
    A Changed.
    U The deposit of 50 euros is off the table: no deposit at all.
    C edit
    A Removed the deposit.
    =>
    goal: terms for the bike rental
    not decided: settled on a deposit of 50`,
  "I was wrong": `
    U Set up monitoring for the warehouse sensors.
    C ls
    A Starting.
    U Let's go with InfluxDB for the readings.
    C run
    A Installed.
    U I was wrong about InfluxDB, we should use TimescaleDB for the readings.
    C run
    A Replaced.
    =>
    goal: monitoring for the warehouse sensors
    decided: TimescaleDB
    not decided: go with InfluxDB`,
  "task done then small talk": `
    U Please rename all photos of the trip by date.
    C ls
    A Renamed 214 photos by date.
    U Beautiful, exactly what I had in mind.
    A Glad to hear it.
    =>
    goal: none`,
  "task paused for another": `
    U Migrate the forum from phpBB to Discourse.
    C ls
    A Exporting the posts.
    U Put that on hold for a moment: the mail server rejects everything, can you find the reason?
    C tail mail.log
    A Reading the log.
    =>
    goal: forum from phpBB / mail server rejects`,
  "resume paused": `
    U Migrate the forum from phpBB to Discourse.
    C ls
    A Exporting the posts.
    U Pause that, the mail server rejects everything. Please find the reason.
    C tail mail.log
    A The disk was full; I removed old logs.
    U Mail works again, thanks. You can resume the forum migration.
    C export
    A Resuming.
    =>
    goal: forum from phpBB`,
  "list of two tasks, first done": `
    U Two things today: fix the price rounding in the cart, and write a test for the coupon code.
    C ls
    A Fixed the price rounding in the cart.
    C edit
    A Now the coupon test.
    =>
    goal: coupon code`,
  "leave it": `
    U Add a search box to the archive page.
    C ls
    A There is no index yet.
    U Leave the search box then. Add a filter by year instead.
    C edit
    A Adding the filter.
    =>
    goal: filter by year`,
  "user drops a todo by 'skip'": `
    U Prepare the flat for the handover.
    A TODO: repaint the hallway.
    A TODO: return the spare keys.
    U You can skip repainting the hallway, the landlord doesn't want it.
    A OK.
    =>
    open: spare keys
    not open: repaint the hallway`,
  "todo done by the agent in other words": `
    U Finish the tax form helper.
    C ls
    A TODO: validate the IBAN field.
    A TODO: translate the error messages.
    C edit
    A The IBAN field is validated now, with a checksum.
    C test
    A All tests pass.
    =>
    open: translate the error messages
    not open: validate the IBAN`,
  "open question answered": `
    U Help me plan the garden path.
    A Open question: gravel or stone slabs?
    U Stone slabs.
    A Good, slabs it is.
    =>
    goal: garden path`,
  "rule relaxed": `
    U Write the product texts. Never mention prices.
    A OK.
    U Prices are fine now, you can mention them again.
    A Good.
    =>
    not rule: Never mention prices`,
  "rule replaced by other limit": `
    U Write abstracts for the talks. At most 100 words each.
    A OK.
    U The limit is 150 words now instead of 100.
    A OK.
    =>
    not rule: At most 100 words`,
  "aim in the second message": `
    U Hi there!
    A Hello, what can I do for you?
    U I'm writing a thesis on urban bees and need help with the statistics.
    A Which data do you have?
    U Counts per hive and week. Please fit a mixed model.
    A Fitting.
    =>
    goal: thesis on urban bees / mixed model`,
  "new aim entirely": `
    U I'd like to build a small weather station.
    A Nice.
    U Which sensor is good for wind?
    A A cup anemometer.
    U Let's forget the weather station, it gets too expensive. I'd like to build a bird feeder with a camera.
    A Fun.
    =>
    goal: bird feeder`,
  "errand within aim done": `
    U We're preparing the opening of our café in September.
    A Congratulations.
    U What permits do we need?
    A A food licence and a sign permit.
    U OK. Please write a job ad for a barista.
    A Here is the ad.
    U Lovely, we'll post it.
    A Good luck.
    =>
    goal: opening of our café`,
  "approval with next task in one line": `
    U Generate thumbnails for the gallery.
    C convert
    A All thumbnails are there.
    U Perfect. Then compress the originals to 80 percent.
    C convert
    A Compressing.
    =>
    goal: compress the originals`,
  "user reports failure, task stays": `
    U Get the Bluetooth pairing to work on the kiosk.
    C bluetoothctl
    A Fixed the pairing, please test it.
    U Still not working, it disconnects after a few seconds.
    C journalctl
    A Looking further.
    =>
    goal: Bluetooth pairing`,
  "rejected proposal": `
    U Choose a font for the invitation.
    A I propose Garamond. Shall I use it?
    U No, not Garamond. We go with Futura.
    A Futura it is.
    =>
    decided: Futura
    not decided: use Garamond`,
  "two decisions, one revised": `
    U Design the API of the parking app.
    C ls
    A Ready.
    U We agreed on REST for the public part.
    U We agreed on tokens that expire after an hour.
    C edit
    A Noted.
    U About the tokens: they should expire after a day, not an hour.
    C edit
    A Changed.
    =>
    decided: REST
    not decided: expire after an hour`,
  "decision to postpone": `
    U Plan the release of the reader app.
    A OK.
    U We decided to release on the 3rd of May.
    A Noted.
    U The release is postponed to the 17th of May.
    A Noted.
    =>
    not decided: release on the 3rd`,
  "nested inside nested, all done": `
    U Write the user guide for the scanner.
    C ls
    A Chapter one is done.
    U Wait, first correct the screenshots, they show the old menu.
    C edit
    A Corrected the screenshots.
    U Good, please go on with the guide.
    C edit
    A Chapter two.
    =>
    goal: user guide for the scanner`,
  "request phrased as statement": `
    U The login button should be on the right side of the header.
    C edit
    A Moved it.
    U Good. The footer needs links to the imprint and the privacy page.
    C edit
    A Adding the links.
    =>
    goal: footer needs links`,
  "go-ahead for a plan": `
    U Speed up the import of the catalogue.
    C profile
    A I could batch the inserts. Shall I?
    U Yes, do that.
    C edit
    A Batching.
    =>
    goal: import of the catalogue`,
  "a choice that turned out wrong": `
    U I'd like to set up a newsletter for our allotment club.
    A Which tool?
    U We'll take Mailtrain.
    A OK.
    U Mailtrain turned out to be too complicated. We'll take Listmonk.
    A OK.
    =>
    goal: newsletter for our allotment club
    decided: Listmonk
    not decided: take Mailtrain`,
  "thanks before the next complaint": `
    U Resize the banner to 1200 pixels.
    C resize
    A The banner is 1200 pixels wide now.
    U Thanks! The logo looks blurry, please sharpen it.
    C sharpen
    A Sharpening.
    =>
    goal: logo looks blurry`,
  "a task within what is being built": `
    U We're building a booking page for the sauna.
    C ls
    A Started.
    U Show me the current opening hours.
    C cat
    A Daily from 10 to 22.
    U Then connect the calendar to the booking form.
    C edit
    A Connecting.
    =>
    goal: booking page for the sauna / connect the calendar`,
  "a translation after a check": `
    U Check the spelling of the menu.
    C spell
    A Three mistakes corrected.
    U Alright. Now translate it to Dutch.
    C translate
    A Translating.
    =>
    goal: translate it to Dutch`,
  "a task that is not needed anymore": `
    U Please draw a floor plan of the attic.
    A Which size?
    U 8 by 5 meters.
    A OK.
    U You know what, we don't need the floor plan anymore. Estimate the insulation cost.
    A Estimating.
    =>
    goal: insulation cost`,
  "a README after a fix": `
    U Write a script that renames my scans.
    C edit
    A Here it is.
    U It crashes on files without a date.
    C edit
    A Fixed the crash.
    U Works now, great. Could you also write a README for it?
    C edit
    A Writing the README.
    =>
    goal: README`,
  "an item that the user reports as done": `
    U Set up the label printer in the shipping office.
    C lpstat
    A TODO: install the driver on the second computer.
    A TODO: order new rolls.
    U I ordered the new rolls yesterday.
    A Good.
    =>
    open: install the driver
    not open: order new rolls`,
  "paper after all": `
    U Help with the wedding invitations.
    A Gladly.
    U Use the gold paper.
    A OK.
    U No gold paper after all, plain white.
    A OK.
    =>
    goal: wedding invitations`,
  "permission beside a rule with a condition": `
    U Never send messages to the parents' list without my approval.
    A OK.
    U Draft the invitation to the summer party.
    A Draft.
    U You can send it to the parents' list now.
    A Sent.
    =>
    rule: Never send messages`,
  "a chart after two questions": `
    U Analyze the sales of May.
    C sql
    A May was 12 percent above April.
    U Interesting. And June?
    C sql
    A June was weaker.
    U Make a chart of both months.
    C plot
    A Drawing.
    =>
    goal: chart of both months`,
  "an appointment that was moved": `
    U We agreed on Thursday for the rehearsal.
    A Noted.
    U The rehearsal has been moved to Friday.
    A Noted.
    =>
    not decided: agreed on Thursday`,
  "the next thing": `
    U The API should return JSON instead of XML.
    C edit
    A Changed.
    U Good. Next thing: pagination for the list endpoint.
    C edit
    A Adding pagination.
    =>
    goal: pagination`,
  "a ferry that is canceled": `
    U Let's plan the trip to Norway.
    A When?
    U In August. Find ferries from Hirtshals first.
    A Color Line and Fjord Line.
    U We take Fjord Line.
    A OK.
    U Cancel that, Color Line has the better times.
    A OK.
    =>
    goal: trip to Norway
    not decided: We take Fjord Line`,
  "a question that is explained": `
    U Could you look into why the heat pump restarts at night?
    A The timer has a gap at 2:00.
    U Ah, that explains it, thank you.
    A You're welcome.
    U Now I want a monthly report of its consumption.
    A Sure.
    =>
    goal: monthly report`,
  "a task that holds on": `
    U Refactor the payment module into smaller files.
    C ls
    A Started.
    U Hold on. The staging server is down. Can you restart it?
    C ssh
    A Restarted, it answers again.
    U Great, carry on with the payment module.
    C edit
    A Continuing.
    =>
    goal: payment module`,
  "a roof that has to wait": `
    U Our decision: the club house gets a new roof in spring.
    A Noted.
    U The new roof has to wait, we don't have the money in spring.
    A Noted.
    =>
    not decided: gets a new roof in spring`,
  "a plan that is replaced twice": `
    U Compare these three phone plans for me.
    A Plan B is the cheapest.
    U I'll go for plan B then.
    A Good choice.
    U Hmm, plan B has no roaming. Plan C it is.
    A OK.
    =>
    not decided: go for plan B`,
  "a typo that is fixed": `
    U Fix the typo on the contact page.
    C sed
    A Fixed the typo on the contact page.
    C git push
    A Deployed.
    =>
    goal: none`,
  "sorting for the taxes": `
    U I'm working on my taxes for last year.
    A OK.
    U Which receipts can I deduct?
    A Work, donations, insurance.
    U Sort my receipts into these groups.
    A Sorting.
    =>
    goal: taxes for last year / Sort my receipts`,
  "two items in one line": `
    U TODO: call the plumber. TODO: buy paint.
    A Noted.
    U The plumber was called, he comes on Monday.
    A Good.
    =>
    open: buy paint
    not open: call the plumber`,
};
