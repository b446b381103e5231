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
  product,
  row,
  type ShippedTemplate,
  section,
  site,
  space,
  text,
} from './build.ts'

const why = 'You receive this because you subscribed to our news.'

/** Templates for something that has a date, a price or an answer. */
export const occasions = {
  RECEIPT: {
    name: 'Receipt',
    description: 'Thanks for an order: what was bought, what it cost, and what happens next.',
    subject: 'Thank you for your order, {{FIRST_NAME:dear customer}}',
    preheader: 'What you ordered, and when it arrives.',
    content: document(
      section(
        logo,
        heading(1, 'Thank you for your order'),
        text('Hello {{FIRST_NAME:there}}, we received your order of {{TODAY_DATE:today}} and are packing it.'),
        divider,
      ),
      row(text('**A bowl of stoneware**', 'Blue, 18 cm'), aligned('right', '38.00 EUR')),
      row(text('**Delivery**', 'Two to three days'), aligned('right', '4.90 EUR')),
      { ...section(divider), padding: 0 },
      row(text('**Total**'), aligned('right', '**42.90 EUR**')),
      band(
        '#eef1f4',
        heading(3, 'What happens next'),
        list([
          'We send your parcel within a day.',
          'You get a message with its number.',
          'You have 30 days to return it.',
        ]),
        button('See my order', 'order'),
      ),
      section({ type: 'footer', text: 'You receive this because you placed an order.' }),
    ),
  },
  EVENT: {
    name: 'Invitation to an event',
    description: 'What, when and where, with a programme and a button to register.',
    subject: 'You are invited, {{FIRST_NAME:come and see us}}',
    preheader: 'An evening with people, tools and something to drink.',
    content: document(
      band(
        '#12343b',
        heading(1, 'Open studio evening', 'center'),
        aligned('center', 'Thursday, 18 June, from 6 to 9 pm'),
        button('Save my place', 'register', 'center'),
      ),
      section(
        text(
          'Hello {{FIRST_NAME:there}}, once a year we open the doors of the studio, and we would love to see you there.',
          'Bring a friend. There is room for forty people, and the kettle is on.',
        ),
      ),
      columns(
        [heading(3, 'Where'), text('The old mill, first floor', '1 Mill Lane', `[Show the way](${site}map)`)],
        [heading(3, 'Programme'), list(['**6 pm** Doors open', '**7 pm** A short tour', '**8 pm** Try it yourself'])],
      ),
      section(text(`You cannot come? [Tell us](${site}decline), so that another guest gets your place.`)),
      ending(why),
    ),
  },
  SALE: {
    name: 'Sale',
    description: 'An offer that ends: three products with prices, the code and the date.',
    subject: 'Three days, 20 percent less',
    preheader: 'With the code SPRING20, until Sunday at midnight.',
    content: document(
      section(logo),
      band(
        '#7a2e1d',
        heading(1, '20 percent off', 'center'),
        aligned('center', 'On everything, until Sunday at midnight.', 'Your code: **SPRING20**'),
        button('Shop now', 'shop', 'center'),
      ),
      section(space(8), heading(2, 'Three we love most', 'center')),
      columns(
        [product('Tea bowl', '42.00 EUR', 'Holds two cups, and your hands.', 'tea-bowl')],
        [product('Rice bowl', '38.00 EUR', 'For breakfast, lunch and dinner.', 'rice-bowl')],
        [product('Small vase', '29.00 EUR', 'For one flower at a time.', 'vase')],
      ),
      section(
        text(
          'The code is valid for one order of each customer, and for everything that is in stock. We do not change prices before a sale.',
        ),
      ),
      ending(why),
    ),
  },
  SURVEY: {
    name: 'Survey',
    description: 'Asks for an opinion: why, how long it takes, and what happens with the answers.',
    subject: 'Two minutes for us, {{FIRST_NAME:please}}?',
    preheader: 'Five questions, and what we do with your answers.',
    content: document(
      section(
        logo,
        heading(1, 'What do you think?'),
        text(
          'Hello {{FIRST_NAME:there}}, you know what we do well and where we get in your way. Would you tell us?',
          'It is five questions, and takes about two minutes.',
        ),
        button('Answer five questions', 'survey'),
      ),
      band(
        '#eaf2ee',
        heading(3, 'What we do with it'),
        list([
          'The whole team reads every answer.',
          'We publish what we heard, without names, in four weeks.',
          'The thing that most of you miss is the next one we build.',
        ]),
      ),
      section(text('Rather talk? Reply with your number and a time, and we call you.')),
      ending(why),
    ),
  },
  FOLLOW_UP: {
    name: 'After a webinar',
    description: 'Thanks those who came, and gives the recording, the slides and one next step.',
    subject: 'The recording and the slides, as promised',
    preheader: 'Thank you for coming. Everything that was shown is in here.',
    content: document(
      section(
        logo,
        heading(1, 'Thank you for coming'),
        text('Hello {{FIRST_NAME:there}}, here is everything from our webinar, to look at again or to pass on.'),
      ),
      columns(
        [heading(3, 'Recording'), text('45 minutes, with chapters and subtitles.'), button('Watch', 'recording')],
        [heading(3, 'Slides'), text('All 24 pages, with the links that were shown.'), button('Open', 'slides')],
      ),
      band(
        '#edf0f8',
        heading(2, 'The three questions we heard most'),
        text(
          '**How long does it take to begin?** About an afternoon, with what you have today.',
          '**What does it cost?** Nothing for the first month, and no card is needed.',
          '**Who helps if I am stuck?** We do: reply to this message.',
        ),
      ),
      section(
        heading(3, 'Your next step'),
        text('Take the first hour while it is fresh.'),
        button('Begin now', 'start'),
      ),
      ending('You receive this because you registered for our webinar.'),
    ),
  },
} as const satisfies Record<string, ShippedTemplate>
