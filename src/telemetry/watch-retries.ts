import type { Inbox } from '../store/inbox.js'

/** An inbox that calls `tell` for each event that it has postponed. A user's inbox may have private fields, so it is not copied. */
export function watchRetries<Tx>(inbox: Inbox<Tx>, tell: (pauseSeconds: number) => void): Inbox<Tx> {
  const postpone: Inbox<Tx>['postpone'] = async (key, pauseSeconds, ...rest) => {
    await inbox.postpone(key, pauseSeconds, ...rest)
    tell(pauseSeconds)
  }
  return new Proxy(inbox, {
    get(target, name) {
      if (name === 'postpone') {
        return postpone
      }
      const member: unknown = Reflect.get(target, name)
      return typeof member === 'function' ? member.bind(target) : member
    },
  })
}
