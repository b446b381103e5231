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

/** Templates for a relation that begins, pauses or has an anniversary. */
export const relations = {
  WELCOME: {
    name: 'Welcome',
    description: 'The first message after a sign-up: what to expect, and three steps to begin.',
    subject: 'Welcome, {{FIRST_NAME:and thank you for joining}}',
    preheader: 'Three small steps to begin, and how to reach a person.',
    content: document(
      section(
        logo,
        heading(1, 'Welcome, {{FIRST_NAME:we are glad you are here}}'),
        text(
          'Thank you for signing up. You will hear from us about twice a month, and only when there is something to say.',
        ),
      ),
      band(
        '#eef2f9',
        heading(2, 'Begin in three steps'),
        list(
          [
            '**Say who you are.** Complete your profile, which takes a minute.',
            '**Look around.** Our guide shows what others do first.',
            '**Ask.** Reply to this message, and a person answers.',
          ],
          'orderedList',
        ),
        button('Begin', 'start'),
      ),
      section(text(`Not now? [Choose a day](${site}remind) and we remind you once.`)),
      ending('You receive this because you signed up.'),
    ),
  },
  RE_ENGAGEMENT: {
    name: 'We miss you',
    description: 'For contacts who have not opened anything for long: stay with one click, or leave in peace.',
    subject: 'Shall we keep writing to you, {{FIRST_NAME:friend}}?',
    preheader: 'One click and all stays as it is. Otherwise we stop.',
    content: document(
      section(
        logo,
        heading(1, 'Is this still for you?'),
        text(
          'Hello {{FIRST_NAME:there}}, you have not opened our messages for some months. That is fine: interests change, and inboxes are full.',
          'If you would like to stay, one click is enough. If we hear nothing, this is the last message.',
        ),
        button('Yes, keep writing to me', 'stay'),
      ),
      band(
        '#f3efe6',
        heading(3, 'What you missed'),
        list([
          `[The most read story](${site}story) of the past months`,
          `[A guide](${site}guide) that answers what most people ask`,
          `[A small thank-you](${site}gift) for those who come back`,
        ]),
      ),
      ending('You receive this because you subscribed to our news some time ago.'),
    ),
  },
  THANK_YOU: {
    name: 'Thank you',
    description: 'An anniversary, a birthday or a milestone, with a small present.',
    subject: 'One year together, {{FIRST_NAME:thank you}}',
    preheader: 'A few words of thanks, and a small present.',
    content: document(
      band(
        '#3b2f4a',
        heading(1, 'One year together', 'center'),
        aligned('center', 'Thank you, {{FIRST_NAME:dear friend}}.'),
      ),
      section(
        text(
          'A year ago you joined us. Since then, a lot has changed here, and most of it because people like you told us what was missing.',
          'To say thank you, here is a present: your next order is delivered free of charge. There is no minimum and no code; it is already in your account.',
        ),
        button('Use my present', 'present', 'center'),
      ),
      columns(
        [heading(3, 'Then'), text('One workshop, two people, and a list of 40 names.')],
        [heading(3, 'Now'), text('Three workshops, nine people, and you.')],
      ),
      section(divider, text('With best wishes,', 'The whole team')),
      ending('You receive this because you have been with us for a year.'),
    ),
  },
  PLAIN_MESSAGE: {
    name: 'Plain message',
    description: 'Looks like a message that one person wrote to another: text, a name, and nothing else.',
    subject: 'A short note, {{FIRST_NAME:if you have a minute}}',
    preheader: 'Written by a person, and answered by one.',
    content: document(
      section(
        text(
          'Hello {{FIRST_NAME:there}},',
          'I am writing to you myself, because what I have to say needs no pictures and no buttons.',
          'Say here in two or three paragraphs what is on your mind. Write as you speak. One thought in each paragraph is enough, and one request at the end is better than three.',
          `If you would like to know more, [this page](${site}more) has the details. Or just reply: I read every answer.`,
          'Kind regards,',
          '**Your name**',
        ),
      ),
      section({ type: 'footer', text: 'You receive this because you asked to hear from me.', align: 'left' }),
    ),
  },
} as const satisfies Record<string, ShippedTemplate>
