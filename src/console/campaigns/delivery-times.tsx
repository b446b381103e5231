import { t } from '@lingui/core/macro'
import { Fieldset, Stack } from '@mantine/core'
import { type CampaignQuery, CampaignUpdateDocument } from '../generated/campaigns.documents.ts'
import { useSave } from '../graph/use-save.ts'
import { Editable } from '../shared/forms/editable.tsx'
import { EditableHours } from '../shared/forms/editable-hours.tsx'
import { HoldActions } from '../shared/forms/hold-action.tsx'
import { Section } from '../shared/layout/screen.tsx'

type Campaign = NonNullable<CampaignQuery['campaign']>

/** When the messages of a campaign are sent, and what happens if a rule of the account holds one back. */
export function DeliveryTimes({ campaign }: { campaign: Campaign }) {
  const { id, status, sendWindow, spreadHours } = campaign
  const [save] = useSave(CampaignUpdateDocument, { id }, campaign)
  return (
    <Section title={t`Times`}>
      <Fieldset variant="unstyled" miw={0} m={0} p={0} disabled={status === 'SCHEDULED'}>
        <Stack gap="xs">
          <EditableHours
            label={t`Only at these hours`}
            description={t`In the time zone of each contact. Empty: at any hour.`}
            draftKey={`${id}:sendWindow`}
            hours={sendWindow}
            onSave={(hours) => save({ sendWindow: hours })}
          />
          <Editable
            type="number"
            min={0}
            max={168}
            label={t`Spread over so many hours`}
            description={t`0: as fast as possible.`}
            draftKey={`${id}:spreadHours`}
            value={String(spreadHours)}
            onSave={(value) => save({ spreadHours: Math.trunc(Number(value)) })}
          />
          <HoldActions values={campaign} onSave={save} />
        </Stack>
      </Fieldset>
    </Section>
  )
}
