import { type ComponentType, render } from 'preact'
import { keepFocus } from './focus.js'
import { followSignals } from './follow-signals.js'
import { showHiddenCharacters } from './hidden-characters.js'

/** Puts the page in the place of what the document said without JavaScript. */
export function mountPage(App: ComponentType): void {
  const root = document.getElementById('app')
  if (root) {
    keepFocus()
    followSignals()
    showHiddenCharacters()
    root.replaceChildren()
    render(<App />, root)
  }
}
