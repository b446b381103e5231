import { plural, t } from '@lingui/core/macro'
import { Group, Switch, Text } from '@mantine/core'
import { Clock, Mail, MessageSquare, Zap } from 'lucide-react'
import { useState } from 'react'
import {
  type SequenceStagesFragment,
  StageCreateDocument,
  StageDeleteDocument,
  type StageFragment,
  StageMoveDocument,
  StageUpdateDocument,
} from '../generated/sequences.documents.ts'
import { useAction } from '../graph/use-screen.ts'
import { AddButton, ChoiceMenu } from '../shared/actions/new-menu.tsx'
import { report } from '../shared/actions/report.ts'
import { useFormat, words } from '../shared/format.ts'
import { OrderedList } from '../shared/forms/ordered-list.tsx'
import { Listed } from '../shared/layout/listed.tsx'
import { Section } from '../shared/layout/screen.tsx'
import { StageEditor } from './stage-editor.tsx'
import { useActivation } from './use-activation.ts'

const kinds = () =>
  [
    { type: 'SEND_EMAIL', label: t`E-mail`, icon: Mail },
    { type: 'SEND_SMS', label: t`Text message`, icon: MessageSquare },
    { type: 'ACTION', label: t`Action`, icon: Zap },
  ] as const

/** The stages of a sequence, each after its delay. One of them is edited. */
export function Stages({ sequence }: { sequence: SequenceStagesFragment }) {
  const { type, stages } = sequence
  const [openId, setOpenId] = useState<string>()
  const [move] = useAction(StageMoveDocument)
  const [remove] = useAction(StageDeleteDocument)
  return (
    <Section title={t`Stages`} aside={<AddStage sequenceId={sequence.id} onAdded={setOpenId} />}>
      <Listed items={stages} empty={t`The sequence has no stages yet.`}>
        {(listed) => (
          <OrderedList
            label={t`Stages`}
            consequence={t`The stage is deleted with its content. Contacts that wait for it go on to the next stage.`}
            items={listed}
            openId={openId}
            onOpen={setOpenId}
            nameOf={({ name }) => name}
            before={(stage) => <Delay stage={stage} isInverted={type === 'INVERTED'} />}
            summary={(stage) => <Summary stage={stage} />}
            aside={(stage) => <Active stage={stage} sequenceId={sequence.id} />}
            content={(stage) => <StageEditor key={stage.id} stage={stage} type={type} />}
            onMove={async ({ id }, step) => void report(await move({ input: { id, step } }))}
            onRemove={async ({ id }) => void report(await remove({ input: { id } }))}
          />
        )}
      </Listed>
    </Section>
  )
}

function Delay({ stage: { timeValue, timeType }, isInverted }: { stage: StageFragment; isInverted: boolean }) {
  const format = useFormat()
  const span = format.duration(timeValue, timeType)
  const text = isInverted ? t`${span} before the date` : t`After ${span}`
  return (
    <Group gap={6} className="muted flow-wait">
      <Clock size={13} aria-hidden="true" />
      <Text size="xs">{timeValue === 0 ? (isInverted ? t`At the date` : t`Immediately`) : text}</Text>
    </Group>
  )
}

function Summary({ stage }: { stage: StageFragment }) {
  const format = useFormat()
  const { stageType, stats, waiting } = stage
  const Icon = kinds().find(({ type }) => type === stageType)?.icon ?? Zap
  return (
    <>
      <Icon size={12} aria-hidden="true" /> {contentOf(stage)}
      <br />
      {[
        ...(stageType === 'SEND_EMAIL'
          ? [
              t`${format.number(stats.sent)} sent`,
              t`${format.percent(stats.openRate)} opened`,
              t`${format.percent(stats.clickRate)} clicked`,
            ]
          : []),
        plural(waiting, { one: '# contact waiting', other: '# contacts waiting' }),
      ].join(' · ')}
    </>
  )
}

function contentOf({ email, smsText, action }: StageFragment): string {
  if (email) return email.subject || t`Without subject`
  if (smsText) return smsText
  if (action) return `${words(action.kind)} ${action.tag?.name ?? action.sequence?.name ?? action.url ?? ''}`
  return t`Without content`
}

/** Whether a stage runs. A stage without content is refused, and the message names what it lacks. */
function Active({ stage: { id, name, active }, sequenceId }: { stage: StageFragment; sequenceId: string }) {
  const [update] = useAction(StageUpdateDocument)
  const [activate, isAsking] = useActivation(sequenceId)
  const set = (isActive: boolean) => update({ input: { id, active: isActive } })
  return (
    <Switch
      size="xs"
      aria-label={t`${name} is active`}
      checked={active}
      disabled={isAsking}
      onChange={async ({ currentTarget: { checked } }) =>
        checked ? activate({ name, stageIds: [id] }, () => set(true)) : void report(await set(false))
      }
    />
  )
}

function AddStage({ sequenceId, onAdded }: { sequenceId: string; onAdded: (id: string) => void }) {
  const [create, isCreating] = useAction(StageCreateDocument)
  const add = async (stageType: ReturnType<typeof kinds>[number]['type']) => {
    const result = await create({ input: { sequenceId, stageType } })
    const id = result.data?.sequenceStageCreate?.stage?.id
    if (!report(result) || !id) return
    onAdded(id)
  }
  return (
    <ChoiceMenu
      button={<AddButton loading={isCreating}>{t`Add stage`}</AddButton>}
      choices={kinds()}
      onChoose={({ type }) => void add(type)}
    />
  )
}
