import { useState } from 'preact/hooks'

/** What was typed and not used yet. It lasts until the page is left. */
const drafts = new Map<string, string>()

/** A text that stays when its dialog closes. `initial` again forgets it. */
export function useDraft(key: string, initial = '') {
  const [text, setText] = useState(drafts.get(key) ?? initial)
  const write = (value: string) => {
    if (value === initial) {
      drafts.delete(key)
    } else {
      drafts.set(key, value)
    }
    setText(value)
  }
  return [text, write] as const
}
