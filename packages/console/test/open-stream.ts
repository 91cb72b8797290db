import { expect } from 'vitest'

interface Message {
  readonly id: string
  readonly data: { readonly at: string }
}

/** Reads server-sent events one at a time. */
export async function openStream(url: string, headers: Readonly<Record<string, string>> = {}) {
  const aborting = new AbortController()
  const response = await fetch(url, { headers, signal: aborting.signal })
  expect(response.headers.get('content-type')).toContain('text/event-stream')
  const reader = (response.body as ReadableStream<Uint8Array>).getReader()
  let text = ''

  async function next(): Promise<Message> {
    for (;;) {
      const found = /event: change\ndata: (.*)\nid: (.*)\n\n/.exec(text)
      if (found) {
        text = text.slice(found.index + found[0].length)
        return { id: found[2] ?? '', data: JSON.parse(found[1] ?? '') as { at: string } }
      }
      const { value, done } = await reader.read()
      if (done) {
        throw new Error('the stream ended')
      }
      text += new TextDecoder().decode(value)
    }
  }

  return {
    next,
    /** Reads until the mark of this number. The first look at the store makes mark 1. */
    async mark(number: number) {
      while (!(await next()).id.endsWith(`-${number}`)) {
        // An earlier mark.
      }
    },
    /** Resolves when the server has ended the stream. */
    async ended() {
      while (!(await reader.read()).done) {
        // What still comes is of no interest.
      }
    },
    async close() {
      aborting.abort()
      await reader.closed.catch(() => {})
    },
  }
}
