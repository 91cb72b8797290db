import { announce } from './announce.js'
import { Glyph } from './glyph.js'

/** Puts a text on the clipboard and says so. */
export async function clip(text: string, what: string): Promise<void> {
  try {
    await navigator.clipboard.writeText(text)
    announce(`Copied ${what}.`)
  } catch {
    announce(`The browser did not allow copying ${what}.`)
  }
}

/** A button that puts a text on the clipboard. */
export function Clip({ text, what }: { readonly text: string; readonly what: string }) {
  return (
    <button
      type="button"
      class="quiet square"
      aria-label={`Copy ${what}`}
      title={`Copy ${what}`}
      onClick={() => void clip(text, what)}
    >
      <Glyph name="copy" />
    </button>
  )
}
