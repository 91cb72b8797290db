import type { ComponentChildren } from 'preact'

/** A letter that is written from right to left. */
const rightToLeft = /[\u0590-\u08ff\ufb1d-\ufefc\u{10800}-\u{10fff}\u{1e800}-\u{1eeff}]/u
const quoted = /("(?:[^"\\]|\\.)*")/

/** JSON or code whose quoted texts do not move what is beside them. Otherwise two Hebrew texts would change their places. */
export const isolated = (text: string): ComponentChildren =>
  rightToLeft.test(text)
    ? text.split(quoted).map((part, at) => (at % 2 ? <bdi key={at}>{part}</bdi> : part))
    : text
