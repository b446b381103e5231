import { plural, t } from '@lingui/core/macro'
import { Alert, Button, Group, Radio, Stack, Text } from '@mantine/core'
import { useState } from 'react'
import { type Condition, isComplete, toFilter } from '../filters/conditions.ts'
import { FilterBuilder } from '../filters/filter-builder.tsx'
import { fromFilter } from '../filters/stored-filter.ts'
import { type CampaignQuery, CampaignUpdateDocument } from '../generated/campaigns.documents.ts'
import { reasonOf, useAction } from '../graph/use-screen.ts'
import { useDraft } from '../shared/forms/use-draft.ts'
import { notSaved, useReason } from '../shared/forms/use-saved.ts'
import { Muted, Section } from '../shared/layout/screen.tsx'

type Campaign = NonNullable<CampaignQuery['campaign']>
type AudienceInput = { sendToAll: boolean } | { filter: NonNullable<ReturnType<typeof toFilter>> }

/** The filter of conditions. Null while one needs a value: without it, the campaign would be sent to others too. */
const filterOf = (conditions: readonly Condition[]) =>
  conditions.every(isComplete) ? toFilter(undefined, conditions) : null

/** Returns the conditions of an audience that is not saved. */
const conditionsOf = (input: AudienceInput | undefined) =>
  input && 'filter' in input ? fromFilter(input.filter) : undefined

/**
 * Who receives a campaign. A choice that could not be saved stays in this browser, is marked, and can be saved again: also
 * after the screen was loaded again.
 */
export function Audience({ campaign }: { campaign: Campaign }) {
  const { audience } = campaign
  const [update, isSaving] = useAction(CampaignUpdateDocument)
  const stored = fromFilter(audience.filter)
  const draft = useDraft(`${campaign.id}:audience`, '')
  const unsaved = draft.isChanged ? (JSON.parse(draft.text) as AudienceInput) : undefined
  const [conditions, setConditions] = useState<readonly Condition[]>(() => conditionsOf(unsaved) ?? stored ?? [])
  const [reason, follow] = useReason()
  const save = async (input: AudienceInput) => {
    const text = JSON.stringify(input)
    draft.change(text)
    const saving = async () => reasonOf(await update({ input: { id: campaign.id, audience: input } }), 'audience')
    await follow(draft.send(text, saving))
  }
  const discard = () => {
    draft.forget()
    void follow(undefined)
    setConditions(stored ?? [])
  }
  const change = (next: readonly Condition[]) => {
    setConditions(next)
    const filter = filterOf(next)
    const present = conditionsOf(unsaved) ?? stored ?? []
    if (filter && JSON.stringify(filter) !== JSON.stringify(toFilter(undefined, present))) void save({ filter })
  }
  const isToAll = unsaved ? 'sendToAll' in unsaved && unsaved.sendToAll : audience.sendToAll
  const contacts = plural(audience.total, { one: '# contact', other: '# contacts' })
  return (
    <Section
      title={t`Audience`}
      aside={
        <Muted>
          {plural(audience.optIn, {
            one: `# of ${contacts} accepts e-mail`,
            other: `# of ${contacts} accept e-mail`,
          })}
        </Muted>
      }
    >
      <Stack gap="sm">
        {unsaved && !isSaving && (
          <Alert color="red" py="xs" role="alert" title={t`The audience is not saved`}>
            <Group gap="xs">
              <Text size="sm">{reason ?? notSaved()}</Text>
              <Button variant="light" color="red" onClick={() => void save(unsaved)}>{t`Save again`}</Button>
              <Button variant="subtle" color="gray" onClick={discard}>{t`Discard`}</Button>
            </Group>
          </Alert>
        )}
        <Radio.Group
          aria-label={t`Audience`}
          value={isToAll ? 'all' : 'filter'}
          onChange={(value) => {
            const filter = filterOf(conditions)
            if (value === 'all') void save({ sendToAll: true })
            else if (filter) void save({ filter })
            else void save({ sendToAll: false })
          }}
        >
          <Group gap="md">
            <Radio size="xs" value="all" label={t`All contacts`} />
            <Radio size="xs" value="filter" label={t`A segment, or conditions`} />
          </Group>
        </Radio.Group>
        {!isToAll &&
          (stored === undefined ? (
            <Alert color="gray" title={t`This audience was defined through the API`}>
              <Text size="xs" ff="monospace" className="activity-text">
                {JSON.stringify(audience.filter)}
              </Text>
            </Alert>
          ) : (
            <FilterBuilder conditions={conditions} onChange={change} />
          ))}
      </Stack>
    </Section>
  )
}
