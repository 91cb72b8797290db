import { request } from './request.js'

/** What to say to a person whose session has ended. A reload leads to the login of the program. */
export const signedOut = 'You are signed out. Reload to sign in.'

/**
 * Whether the session has ended. The program answers a lost session with 401, with its login page, or by permitting
 * nothing. A person who only lacks one right can still ask what is permitted.
 */
export async function isSignedOut(): Promise<boolean> {
  const response = await request('me').catch(() => undefined)
  return response !== undefined && refuses(response)
}

/** Whether a response may be that of a lost session. */
export const refuses = ({ status, redirected }: Response): boolean =>
  redirected || status === 401 || status === 403
