import { Glyph } from './glyph.js'
import { effect, signal } from './signals.js'
import { keep, readKept } from './storage.js'

type Theme = 'system' | 'light' | 'dark'

const themes: readonly Theme[] = ['system', 'light', 'dark']
const key = 'theme'

const theme = signal<Theme>(themes.find((each) => each === readKept(key)) ?? 'system')

effect(() => {
  keep(key, theme.value)
  document.documentElement.dataset.theme = theme.value
})

/** Goes through the themes: that of the system, light, dark. */
export function ThemeButton() {
  const next = themes[(themes.indexOf(theme.value) + 1) % themes.length] as Theme
  const label = `Theme: ${theme.value}. Change to ${next}.`
  return (
    <button
      type="button"
      class="quiet square"
      aria-label={label}
      title={label}
      onClick={() => {
        theme.value = next
      }}
    >
      <Glyph name="theme" size={16} />
    </button>
  )
}
