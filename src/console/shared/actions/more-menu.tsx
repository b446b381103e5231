import { t } from '@lingui/core/macro'
import { Button, Menu } from '@mantine/core'
import { Ellipsis } from 'lucide-react'
import type { Outcome } from '../../graph/use-screen.ts'
import { whileLeaving } from '../layout/leaving.ts'
import { ask, type Question } from './confirm.tsx'
import { notify } from './notify.tsx'
import { report } from './report.ts'

/** What a menu can do with an object. */
interface MenuAction {
  readonly label: string
  /** Asked before. The button has the label of the action unless another verb is given. */
  readonly question?: Omit<Question, 'verb' | 'isRed'> & { readonly verb?: string }
  /** Shown afterwards. */
  readonly done?: string
  readonly isRed?: boolean
  /** Whether it changes nothing, so that it is not refused to a role that only reads. */
  readonly isForAll?: boolean
  readonly run: () => Promise<Outcome<unknown>>
  /** Called after the action succeeded. */
  readonly after?: () => unknown
}

/** The menu of the less frequent actions of a screen. Conditions that do not hold leave out their action. */
export function MoreMenu({ actions, refusal }: { actions: (MenuAction | false)[]; refusal: string | undefined }) {
  const act = async ({ label, question, isRed = false, run, done, after }: MenuAction) => {
    if (question && !(await ask({ verb: label, isRed, ...question }))) return
    await whileLeaving(after !== undefined, async () => {
      if (report(await run(), done)) await after?.()
    })
  }
  return (
    <Menu position="bottom-end">
      <Menu.Target>
        <Button variant="default" aria-label={t`More actions`} px="xs">
          <Ellipsis size={15} />
        </Button>
      </Menu.Target>
      <Menu.Dropdown>
        {actions
          .filter((action) => action !== false)
          .map((action) => (
            <Menu.Item
              key={action.label}
              {...(action.isRed && { color: 'red' })}
              disabled={refusal !== undefined && !action.isForAll}
              title={action.isForAll ? undefined : refusal}
              onClick={() => void act(action)}
            >
              {action.label}
            </Menu.Item>
          ))}
      </Menu.Dropdown>
    </Menu>
  )
}

interface Copy {
  readonly id: string
  readonly name: string
}

/** The action that duplicates an object and opens the copy. */
export function duplication(duplicate: () => Promise<Outcome<unknown>>, open: (id: string) => unknown): MenuAction {
  let copy: Copy | undefined
  return {
    label: t`Duplicate`,
    async run() {
      const result = await duplicate()
      // The payload of a duplication contains the copy only.
      const [payload] = Object.values(Object(result.data)) as Record<string, Copy>[]
      copy = Object.values(payload ?? {}).find((each) => each?.id)
      return result
    },
    after() {
      if (!copy) return
      notify(t`${copy.name} was created.`)
      return open(copy.id)
    },
  }
}
