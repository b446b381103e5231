import { plural, t } from '@lingui/core/macro'
import { SimpleGrid, Stack, Text } from '@mantine/core'
import type { FormResultsFragment } from '../generated/forms.documents.ts'
import { Bar, Figure } from '../shared/figures/figures.tsx'
import { Plot } from '../shared/figures/plot.tsx'
import { namedSeries } from '../shared/figures/series.ts'
import { personName, useFormat, words } from '../shared/format.ts'
import { RouterAnchor } from '../shared/layout/links.tsx'
import { Columns, Empty, Muted, Section } from '../shared/layout/screen.tsx'
import { Status } from '../shared/layout/status.tsx'

/** What the questions of a form were answered, and its submissions. */
export function FormResults({ form }: { form: FormResultsFragment }) {
  const format = useFormat()
  const { stats, completed, submissions } = form
  return (
    <Stack gap="md">
      <SimpleGrid cols={{ base: 2, sm: 4 }} spacing="sm">
        <Figure label={t`Started`} value={format.number(stats.starts)} />
        <Figure label={t`Completed`} value={format.number(stats.completions)} />
        <Figure label={t`Completion`} value={format.percent(stats.completionRate)} />
        <Figure label={t`Submissions`} value={format.number(submissions.totalCount)} />
      </SimpleGrid>
      <Columns first={6}>
        <Stack gap="md">
          <Section title={t`Completed`}>
            <Plot label={t`Completed`} series={namedSeries({ [t`Completed`]: completed })} />
          </Section>
          <Section title={t`Questions`}>
            <Stack gap="md">
              {stats.questions.length === 0 && <Empty>{t`The form has no questions.`}</Empty>}
              {stats.questions.map((each) => (
                <Question key={each.question.id} stats={each} />
              ))}
            </Stack>
          </Section>
        </Stack>
        <Section title={t`Submissions`}>
          <Submissions submissions={submissions.nodes} />
        </Section>
      </Columns>
    </Stack>
  )
}

function Question({
  stats: { question, answered, reached, choices },
}: {
  stats: FormResultsFragment['stats']['questions'][number]
}) {
  const format = useFormat()
  const most = Math.max(1, ...choices.map(({ count }) => count))
  return (
    <div>
      <Text size="sm" fw={550}>
        {question.label}
      </Text>
      <Muted>
        {question.required ? t`${words(question.type)}, required` : words(question.type)} ·{' '}
        {t`${format.number(answered)} of ${format.number(reached)} answered`}
      </Muted>
      {choices.map(({ answer: value, count }) => (
        <div key={value} className="choice">
          <Text size="xs" truncate>
            {value}
          </Text>
          <Bar value={count} of={most} label={`${value}: ${count}`} />
          <Text size="xs" ta="right">
            {format.number(count)}
          </Text>
        </div>
      ))}
    </div>
  )
}

function Submissions({ submissions }: { submissions: FormResultsFragment['submissions']['nodes'] }) {
  const format = useFormat()
  if (submissions.length === 0) return <Empty>{t`The form was not submitted yet.`}</Empty>
  return (
    <Stack gap={4}>
      {submissions.map(({ id, contact, bucket, score, status, createdAt, answers, acceptedTerms, aiSummary }) => (
        <details key={id} className="submission">
          <summary>
            <Text size="sm" fw={550} component="span" truncate>
              {contact ? personName(contact) : t`Unknown person`}
            </Text>
            <Status value={status === 'COMPLETED' ? bucket : status} />
            <Muted className="activity-time" span ml="auto">
              {plural(score, { one: '# point', other: '# points' })} · {format.relative(createdAt)}
            </Muted>
          </summary>
          {contact && (
            <RouterAnchor to="/contacts/$id" params={{ id: contact.id }} size="xs">
              {contact.email}
            </RouterAnchor>
          )}
          {aiSummary && <Text size="sm">{aiSummary}</Text>}
          <dl className="answers">
            {answers.map((answer) => (
              <div key={answer.id}>
                <dt>{answer.label}</dt>
                <dd>{answer.values.join(', ')}</dd>
              </div>
            ))}
            {acceptedTerms.map(({ text, documentVersion, ip, acceptedAt }) => (
              <div key={text}>
                <dt>{t`Accepted terms`}</dt>
                <dd>
                  {text}
                  <Muted>
                    {[t`Version ${documentVersion}`, format.dateTime(acceptedAt), ip].filter(Boolean).join(' · ')}
                  </Muted>
                </dd>
              </div>
            ))}
          </dl>
        </details>
      ))}
    </Stack>
  )
}
