import {
  aligned,
  band,
  button,
  columns,
  divider,
  document,
  ending,
  heading,
  list,
  logo,
  type ShippedTemplate,
  section,
  site,
  text,
} from './build.ts'

const why = 'You receive this because you subscribed to our news.'

/** Templates that tell something. */
export const news = {
  NEWSLETTER: {
    name: 'Newsletter',
    description: 'A lead story, two shorter ones and a list of links, for a regular mailing.',
    subject: 'This month: one big story and two small ones',
    preheader: 'What we made, what we learned, and where to find us next.',
    content: document(
      section(
        logo,
        heading(1, 'What happened this month'),
        text('Hello {{FIRST_NAME:there}}, here is our news in three minutes.'),
      ),
      band(
        '#e8eef7',
        heading(2, 'The story of the month'),
        text(
          'Begin with what your readers care about most. Two or three sentences are enough: what changed, for whom, and why it matters now.',
        ),
        button('Read the story', 'story'),
      ),
      columns(
        [
          heading(3, 'Behind the scenes'),
          text(
            `Show how the work is done. People remember faces and tools better than claims. [See how](${site}behind)`,
          ),
        ],
        [
          heading(3, 'A question from a reader'),
          text(
            `Answer a question that many ask. It saves them a message, and you an answer. [Read the answer](${site}answer)`,
          ),
        ],
      ),
      section(
        divider,
        heading(3, 'Worth a click'),
        list([
          `[A guide](${site}guide) for those who begin`,
          `[Dates](${site}dates) of the coming weeks`,
          `[An offer](${site}offer) for subscribers only`,
        ]),
      ),
      ending(why),
    ),
  },
  ANNOUNCEMENT: {
    name: 'Announcement',
    description: 'One piece of news, told in one breath, with one button.',
    subject: 'It is here, {{FIRST_NAME:and it is yours}}',
    preheader: 'The short version: what is new and how to try it.',
    content: document(
      section(logo),
      band(
        '#1f2933',
        heading(1, 'It is finally here', 'center'),
        aligned('center', 'One sentence that says what is new, without adjectives.'),
        button('Try it now', 'new', 'center'),
      ),
      section(
        heading(2, 'Why we made it'),
        text(
          'You asked for a way to do this in fewer steps. We listened, tried three versions with people like you, and kept the one that nobody had to explain.',
          'It is included in what you have today. There is nothing to install and nothing to pay.',
        ),
        text(`Questions? Reply to this message, or read [the answers to the first ten](${site}questions).`),
      ),
      ending(why),
    ),
  },
  PRODUCT_NEWS: {
    name: 'Product news',
    description: 'What is new in a product: three changes with a reason each, and what comes next.',
    subject: 'New this month: faster, clearer, and one thing less to do',
    preheader: 'Three changes that you will notice, and what we work on now.',
    content: document(
      section(
        logo,
        heading(1, 'New in this release'),
        text('Hello {{FIRST_NAME:there}}, these are the changes that you will notice first.'),
      ),
      columns(
        [heading(3, '1. Faster'), text('Lists open in half the time, also on a slow connection.')],
        [heading(3, '2. Clearer'), text('Each error says what to do next, in plain words.')],
        [heading(3, '3. Less to do'), text('Drafts are saved while you write. The button is gone.')],
      ),
      section(button('See all changes', 'changes')),
      band(
        '#eef4ee',
        heading(3, 'Next'),
        text('We are working on shared folders and a calendar. Reply and tell us which of them you need first.'),
      ),
      ending('You receive this because you use our product.'),
    ),
  },
} as const satisfies Record<string, ShippedTemplate>
