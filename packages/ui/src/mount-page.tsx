import { type ComponentType, render } from 'preact'

/** Puts the page in the place of what the document said without JavaScript. */
export function mountPage(App: ComponentType): void {
  const root = document.getElementById('app')
  if (root) {
    root.replaceChildren()
    render(<App />, root)
  }
}
