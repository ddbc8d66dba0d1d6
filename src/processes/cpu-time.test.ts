import { spawn } from 'node:child_process'
import { expect, test } from 'vitest'
import { cpuTimeOf_ms } from './cpu-time.ts'

test.runIf(process.platform === 'linux')(
  'the processor time of a process grows while it works, and stays while it is stopped',
  async () => {
    const child = spawn(process.execPath, ['-e', 'for (;;);'], { stdio: 'ignore' })
    const pid = child.pid as number
    const used = () => cpuTimeOf_ms(pid) ?? 0
    try {
      const before = used()
      await expect.poll(used).toBeGreaterThan(before + 100)
      child.kill('SIGSTOP')
      await expect.poll(async () => used() === (await new Promise((resolve) => setTimeout(() => resolve(used()), 200)))).toBe(true)
    } finally {
      child.kill('SIGKILL')
    }
  },
)

test('a process that is not there has none', () => {
  expect(cpuTimeOf_ms(0)).toBe(null)
})
