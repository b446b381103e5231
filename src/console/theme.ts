import { t } from '@lingui/core/macro'
import { Badge, Button, createTheme, defaultVariantColorsResolver, Modal, Paper, Table, TextInput } from '@mantine/core'

/** A dense theme: small controls, thin borders, one accent colour. Its texts are in the language that was loaded. */
export const newTheme = () =>
  createTheme({
    primaryColor: 'indigo',
    primaryShade: { light: 7, dark: 8 },
    autoContrast: true,
    defaultRadius: 'md',
    // The text of light badges and buttons has too little contrast by default.
    variantColorResolver(input) {
      const colors = defaultVariantColorsResolver(input)
      const { variant, color = 'indigo' } = input
      if (variant !== 'light' && variant !== 'subtle') return colors
      const shade = `color-mix(in srgb, var(--mantine-color-${color}-9), black 30%)`
      return { ...colors, color: `light-dark(${shade}, var(--mantine-color-${color}-2))` }
    },
    cursorType: 'pointer',
    fontFamily: "system-ui, -apple-system, 'Segoe UI', Roboto, 'DejaVu Sans', sans-serif",
    headings: { fontWeight: '650' },
    components: {
      Badge: Badge.extend({ defaultProps: { variant: 'light', size: 'sm', radius: 'sm', tt: 'none', fw: 550 } }),
      Button: Button.extend({ defaultProps: { size: 'xs' } }),
      Modal: Modal.extend({
        defaultProps: { closeButtonProps: { 'aria-label': t({ message: 'Close', context: 'a dialog' }) } },
      }),
      TextInput: TextInput.extend({ defaultProps: { size: 'sm' } }),
      Paper: Paper.extend({ defaultProps: { withBorder: true, radius: 'md' } }),
      Table: Table.extend({ defaultProps: { verticalSpacing: 8, horizontalSpacing: 'sm', fz: 'sm' } }),
    },
  })
