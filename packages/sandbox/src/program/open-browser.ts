import { spawn } from 'node:child_process'

const browsers: Readonly<Record<string, readonly string[]>> = {
  darwin: ['open'],
  win32: ['cmd', '/c', 'start', ''],
}

/** Opens an address in the browser of the user. Does nothing if there is none. */
export function openBrowser(url: string): void {
  const [command = 'xdg-open', ...args] = browsers[process.platform] ?? []
  spawn(command, [...args, url], { stdio: 'ignore', detached: true })
    .on('error', () => {})
    .unref()
}
