import '@mantine/core/styles.css'
import '@mantine/spotlight/styles.css'
import '@mantine/notifications/styles.css'
import './console.css'
import { i18n } from '@lingui/core'
import { I18nProvider } from '@lingui/react'
import { MantineProvider } from '@mantine/core'
import { Notifications } from '@mantine/notifications'
import { RouterProvider } from '@tanstack/react-router'
import { setNonce } from 'get-nonce'
import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { Provider } from 'urql'
import { newClient } from './graph/client.ts'
import { router, startFirstScreen } from './router.tsx'
import { signedOut } from './shell/signed-out.tsx'
import { loadTexts } from './texts/texts.ts'
import { newTheme } from './theme.ts'

const nonce = document.querySelector<HTMLMetaElement>('meta[property="csp-nonce"]')?.nonce ?? ''
// Libraries that add styles later ask for the nonce here.
setNonce(nonce)

const client = newClient(() => signedOut.set(true))

const root = createRoot(document.getElementById('root') as HTMLElement)
const render = () =>
  root.render(
    <StrictMode>
      <I18nProvider i18n={i18n}>
        <MantineProvider theme={newTheme()} defaultColorScheme="auto" getStyleNonce={() => nonce}>
          <Notifications position="bottom-right" />
          <Provider value={client}>
            <RouterProvider router={router} />
          </Provider>
        </MantineProvider>
      </I18nProvider>
    </StrictMode>,
  )

// The query of the first screen is under way while the frame is rendered. The router reports a screen that was not loaded.
void Promise.allSettled([loadTexts(), startFirstScreen(client)]).then(render)
