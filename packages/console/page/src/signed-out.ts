import { request } from './request.js'

/** What to say to a person whose session has ended, or who has no right any more. A reload leads to the login of the program. */
export const outWords = {
  session: 'You are signed out. Reload to sign in.',
  no_rights: 'You may do nothing here now. If you are signed out, reload to sign in.',
} as const

export type Out = keyof typeof outWords

/** Whether a page lost its connection because the person is out. */
export const isOut = (why: string | undefined): why is Out => why !== undefined && why in outWords

/**
 * Whether the session has ended. The program answers a lost session with 401, with its login page, or by permitting nothing, as it
 * does to a person who lost every right. A person who only lacks one right can still ask what is permitted.
 */
export async function askWhetherOut(): Promise<Out | undefined> {
  const response = await request('me').catch(() => undefined)
  return response && refuses(response) ? (response.status === 403 ? 'no_rights' : 'session') : undefined
}

/** Whether a response may be that of a lost session. */
export const refuses = ({ status, redirected }: Response): boolean =>
  redirected || status === 401 || status === 403
