/**
 * Calls `open` while the tab is visible, and what it returned when the tab is hidden. Over HTTP/1.1 a browser opens six
 * connections to one server, for all its tabs, and each stream takes one.
 */
export function whileVisible(open: () => () => void): void {
  let close: (() => void) | undefined
  function turn(): void {
    const isVisible = document.visibilityState === 'visible'
    if (isVisible && !close) {
      close = open()
    } else if (!isVisible && close) {
      close()
      close = undefined
    }
  }
  document.addEventListener('visibilitychange', turn)
  turn()
}
