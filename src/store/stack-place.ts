const mostRead = 8192
const mostFrames = 30
const longest = 160

/**
 * Returns the place in the user’s code where an error was thrown: the function and the file, without the line, which
 * changes with every release. `undefined` if the stack has no such line. Skips the message at the top of the stack, because
 * data of a sender can be part of it.
 */
export function placeOf(stack: string, message: string): string | undefined {
  const at = stack.indexOf(message.slice(0, 256))
  const frames = stack
    .slice(at < 0 ? 0 : at + message.length)
    .slice(0, mostRead)
    .split('\n')
    .slice(1, 1 + mostFrames)
  for (const frame of frames) {
    const line = frame.trim()
    if (!line.startsWith('at ')) {
      continue
    }
    const place = placeOfFrame(line.slice(3))
    if (place !== undefined) {
      return place.slice(0, longest)
    }
  }
  return undefined
}

/** `async pay (file:///srv/src/handlers.ts:12:7)`, or the location alone. */
function placeOfFrame(frame: string): string | undefined {
  const open = frame.endsWith(')') ? frame.lastIndexOf(' (') : -1
  const location = open < 0 ? frame : frame.slice(open + 2, -1)
  const file = location.replaceAll('\\', '/').replace(/(?::\d{1,9}){1,2}$/, '')
  const isForeign = file.includes('/node_modules/') || file.startsWith('node:') || !file.includes('/')
  if (isForeign) {
    return undefined
  }
  const name = open < 0 ? '' : functionName(frame.slice(0, open))
  return `${name && `${name} `}${shortFile(file)}`.trim()
}

/** Without `async`, and without the name under which the function was called. */
function functionName(text: string): string {
  const alias = text.indexOf(' [as ')
  return (alias < 0 ? text : text.slice(0, alias)).replace(/^async /, '')
}

/** The file and its folder: where the program is installed may change with every release, as may a hash in the name. */
function shortFile(file: string): string {
  const path = file.split(/[?#]/, 1)[0] as string
  const parts = path.split('/').slice(-2)
  return parts.map((part) => part.replace(/[-.](?=[a-z0-9]{0,40}\d)[a-z0-9]{6,40}(?=[-.]|$)/gi, '')).join('/')
}
