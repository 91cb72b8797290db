import { describe, expect, it } from 'vitest'
import { accepted, body, file, header, hex, now, raw, save, secret, useFolder, verify } from './rig.js'

useFolder()

describe('verify withstands a delivery', () => {
  it.each([
    ['binary', Buffer.from([0, 255, 10, 13, 0])],
    ['empty', Buffer.alloc(0)],
  ])('whose body is %s', async (_, bytes) => {
    const args = ['--body', '-', '--header', `t=${now},v1=${hex(bytes)}`]
    const { code, stdout } = await verify(args, { stdin: bytes })
    expect(code).toBe(1)
    expect(stdout).toContain('The signature matches, but')
  })

  it('of 100 MB', async () => {
    const large = Buffer.from(body.replace('Zoë', 'a'.repeat(100_000_000)))
    const path = await save('large', large)
    await accepted(['--body', path, '--header', `t=${now},v1=${hex(large)}`])
  })

  it('of 100 MB that is not the signed one, and names the cause', async () => {
    const large = Buffer.alloc(100_000_000, 'a')
    const path = await save('large', Buffer.concat([large, Buffer.from('\n')]))
    const { code, stdout } = await verify(['--body', path, '--header', `t=${now},v1=${hex(large)}`])
    expect(code).toBe(1)
    expect(stdout).toContain('cause: body_line_break_added')
  })

  it('of 100 MB with --discover', async () => {
    const large = Buffer.alloc(100_000_000, 0xff)
    const path = await save('large', large)
    const args = ['--body', path, '--header', `t=${now},v1=${hex(large)}`, '--discover']
    expect(await verify(args)).toMatchObject({
      code: 0,
      stdout: '// The default scheme: leave the option out.\n',
    })
  })

  it('whose headers have 64 KiB', async () => {
    const long = `t=${now},${`v1=${'0'.repeat(64)},`.repeat(960)}v1=${hex(body)}`
    const { code, stdout } = await verify(['--from-request', await save('long', raw(body, long))])
    expect(code).toBe(1)
    expect(stdout).toContain('header_oversized')
    expect(stdout.length).toBeLessThan(5000)
  })
})

describe('verify keeps to itself', () => {
  const forged = `t=${now},v1=${'0'.repeat(64)}`

  it('the secret and the expected signature', async () => {
    for (const extra of [[], ['--json'], ['--discover']]) {
      const { stdout, stderr } = await verify(['--body', file('body.json'), '--header', forged, ...extra])
      expect(stdout + stderr).not.toContain(secret.slice(6))
      expect(stdout + stderr).not.toContain(hex(body).slice(0, 16))
    }
  })

  it('a signature that matches: it is as good as a signed delivery', async () => {
    for (const extra of [[], ['--json']]) {
      const { code, stdout } = await verify(['--body', file('body.json'), '--header', header, ...extra])
      expect(code).toBe(0)
      expect(stdout).toContain(hex(body).slice(0, 12))
      expect(stdout).not.toContain(hex(body).slice(0, 16))
    }
  })

  it('the expected signature, unless asked', async () => {
    const args = ['--body', file('body.json'), '--header', forged, '--show-expected']
    expect((await verify(args)).stdout).toContain(`Service-Signature: ${header}`)
    expect(JSON.parse((await verify([...args, '--json'])).stdout).expected).toBe(header)
  })

  it('a secret that stands in what it reads', async () => {
    const { stdout, stderr } = await verify(['--body', '-', '--header', header, '--event-id', secret], {
      stdin: '{"id":"evt_1"}',
    })
    expect(stdout + stderr).not.toContain(secret)
    const args = ['--body', file('body.json'), '--header', header, '--event-id', secret]
    expect((await verify(args)).stdout).toContain('The header says [secret]')
  })

  it('escape sequences of the sender', async () => {
    const args = ['--body', file('body.json'), '--header', `${header},x\u001b]0;owned\u0007=1`]
    const { stdout } = await verify([...args, '--event-id', 'evt_\u001b[2J'])
    expect(stdout).not.toContain('\u001b')
    expect(stdout).toContain('evt_\\u{1b}[2J')
  })
})
