import { t } from '@lingui/core/macro'
import { Button, Group, Select, Stack, Text, TextInput } from '@mantine/core'
import { Mail, Trash2 } from 'lucide-react'
import { useState } from 'react'
import {
  type SettingsUserFragment,
  UserInvitationResendDocument,
  UserInviteDocument,
  UserRemoveDocument,
  UserUpdateDocument,
} from '../generated/settings.documents.ts'
import { useSave } from '../graph/use-save.ts'
import { reasonOf, useAction } from '../graph/use-screen.ts'
import { ask } from '../shared/actions/confirm.tsx'
import { notify } from '../shared/actions/notify.tsx'
import { report } from '../shared/actions/report.ts'
import { useFormat, words } from '../shared/format.ts'
import { Editable } from '../shared/forms/editable.tsx'
import { IconAction } from '../shared/layout/permission.tsx'
import { Muted, Section } from '../shared/layout/screen.tsx'
import { DataTable } from '../shared/tables/data-table.tsx'
import { useShell } from '../shell/use-shell.ts'

type User = SettingsUserFragment
type Role = User['role']

const roles = (): { value: Role; label: string }[] => [
  { value: 'OWNER', label: t`Owner` },
  { value: 'ADMIN', label: t`Administrator` },
  { value: 'EDITOR', label: t`Editor` },
  { value: 'ANALYST', label: t`Analyst` },
]

interface UsersProps {
  readonly users: readonly User[] | undefined
  readonly onChanged: () => void
}

/** The users of the account: those who have signed in, and those whose invitation is pending. */
export function Users({ users, onChanged }: UsersProps) {
  const format = useFormat()
  const isOwner = useIsOwner()
  const pending = users?.filter(({ signedInAt }) => signedInAt === null) ?? []
  return (
    <Stack gap="md">
      <Section
        title={t`Users`}
        isFlush
        aside={!isOwner && <Muted>{t`Only an owner can change who is an owner.`}</Muted>}
      >
        <Invitation onChanged={onChanged} />
        <DataTable
          label={t`Users`}
          rows={users?.filter(({ signedInAt }) => signedInAt !== null)}
          empty={t`No user has signed in yet.`}
          columns={({ left, right }) => [
            left(t`User`, ({ email }) => <span className="activity-text">{email}</span>),
            left(t`Name`, (user) => <Name user={user} />),
            left(t`Role`, (user) => <RoleSelect key={user.role} user={user} />),
            right(t`Signed in`, ({ signedInAt }) => signedInAt && format.relative(signedInAt), 'sm'),
            right('', (user) => (
              <Removal
                user={user}
                verb={t`Remove`}
                label={t`Remove ${user.email}`}
                consequence={t`The sessions of the user end at once.`}
                onChanged={onChanged}
              />
            )),
          ]}
        />
      </Section>
      {pending.length > 0 && (
        <Section title={t`Pending invitations`} isFlush>
          <DataTable
            label={t`Pending invitations`}
            rows={pending}
            empty=""
            columns={({ left, right }) => [
              left(t`E-mail`, ({ email }) => <span className="activity-text">{email}</span>),
              left(t`Role`, ({ role }) => words(role), 'xs'),
              right(t`Invited`, ({ createdAt }) => format.relative(createdAt), 'sm'),
              right('', (user) => (
                <>
                  <Resend user={user} />
                  <Removal
                    user={user}
                    verb={t`Withdraw`}
                    label={t`Withdraw ${user.email}`}
                    consequence={t`The link in the invitation no longer works.`}
                    onChanged={onChanged}
                  />
                </>
              )),
            ]}
          />
        </Section>
      )}
    </Stack>
  )
}

/** Whether the user is an owner. Only owners can change who is one. */
function Name({ user }: { user: User }) {
  const { id, email, name } = user
  const [save] = useSave(UserUpdateDocument, { id }, user)
  return (
    <Editable
      aria-label={t`Name of ${email}`}
      draftKey={`${id}:name`}
      value={name}
      onSave={(value) => save({ name: value })}
    />
  )
}

const useIsOwner = () => useShell().viewer?.role === 'OWNER'

/** Whether another user can be changed by the user. */
const useMayChange = ({ role }: User) => useIsOwner() || role !== 'OWNER'

