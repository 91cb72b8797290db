import { afterEach, expect, vi } from 'vitest'

/** Listens to unhandled rejections. A test that adds the listener to the process fails where one comes. */
export function unhandledRejections() {
  const unhandled = vi.fn()
  afterEach(async () => {
    await new Promise((resolve) => setTimeout(resolve, 5))
    process.off('unhandledRejection', unhandled)
    expect(unhandled).not.toHaveBeenCalled()
    unhandled.mockReset()
  })
  return unhandled
}
