/** Sentences of people who talk to assistants and coding agents in English; the reference for the other languages. */
export const english = {
  built: `
constraint: Never deploy on Fridays.
constraint: Please don't touch the migrations folder, another team owns it.
constraint: The response time must stay below 200 ms.
constraint: Always run the linter before you commit.
constraint: Only use the packages that are already in package.json.
constraint: Under no circumstances should customer emails end up in the logs.
constraint: The public API must not change.
constraint: From now on, write commit messages in the imperative.
none: I never really liked Mondays.
none: That must have been a long night.
none: Do you always use tabs?
none: The build takes about four minutes on my laptop.
decision: We decided to use Postgres instead of MySQL.
decision: Let's go with the blue layout.
decision: We agreed to meet every second Thursday.
decision: We'll use feature flags for the rollout.
decision: I've decided against the subscription model.
decision: We settled on Vitest for the new tests.
none: We haven't decided on a name yet.
none: Should we use Redis or Memcached?
open: We still have to write the release notes.
open: The export for large tables is not yet implemented.
open: TODO: rename the staging bucket.
open: The login test is still failing on Windows.
open: The invoices of March still need to be checked.
done: I fixed the memory leak in the worker.
done: The new landing page is deployed.
none: The list was very long.
date 2024-03-06 = 5 March 2024: I handed in the thesis yesterday.
date 2024-03-06 = 8 March 2024: The plumber comes the day after tomorrow.
date 2024-03-06 = 1 March 2024: Last Friday the server room lost power.
date 2024-03-06 = the week after 6 March 2024: My parents visit us next week.
date 2024-05-20 = 17 May 2024: We signed the contract three days ago.
date 2024-05-20 = June 2024: The course starts next month.
date 2024-11-09 = 2022: Two years ago I moved to Bristol.
recall: Where do I keep the spare key? => The spare key hangs behind the water meter in the cellar.
recall: How much is the rent of the studio? => We pay 840 pounds a month for the studio in Leith.
recall: Which port does the staging database use? => The staging database listens on port 5544.
recall: When does Clara's train arrive? => Clara arrives at 18:42 on platform nine.
recall: What am I allergic to? => I'm allergic to walnuts, so no pesto for me.
recall: Who repairs the heating? => Mr Okafor from Brightwell fixes the boiler every autumn.
recall: Why did we drop the queue? => We removed RabbitMQ because nobody could operate it at night.
idle: Hi there!
idle: Thanks a lot!
idle: ok, continue
idle: Great, go ahead.
idle: Good morning, how are you?
idle: Sounds good.
idle: See you tomorrow!`,
  heldOut: `
constraint: Don't ever push directly to main.
constraint: You must not rename any column of the orders table.
constraint: Make sure that every endpoint requires authentication.
constraint: The budget can't exceed 3,000 euros.
constraint: Please avoid global variables in the new modules.
constraint: No external fonts.
constraint: The report should never mention client names.
constraint: Keep the old URLs as they are.
none: There must be a better bakery around here.
none: I don't know why the fan is so loud.
none: My sister always calls on Sundays.
none: Don't worry about the typo.
decision: After some discussion we chose the smaller venue.
decision: Okay, we're going with option B.
decision: We have agreed on a price of 1,200 dollars.
decision: Let's stick with the monthly plan.
decision: I decided to rewrite the parser in Rust.
decision: They decided to postpone the launch until June.
none: I don't know whether we decided that.
none: Nobody has decided anything yet.
open: The translation of the help pages still needs to be done.
open: Next step is to connect the payment provider.
open: We still need to call the landlord.
open: The retry logic is not finished.
open: The certificates remain to be renewed.
done: We have migrated all tables to the new cluster.
done: Removed the unused stylesheet.
none: Her talk was open to everyone.
date 2024-03-06 = 7 March 2024: The dentist sees me tomorrow.
date 2024-03-06 = 4 March 2024: The day before yesterday my bike was stolen.
date 2024-03-06 = the week before 6 March 2024: Last week we tested the new sensors.
date 2024-03-06 = 11 March 2024: The workshop is next Monday.
date 2024-05-20 = around 6 May 2024: Two weeks ago the printer broke.
date 2024-05-20 = April 2024: We finished the roof last month.
date 2024-11-09 = 2025: Next year Ben finishes school.
recall: What is the name of the new accountant? => Our new accountant is called Priya Raman.
recall: How many chairs did we order? => I ordered 36 folding chairs for the party.
recall: Which branch has the hotfix? => The hotfix sits on release-2.8, not on main.
recall: Where does the choir rehearse? => The choir meets in the old fire station on Mill Lane.
recall: When is the tax return due? => The tax office wants the return by 31 July.
recall: What colour is the bathroom going to be? => We painted the sample in sage green for the bathroom.
recall: Who has the password of the router? => Jonas changed the router password and wrote it in his notebook.
idle: Hello again
idle: Thank you!
idle: yes, please continue
idle: Perfect, carry on.
idle: Good evening
idle: ok
idle: Bye!`,
};
