/** The start of a body as text, and whether there was more of it. */
export interface ReadBody {
  readonly body: string
  readonly isCut: boolean
}

/** Reads at most `maxBytes` of a body, after decompression, and cancels the rest. */
export async function readBody(response: Response, maxBytes: number, signal: AbortSignal): Promise<ReadBody> {
  if (!response.body) {
    return { body: '', isCut: false }
  }
  const reader = response.body.getReader()
  // A response that was not made by this request's fetch does not end with its signal.
  const cancel = () => void reader.cancel(signal.reason).catch(() => {})
  signal.addEventListener('abort', cancel)
  if (signal.aborted) {
    cancel()
  }
  try {
    const decoder = new TextDecoder()
    let body = ''
    let left = maxBytes
    for (;;) {
      const { done, value } = await reader.read()
      if (done) {
        return { body: body + decoder.decode(), isCut: false }
      }
      body += decoder.decode(value.subarray(0, left), { stream: true })
      left -= value.byteLength
      if (left < 0) {
        return { body, isCut: true }
      }
    }
  } finally {
    // Without it the connection would stay busy with a body that is not read.
    cancel()
  }
}