/** Returns the roles that the user can give. */
const useRoles = () => (useIsOwner() ? roles() : roles().filter(({ value }) => value !== 'OWNER'))

/** Invites a person with a role. */
function Invitation({ onChanged }: Pick<UsersProps, 'onChanged'>) {
  const choices = useRoles()
  const [invite, isInviting] = useAction(UserInviteDocument)
  const [email, setEmail] = useState('')
  const [role, setRole] = useState<Role>('EDITOR')
  const [errors, setErrors] = useState<{ email?: string | undefined; role?: string | undefined }>({})
  const send = async () => {
    const result = await invite({ input: { email, role } })
    const isOfRole = result.error !== undefined && result.fields['email'] === undefined && role === 'OWNER'
    setErrors(isOfRole ? { role: result.error } : { email: reasonOf(result, 'email') })
    if (result.error !== undefined) return
    setEmail('')
    notify(t`An invitation was sent to ${email}.`)
    onChanged()
  }
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault()
        void send()
      }}
      noValidate
    >
      <Group px="md" pb="xs" gap="xs" align="start">
        <TextInput
          size="xs"
          type="email"
          flex={1}
          miw={180}
          maw={280}
          aria-label={t`E-mail of the new user`}
          placeholder="name@example.com"
          value={email}
          error={errors.email}
          onChange={({ currentTarget }) => setEmail(currentTarget.value)}
        />
        <Select
          size="xs"
          w={140}
          aria-label={t`Role of the new user`}
          allowDeselect={false}
          value={role}
          data={choices}
          error={errors.role}
          onChange={(value) => setRole(value as Role)}
        />
        <Button type="submit" loading={isInviting}>{t`Invite`}</Button>
      </Group>
    </form>
  )
}

/** The role of a user, which can be changed. A refused change is explained below it. */
function RoleSelect({ user }: { user: User }) {
  const mayChange = useMayChange(user)
  const choices = useRoles()
  const [update, isUpdating] = useAction(UserUpdateDocument)
  const [error, setError] = useState<string>()
  const change = async (role: Role) => {
    const result = await update({ input: { id: user.id, role } })
    setError(reasonOf(result, 'role'))
    if (result.error === undefined) notify(t`${user.email} has the role ${words(role)} now.`)
  }
  return (
    <Select
      size="xs"
      w={{ base: 115, xs: 140 }}
      aria-label={t`Role of ${user.email}`}
      allowDeselect={false}
      disabled={isUpdating || !mayChange}
      value={user.role}
      data={mayChange ? choices : roles()}
      error={error}
      onChange={(value) => void change(value as Role)}
    />
  )
}

function Resend({ user }: { user: User }) {
  const mayChange = useMayChange(user)
  const [resend, isSending] = useAction(UserInvitationResendDocument)
  return (
    <IconAction
      disabled={!mayChange}
      label={t`Send again to ${user.email}`}
      icon={<Mail size={15} />}
      loading={isSending}
      onClick={async () =>
        void report(await resend({ input: { id: user.id } }), t`An invitation was sent to ${user.email}.`)
      }
    />
  )
}

interface RemovalProps extends Pick<UsersProps, 'onChanged'> {
  readonly user: User
  readonly verb: string
  /** The verb with its object. */
  readonly label: string
  readonly consequence: string
}

/** Removes a user or withdraws an invitation, after a confirmation. A refusal is explained beside it. */
function Removal({ user, verb, label, consequence, onChanged }: RemovalProps) {
  const mayChange = useMayChange(user)
  const [remove, isRemoving] = useAction(UserRemoveDocument)
  const [error, setError] = useState<string>()
  const drop = async () => {
    if (!(await ask({ title: t`${label}?`, consequence, verb, isRed: true }))) return
    const result = await remove({ input: { id: user.id } })
    setError(result.error)
    if (result.error === undefined) onChanged()
  }
  return (
    <>
      <IconAction
        label={label}
        disabled={!mayChange}
        color="red"
        icon={<Trash2 size={15} />}
        loading={isRemoving}
        onClick={() => void drop()}
      />
      {error && (
        <Text size="xs" c="red" role="alert" maw={220} ml="auto" style={{ whiteSpace: 'normal' }}>
          {error}
        </Text>
      )}
    </>
  )
}
