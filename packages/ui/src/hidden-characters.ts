import { type ComponentChild, type ComponentChildren, h, options, type VNode } from 'preact'

/** Controls that change the direction of text, and other characters that a reader cannot see. Not tab and line breaks. */
const hidden = /[\p{Cf}\p{Zl}\p{Zp}\u115f\u1160\u3164\uffa0]|\u034f|\u17b4|\u17b5|(?![\t\n\r])\p{Cc}/gu

/** Elements that take no element within their text. */
const plainOnly = ['option', 'title', 'text']
const attributes = ['title', 'aria-label', 'placeholder']

/** `\u202e` for the character itself. */
function escapeOf(character: string): string {
  const code = (character.codePointAt(0) as number).toString(16).padStart(4, '0')
  return code.length > 4 ? `\\u{${code}}` : `\\u${code}`
}

const escaped = (text: string) => text.replace(hidden, escapeOf)

/** The text with each such character as a marked escape; the text itself if it has none. */
function marked(text: string): ComponentChildren {
  if (text.search(hidden) < 0) {
    return text
  }
  const parts: ComponentChild[] = []
  let end = 0
  for (const { index, 0: character } of text.matchAll(hidden)) {
    parts.push(text.slice(end, index), h('span', { class: 'hidden-character' }, escapeOf(character)))
    end = index + character.length
  }
  return [...parts, text.slice(end)]
}

/**
 * Shows hidden characters as escapes, in every text of the page. Otherwise a sender could make an id or an error look like
 * another one. Values of fields, links and copies keep the characters.
 */
export function showHiddenCharacters(): void {
  const before = options.vnode
  options.vnode = (vnode) => {
    before?.(vnode)
    const { type } = vnode as { type: unknown }
    if (type === null) {
      // A text: its props are the text itself.
      const text = vnode as unknown as { props: string }
      text.props = escaped(String(text.props))
    } else if (typeof type === 'string') {
      escapeElement(type, vnode)
    }
  }
}

function escapeElement(type: string, { props }: VNode): void {
  const given = props as Record<string, unknown>
  for (const name of attributes) {
    const value = given[name]
    if (typeof value === 'string') {
      given[name] = escaped(value)
    }
  }
  if (plainOnly.includes(type)) {
    return
  }
  const show = (child: unknown) => (typeof child === 'string' ? marked(child) : child)
  if (typeof given.children === 'string') {
    given.children = show(given.children)
  } else if (Array.isArray(given.children)) {
    given.children = given.children.map(show)
  }
}
