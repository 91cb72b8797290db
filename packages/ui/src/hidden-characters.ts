import { h, options } from 'preact'

/**
 * Controls that change the direction of text, and other characters that a reader cannot see. Not tab and line breaks, nor the
 * joiner between two emoji, because they are one picture.
 */
const hidden =
  /((?![\t\n\r]|(?<=\p{Extended_Pictographic}[\ufe0f\p{Emoji_Modifier}]?)\u200d\p{Extended_Pictographic})[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\u115f\u1160\u3164\uffa0]|\u034f|\u17b4|\u17b5)/gu

/**
 * Spaces that HTML does not show: at the ends of a text, and beside another space. Not those that indent a line. And spaces that
 * look like another one.
 */
const blank = /((?<!\n *)(?:^ | $|(?<= ) | (?= ))|[^\P{Zs} ])/gu

/** `\u202e` for the character itself. */
function escapeOf(character: string): string {
  const code = character.codePointAt(0)?.toString(16).padStart(4, '0')
  return character === ' ' ? '\u2423' : character.length > 1 ? `\\u{${code}}` : `\\u${code}`
}

/** JSON with each hidden character as an escape, which means the same. For a field, because a field shows no marks. */
export const escapedJson = (json: string): string =>
  json.replace(hidden, (character) => character.split('').map(escapeOf).join(''))

function escaped(text: unknown, isWhole = false): unknown {
  if (typeof text !== 'string') {
    return text
  }
  const shown = text.replace(hidden, escapeOf)
  return isWhole ? shown.replace(blank, escapeOf) : shown
}

/** In a text a space is a dot on a background of its own, which is seen at each size. */
const markOf = (character: string) =>
  character === ' '
    ? h('span', { class: 'hidden-character', title: 'space' }, '·')
    : h('span', { class: 'hidden-character' }, escapeOf(character))

/** The parts of a text, with each character that `which` captures as a marked escape. */
const split = (text: string, which: RegExp) =>
  text.split(which).map((part, at) => (at % 2 ? markOf(part) : part))

/** The text with each hidden character as a marked escape; the text itself if it has none. */
function marked(text: unknown, isWhole = false): unknown {
  if (typeof text !== 'string') {
    return text
  }
  // Blanks first: whether a space is at an end depends on the whole text.
  const parts = (isWhole ? split(text, blank) : [text]).flatMap((part) =>
    typeof part === 'string' ? split(part, hidden) : [part],
  )
  return parts.length > 1 ? parts : text
}

/**
 * Shows hidden characters as escapes, in every text of the page. Otherwise a sender could make an id or an error look like
 * another one. Values of fields, links and copies keep the characters. Spaces are marked where a text is all that an element has:
 * beside other parts they separate words.
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
      props.title &&= escaped(props.title, true)
      props['aria-label'] &&= escaped(props['aria-label'], true)
      // An SVG title and an option contain text only.
      if (node.type !== 'title' && node.type !== 'option') {
        props.children = Array.isArray(children)
          ? children.map((child) => marked(child))
          : marked(children, node.type !== 'pre')
      }
    }
  }
}
