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
    goal: importer / nightly report`,
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
};
