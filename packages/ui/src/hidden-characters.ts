import { h, options } from 'preact'

/**
 * Controls that change the direction of text, and other characters that a reader cannot see. Not tab and line breaks, nor the
 * joiner between two emoji, because they are one picture.
 */
const hidden =
  /((?![\t\n\r]|(?<=\p{Extended_Pictographic}[\ufe0f\p{Emoji_Modifier}]?)\u200d\p{Extended_Pictographic})[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\u115f\u1160\u3164\uffa0]|\u034f|\u17b4|\u17b5)/gu

/** `\u202e` for the character itself. */
const escapeOf = (character: string) => {
  const code = character.codePointAt(0)?.toString(16).padStart(4, '0')
  return character.length > 1 ? `\\u{${code}}` : `\\u${code}`
}

const escaped = (text: unknown) => (typeof text === 'string' ? text.replace(hidden, escapeOf) : text)

/** The text with each such character as a marked escape; the text itself if it has none. */
function marked(text: unknown): unknown {
  const parts = typeof text === 'string' ? text.split(hidden) : []
  return parts.length > 1
    ? parts.map((part, at) => (at % 2 ? h('span', { class: 'hidden-character' }, escapeOf(part)) : part))
    : text
}

/**
 * Shows hidden characters as escapes, in every text of the page. Otherwise a sender could make an id or an error look like
 * another one. Values of fields, links and copies keep the characters.
 */
export function showHiddenCharacters(): void {
  const before = options.vnode
  options.vnode = (vnode) => {
    before?.(vnode)
    const node = vnode as unknown as { type: unknown; props: unknown }
    if (node.type === null) {
      // The props of a text are the text itself.
      node.props = escaped(node.props)
    } else if (typeof node.type === 'string') {
      const props = node.props as Record<string, unknown>
      const { children } = props
      props.title &&= escaped(props.title)
      props['aria-label'] &&= escaped(props['aria-label'])
      // An SVG title and an option contain text only.
      if (node.type !== 'title' && node.type !== 'option') {
        props.children = Array.isArray(children) ? children.map(marked) : marked(children)
      }
    }
  }
}
