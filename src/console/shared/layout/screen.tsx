import { t } from '@lingui/core/macro'
import {
  Alert,
  Box,
  Grid,
  Group,
  Paper,
  type PaperProps,
  Skeleton,
  Stack,
  Text,
  type TextProps,
  Title,
} from '@mantine/core'
import { createContext, type ReactNode, useContext, useEffect } from 'react'
import { readErrors } from '../../../client/errors.ts'
import type { ScreenResult } from '../../graph/use-screen.ts'
import { GraphProblem, NotFound } from '../../shell/problem.tsx'
import { useLeaving } from './leaving.ts'
import { RouterAnchor } from './links.tsx'

interface ScreenProps<Data> {
  readonly title: string
  readonly subtitle?: ReactNode
  /** Link to the list that contains what the screen shows. */
  readonly parent?: { readonly to: string; readonly label: string }
  readonly actions?: ReactNode
  readonly result: ScreenResult<Data>
  /** Returns the content, or null if what the screen shows does not exist. */
  readonly children: (data: Data) => ReactNode
}

const Reading = createContext(false)

/** Returns whether the query of the screen is under way. */
export const useReading = (): boolean => useContext(Reading)

/** The frame of a screen: heading, actions, placeholders while it loads, and its errors. */
export function Screen<Data>({ title, subtitle, parent, actions, result, children }: ScreenProps<Data>) {
  useEffect(() => {
    document.title = `${title} · Campanile`
  }, [title])
  const { data, error, isLoading, isStale, reload } = result
  const isLeaving = useLeaving()
  const content = data && children(data)
  const isAwaited = isStale || isLeaving
  if (data && !content && !error && !isAwaited) return <NotFound />
  return (
    <Stack gap="md">
      <Group justify="space-between" align="end" gap="sm">
        <Box miw={0}>
          {parent && (
            <RouterAnchor to={parent.to} size="xs" className="muted">
              {parent.label}
            </RouterAnchor>
          )}
          <Title order={1} size="h3" lh={1.3}>
            {title}
          </Title>
          {subtitle && (
            <Text size="sm" className="muted" component="div">
              {subtitle}
            </Text>
          )}
        </Box>
        <Group gap="xs">{actions}</Group>
      </Group>
      {error && !isForbidden(error) && <GraphProblem error={error} onRetry={reload} />}
      <Reading value={isStale}>{isLoading || (!content && isAwaited) ? <Placeholder /> : content}</Reading>
    </Stack>
  )
}

/** Whether nothing but the role prevents that all is read. Then the lists say so, and another attempt would not help. */
function isForbidden(error: NonNullable<ScreenResult<unknown>['error']>): boolean {
  const errors = readErrors(error)
  return errors.length > 0 && errors.every(({ code }) => code === 'FORBIDDEN')
}

function Placeholder() {
  return (
    <Stack gap="md" aria-busy="true" role="status" aria-label={t`Loading`}>
      <Skeleton h={96} />
      <Skeleton h={220} />
      <Skeleton h={160} />
    </Stack>
  )
}

interface SectionProps extends PaperProps {
  readonly id?: string
  readonly title: string
  readonly aside?: ReactNode
  readonly children: ReactNode
  /** Whether the content reaches the border, as a table does. */
  readonly isFlush?: boolean
}

/** A titled part of a screen. */
export function Section({ title, aside, children, isFlush = false, ...paper }: SectionProps) {
  return (
    <Paper component="section" {...paper}>
      <Group justify="space-between" px="md" pt="sm" pb={isFlush ? 'xs' : 0} gap="xs">
        <Title order={2} size="h6">
          {title}
        </Title>
        {aside}
      </Group>
      <Box px={isFlush ? 0 : 'md'} pb={isFlush ? 0 : 'md'} pt={isFlush ? 0 : 'xs'}>
        {children}
      </Box>
    </Paper>
  )
}

/** The error of an action that no field explains. */
export function ActionError({ children }: { children: ReactNode }) {
  if (!children) return null
  return (
    <Alert color="red" role="alert" py="xs">
      {children}
    </Alert>
  )
}

/** A small text beside what matters more. */
export function Muted({
  className = '',
  ...text
}: TextProps & { readonly children: ReactNode; readonly role?: string; readonly title?: string }) {
  return <Text size="xs" {...text} className={`muted ${className}`} />
}

interface ColumnsProps {
  /** Width of the first column, in twelfths. */
  readonly first: 4 | 5 | 6 | 7 | 8
  /** Whether they are in a part of the screen, so that its width counts and not that of the screen. */
  readonly isNested?: boolean
  readonly children: readonly [ReactNode, ReactNode]
}

/** Width from which two columns of a part are beside each other. */
const nested = {
  type: 'container',
  breakpoints: { xs: '20em', sm: '30em', md: '46em', lg: '62em', xl: '75em' },
} as const

/** Two columns, which are below each other on small screens. The parts of a column are below each other too. */
export function Columns({ first, isNested = false, children }: ColumnsProps) {
  return (
    <Grid gap="md" {...(isNested && nested)}>
      {children.map((column, index) => (
        <Grid.Col key={index === 0 ? 'first' : 'second'} span={{ base: 12, md: index === 0 ? first : 12 - first }}>
          {column}
        </Grid.Col>
      ))}
    </Grid>
  )
}

/** Takes the place of a list without members. */
export function Empty({ children }: { children: ReactNode }) {
  return (
    <Text size="sm" className="muted" py="lg" px="md" ta="center" component="div" data-empty>
      {children}
    </Text>
  )
}
