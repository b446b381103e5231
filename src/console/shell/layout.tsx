import { t } from '@lingui/core/macro'
import {
  ActionIcon,
  AppShell,
  Box,
  Burger,
  Group,
  Kbd,
  NavLink,
  type NavLinkProps,
  ScrollArea,
  Text,
  Tooltip,
  UnstyledButton,
  useComputedColorScheme,
  useMantineColorScheme,
} from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { spotlight } from '@mantine/spotlight'
import { createLink, Outlet, useRouterState } from '@tanstack/react-router'
import { LogOut, Moon, Search, Sun } from 'lucide-react'
import { forwardRef, useEffect } from 'react'
import { SignOutDocument } from '../generated/shell.documents.ts'
import { useAction } from '../graph/use-screen.ts'
import { ConfirmDialog } from '../shared/actions/confirm.tsx'
import { Muted } from '../shared/layout/screen.tsx'
import { navigation } from './navigation.ts'
import { Palette } from './palette.tsx'
import { SignedOut, signedOut, useSignedOut } from './signed-out.tsx'
import { useShell } from './use-shell.ts'

const RoutedNavLink = createLink(
  forwardRef<HTMLAnchorElement, NavLinkProps>(function RoutedNavLink(props, ref) {
    return <NavLink ref={ref} {...props} />
  }),
)

/** The frame around every screen: navigation, command palette, colour scheme and sign-out. */
export function Layout() {
  const [isOpen, { toggle, close }] = useDisclosure()
  const path = useRouterState({ select: ({ location }) => location.pathname })
  const isSignedOut = useSignedOut()
  // biome-ignore lint/correctness/useExhaustiveDependencies: the navigation of small screens closes with each new path
  useEffect(close, [path])
  if (isSignedOut) return <SignedOut />
  return (
    <AppShell
      header={{ height: { base: 52, sm: 0 } }}
      navbar={{ width: 224, breakpoint: 'sm', collapsed: { mobile: !isOpen } }}
      padding={{ base: 'sm', sm: 'lg' }}
    >
      <a href="#main" className="skip-link">{t`Skip to content`}</a>
      <AppShell.Header hiddenFrom="sm" px="sm">
        <Group h="100%" gap="sm">
          <Burger
            opened={isOpen}
            onClick={toggle}
            size="sm"
            aria-label={isOpen ? t`Close navigation` : t`Open navigation`}
          />
          <Text fw={650}>Campanile</Text>
          <ActionIcon ml="auto" variant="subtle" color="gray" aria-label={t`Search`} onClick={spotlight.open}>
            <Search size={18} />
          </ActionIcon>
        </Group>
      </AppShell.Header>
      <AppShell.Navbar p="sm">
        <Navigation />
      </AppShell.Navbar>
      <AppShell.Main id="main" tabIndex={-1}>
        <Box maw={1360} mx="auto">
          <Outlet />
        </Box>
      </AppShell.Main>
      <Palette />
      <ConfirmDialog />
    </AppShell>
  )
}

function Navigation() {
  const { viewer, account } = useShell()
  return (
    <>
      <AppShell.Section px="xs" pb="sm">
        <Text fw={650} lh={1.2} truncate>
          {account?.name ?? 'Campanile'}
        </Text>
        <Muted truncate>{viewer?.user?.name || viewer?.user?.email || viewer?.email || ' '}</Muted>
      </AppShell.Section>
      <AppShell.Section pb="sm" visibleFrom="sm">
        <UnstyledButton w="100%" onClick={spotlight.open} className="palette-button">
          <Group gap="xs" wrap="nowrap">
            <Search size={15} />
            <Text size="sm" className="muted">{t`Search`}</Text>
            <Kbd ml="auto" size="xs">
              Ctrl K
            </Kbd>
          </Group>
        </UnstyledButton>
      </AppShell.Section>
      <AppShell.Section grow component={ScrollArea}>
        <nav aria-label={t`Screens`}>
          {navigation().map(({ to, label, icon: Icon }) => (
            <RoutedNavLink
              key={to}
              to={to}
              label={label}
              leftSection={<Icon size={17} />}
              activeOptions={{ exact: to === '/' }}
              activeProps={{ active: true, 'aria-current': 'page' } as object}
              className="navigation-link"
            />
          ))}
        </nav>
      </AppShell.Section>
      <AppShell.Section>
        <Group justify="space-between" px="xs">
          <ColorScheme />
          <SignOut />
        </Group>
      </AppShell.Section>
    </>
  )
}

function SignOut() {
  const [signOut, isRunning] = useAction(SignOutDocument)
  return (
    <Tooltip label={t`Sign out`}>
      <ActionIcon
        variant="subtle"
        color="gray"
        aria-label={t`Sign out`}
        loading={isRunning}
        onClick={async () => {
          await signOut({})
          signedOut.set(true)
        }}
      >
        <LogOut size={17} />
      </ActionIcon>
    </Tooltip>
  )
}

function ColorScheme() {
  const { setColorScheme } = useMantineColorScheme()
  const isDark = useComputedColorScheme('light') === 'dark'
  const label = isDark ? t`Light colours` : t`Dark colours`
  return (
    <Tooltip label={label}>
      <ActionIcon
        variant="subtle"
        color="gray"
        aria-label={label}
        onClick={() => setColorScheme(isDark ? 'light' : 'dark')}
      >
        {isDark ? <Sun size={17} /> : <Moon size={17} />}
      </ActionIcon>
    </Tooltip>
  )
}
